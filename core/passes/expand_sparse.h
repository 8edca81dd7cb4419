#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// A product with a 2:4 sparse A becomes a product with the dense A, which a nest writes to shared memory: of every four columns two are
// kept, and E says where they were. It costs that tile and saves no multiplication, and it runs on every target.
// Requires: tile stage, normalized.  Leaves: no T.gemm_sp.
[[nodiscard]] ir::Function expandSparse(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
