#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Tile operations to loops over elements, for a CPU. Products stay one call of a micro-kernel. Copies clip themselves at the
// edges of global buffers by their loop bounds; scheduled loops become plain loops; asynchronous copies are copies. Where the
// launch runs threads, the threads that reach a tile operation meet and one runs it for all (T.tile_enter, T.tile_leave),
// unless what it writes is private memory: then every thread runs it.
// Requires: planThreads, guardBounds.  Leaves: thread stage.
[[nodiscard]] ir::Function lowerTiles(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
