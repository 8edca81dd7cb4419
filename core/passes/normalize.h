#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Brings what authors write in several ways into one: constant negative indices count from the end of their axis, loops that
// cannot run go, loops of one iteration become their body; a workspace (T.alloc_global) that a launch allocates is one for all its
// blocks and stands in front of it, where its extents are known there.
// Requires: a verified tile-stage function.  Leaves: the same meaning, the same stage.
[[nodiscard]] ir::Function normalize(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
