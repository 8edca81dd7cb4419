// Questions about how a memory layout is accessed, answered by trying every element.
#pragma once

#include <cstdint>

#include "core/ir/expr.h"

namespace tw::layout {

// The largest power of two v such that along `axis` every v elements that begin at a multiple of v are neighbours in memory, in
// order, and begin at a multiple of v there. 1 where the layout has more than a million elements or cannot be evaluated.
[[nodiscard]] std::int64_t alignedRun(const ir::LayoutMap& map, int axis);

}  // namespace tw::layout
