#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// The GPU's way to the thread stage (README.md says what it looks like): fragments become arrays of registers, shared buffers flat
// arrays, nests the loops of one thread over its registers; products become instructions, reductions registers, shuffles and
// shared memory. Reads layouts, decides none.
// Requires: inferLayouts.  Leaves: thread stage; no barriers yet (insertBarriers); loops unrolled, not vectorized.
[[nodiscard]] ir::Function lowerThreads(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
