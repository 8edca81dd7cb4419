#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Brings what authors write in several ways into one: constant negative indices count from the end of their axis, loops that
// cannot run go, loops of one iteration become their body.
// Requires: a verified tile-stage function.  Leaves: the same meaning, the same stage.
[[nodiscard]] ir::Function normalize(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
