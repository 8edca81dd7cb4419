#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Behind the allocation of barrier arrays one thread initialises them with their arrival counts, a fence makes that visible
// to the engines, and all threads of the block (of the cluster, if they are the cluster's) meet.
// Requires: thread stage.  Leaves: the same stage.
[[nodiscard]] ir::Function initBarriers(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
