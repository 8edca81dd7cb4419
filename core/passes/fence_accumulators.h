#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// After every wait for wgmma the accumulators that are complete then pass a warpgroup_fence_operand, so that no compiler behind us reads
// their registers before the wait: to it a started product has its result at once.
// Requires: thread stage.  Leaves: thread stage.
[[nodiscard]] ir::Function fenceAccumulators(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
