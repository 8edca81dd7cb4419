// A fragment under another shape.
#pragma once

#include <optional>

#include "core/layout/fragment.h"

namespace tw::layout {

// The same registers of the same threads as a tile of `shape`, elements in the same row-major order. Empty where the numbers of elements
// differ, where `f` covers more than its shape, or where an axis of `shape` would begin within a digit that it does not divide.
[[nodiscard]] std::optional<Fragment> reshaped(const Fragment& f, const std::vector<std::int64_t>& shape);

}  // namespace tw::layout
