#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Moves the allocation of a shared buffer into the innermost loop that holds all its uses and carries none of its values from
// one iteration to the next: what is known on the tile stage, that every iteration overwrites the whole buffer before it
// reads it, is told to planSharedMemory by the place of the allocation.
// Requires: tile stage, no pipelined loop.  Leaves: the same meaning, the same stage.
[[nodiscard]] ir::Function narrowScopes(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
