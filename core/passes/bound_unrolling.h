#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// A local array is in registers as long as every index of it is a constant once the loops around are unrolled. One that a thread's
// registers cannot hold is in local memory whatever is unrolled: then the loops that walk through it stay loops but for a few
// elements, so that the text that the assembler gets is bounded, and a warning at the largest such array of a launch gives the
// numbers. Loops of nests that index no registers at all are bounded in the same way. More local memory than a thread can have is
// an error. Accumulators of wgmma are left alone: their registers may not move while a product runs.
// Requires: thread stage.  Leaves: thread stage.
[[nodiscard]] ir::Function boundUnrolling(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
