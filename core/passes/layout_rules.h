// Rules of layouts that inference and lowering share.
#pragma once

#include "core/passes/nest.h"
#include "core/passes/thread_groups.h"

namespace tw::passes {

// The layout of what a reduction of a tile with layout `source` leaves: its axis is gone, or has extent 1, and the threads that shared
// it all hold the result.
[[nodiscard]] layout::Fragment reducedLayout(const layout::Fragment& source, int axis, std::size_t rank);
[[nodiscard]] int reducedAxis(const ir::OpCall& call);

// The extents of a buffer; constants, as for everything on chip.
[[nodiscard]] std::vector<std::int64_t> shapeOf(const ir::BufferNode& buffer);
// A layout for a nest that no fragment decides: neighbouring threads at neighbouring elements, as many of them at once as a 16-byte
// access of the widest type takes.
[[nodiscard]] layout::Fragment freeNestLayout(const Nest& nest, const ThreadGroup& group);

}  // namespace tw::passes
