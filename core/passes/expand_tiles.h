#pragma once

#include "core/passes/pass.h"

namespace tw::passes {

// Turns every element-wise tile operation (copy, async_copy, transpose, im2col, fill, clear, the tile form of an atomic, print of a
// buffer) and every scan into parallel nests over exactly its elements, and persistent loops into serial ones. What a thread does for itself
// (operands in private memory, or at places that differ between the threads) becomes plain loops instead. A store to a
// fragment outside of a nest becomes a nest of one iteration.
// The nests carry attributes: "op" the operation's name, "coalesced_width" of a copy, "async" of an asynchronous copy, whose commit
// stands behind the nest.
// Requires: tile stage.  Leaves: tile stage; products, reductions, bulk and cluster copies stay operations.
// Accesses of the nests may leave global buffers: guardBounds comes next.
[[nodiscard]] ir::Function expandTiles(const ir::Function& in, PassContext& context);

}  // namespace tw::passes
