// Arithmetic on layout maps: evaluation, composition, extents.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/expr.h"

namespace tw::staging {

// Fresh variables for `rank` coordinates, named i, j, k, …
[[nodiscard]] std::vector<ir::Var> layoutVars(std::size_t rank);
// The map with its coordinates (and copy number) replaced: exprs of `index` and `thread` at those places.
struct MappedLayout {
    std::vector<ir::Expr> index;
    ir::Expr thread;
};
[[nodiscard]] MappedLayout mapLayout(const ir::LayoutMap& map, const std::vector<ir::Expr>& at, const ir::Expr& copy);
// One more than the largest value of each physical coordinate and of the thread; empty where the map is too large to
// enumerate or uses more than integer arithmetic.
struct LayoutExtents {
    std::vector<std::int64_t> index;
    std::int64_t thread = 1;
};
[[nodiscard]] std::optional<LayoutExtents> layoutExtents(const ir::LayoutMap& map);
// For each physical point in row-major order of the extents, the linear logical index; empty where it is not a bijection.
[[nodiscard]] std::vector<std::int64_t> inverseTable(const ir::LayoutMap& map, const LayoutExtents& extents);

// The register of a fragment that says its threads only: the elements of a thread numbered in row-major order. Empty where
// the extents are no powers of two or the thread is not linear in the bits of the coordinates.
[[nodiscard]] ir::Expr inferredRegister(const ir::LayoutMap& map);

}  // namespace tw::staging
