// A layout of a tile over threads as a table: which threads hold each element, and in which register.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/expr.h"

namespace tw::layout {

struct FragmentTable {
    std::vector<std::int64_t> shape;
    std::int64_t copies = 1;             // of each element
    std::vector<std::int64_t> threads;   // `copies` for each element in row-major order, ascending; numbered from the block's first
    std::vector<std::int64_t> registers; // one an element: all copies lie in the same
    std::int64_t threadCount = 0, registerCount = 0;  // one more than the largest
};

// Empty where `map` is no fragment, has more than a million places or cannot be evaluated.
[[nodiscard]] std::optional<FragmentTable> tabulateFragment(const ir::LayoutMap& map);

}  // namespace tw::layout
