#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Deferred reductions as fragments: every nest that contributes gets a fragment of its own shape, in which contributions gather
// element by element; finalize_reducer reduces them, once, to a fragment of the reducer's shape. A reducer whose contributions
// go anywhere else than to variables of their nest becomes an array in shared memory with atomic updates.
// Requires: tile stage.  Leaves: tile stage; no reducers.
[[nodiscard]] ir::Function expandReducers(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
