#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// A launch whose threads never meet needs no fibers: its body becomes loops over the threads, the innermost one parallel.
//   C[bx*128 + tx] = A[bx*128 + tx]   ->   for tx in T.Parallel(128): C[bx*128 + tx] = …
// Requires: lowerTiles.  Leaves: thread stage; such launches have execution "block".
[[nodiscard]] ir::Function threadLoops(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
