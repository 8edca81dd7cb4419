// A memory layout as a table: the physical index of every element.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/expr.h"

namespace tw::layout {

struct Table {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> physical;  // by the row-major number of the element
    std::int64_t size = 0;               // physical elements: one more than the largest index

    [[nodiscard]] std::int64_t stride(int axis) const;  // of an axis in the row-major number
};

// Empty where the map has more than a million elements, a negative output or anything but integers.
[[nodiscard]] std::optional<Table> tabulate(const ir::LayoutMap& map);

}  // namespace tw::layout
