#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Innermost loops with constant bounds whose accesses of memory are contiguous and aligned become vectorized loops of the widest
// legal extent (README.md says what such a loop promises), at most 16 bytes an access. Where that hangs on the edge of a tensor
// or on an extent that is known at run time only, the wide form stands under a condition and the plain loop beside it.
// Loops with the attribute "async" start their copies from global to shared memory with cp.async, and copy synchronously what cp.async
// cannot do. On targets without cp.async all asynchronous copies become synchronous ones.
// Requires: thread stage; tensors and shared memory begin at 16 bytes.  Leaves: thread stage, vectorized loops only where they are
// legal; no attribute "async".
[[nodiscard]] ir::Function vectorizeAccesses(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
