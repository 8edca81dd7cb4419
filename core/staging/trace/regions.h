// Indices, slices and the regions that tile operations work on (language.md b.4).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/staging/trace/expressions.h"

namespace tw::staging {

// "(64, 32)".
[[nodiscard]] std::string shapeText(const std::vector<ir::Expr>& shape);
[[nodiscard]] std::vector<ir::Expr> zeros(std::size_t rank);

// buffer[index]: an element (a Load, which tile operations take as an anchor) or, with slices, a region.
[[nodiscard]] Value subscriptBuffer(Evaluator& ev, const ir::Buffer& buffer, const Value& index, const SourceRange& range);
// The same as a region, with extent 1 for scalar indices.
[[nodiscard]] ir::Region regionOf(Evaluator& ev, const ir::Buffer& buffer, const Value& index, const SourceRange& range);

[[nodiscard]] ir::Expr loadElement(Evaluator& ev, const ir::Buffer& buffer, std::vector<ir::Expr> indices,
                                   const SourceRange& range);
[[nodiscard]] ir::Expr loadVariable(Evaluator& ev, const VarValue& variable, const SourceRange& range);
// One element, or a vector of all elements of the region in row-major order (its extents must be constants).
[[nodiscard]] ir::Expr loadRegion(Evaluator& ev, const ir::Region& region, const SourceRange& range);
// The indices of every element of a region in row-major order; empty if an extent is no constant or there are too many.
[[nodiscard]] std::vector<std::vector<ir::Expr>> elementsOf(const ir::Region& region);

// What a tile operation is given.
struct TileOperand {
    enum class Form { kBuffer, kRegion, kAnchor };
    ir::Region region;  // an anchor has extents 1
    Form form{};
};
// Empty if the value is no buffer, region, element or variable.
[[nodiscard]] std::optional<TileOperand> tileOperand(Evaluator& ev, const Value& value, const SourceRange& range);
[[nodiscard]] TileOperand requireTile(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what);

// Product of constant extents; empty where one is not constant.
[[nodiscard]] std::optional<std::int64_t> elementCount(const std::vector<ir::Expr>& shape);
[[nodiscard]] ir::Region wholeRegion(const ir::Buffer& buffer);
// Reports a buffer whose launch, loop or branch has ended.
void checkAlive(Evaluator& ev, const ir::Buffer& buffer, const SourceRange& range);

}  // namespace tw::staging
