// Extents, element types and elementwise operations of array values: pure functions on expressions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/ir/build.h"
#include "core/staging/array/array_value.h"

namespace tw::staging {

// What is known of loop variables: their first and last values where constant, and the bound they stay below.
struct LoopRange {
    ir::Expr begin, end;
    std::int64_t step = 1;
};
class Facts {
public:
    std::map<const ir::VarNode*, LoopRange> loops;
    std::map<const ir::VarNode*, ir::Expr> binds;   // values of names bound once
    std::set<const ir::VarNode*> extents;  // symbolic extents: never negative

    [[nodiscard]] bool isNonNegative(const ir::Expr& e) const;
    [[nodiscard]] bool isAtMost(const ir::Expr& e, const ir::Expr& bound) const;  // e <= bound, proved
    [[nodiscard]] std::optional<std::int64_t> largest(const ir::Expr& e) const;   // a constant that e does not exceed
    [[nodiscard]] std::optional<std::int64_t> smallest(const ir::Expr& e) const;
};

[[nodiscard]] bool sameExpr(const ir::Expr& a, const ir::Expr& b);
// upper - lower, simplified for the forms that slices have: i + 16 - i is 16.
[[nodiscard]] ir::Expr extentBetween(const ir::Expr& upper, const ir::Expr& lower);
[[nodiscard]] std::string extentText(const ir::Expr& e);
[[nodiscard]] std::string arrayShapeText(const Exprs& shape);  // "(64, n)"

// The common dtype of two operands (array.md: kinds as NumPy's, weak literals); empty where there is none.
[[nodiscard]] ir::DType commonType(const ArrayValue& a, const ArrayValue& b);
// The type in which sums of products of `type` accumulate.
[[nodiscard]] ir::DType accumulatorOf(ir::DType type);
[[nodiscard]] bool isNarrowFloat(ir::DType type);

// Elements of equal types `type`.
[[nodiscard]] ir::Expr convert(const ir::Expr& e, ir::DType type);
[[nodiscard]] ir::Expr mathCall(ir::OpId op, ir::DType type, std::vector<ir::Expr> operands);
[[nodiscard]] ir::Expr propagatingMax(const ir::Expr& a, const ir::Expr& b);  // NaN wins, as in NumPy
[[nodiscard]] ir::Expr propagatingMin(const ir::Expr& a, const ir::Expr& b);
[[nodiscard]] ir::Expr floorDivide(const ir::Expr& a, const ir::Expr& b);
[[nodiscard]] ir::Expr floorRemainder(const ir::Expr& a, const ir::Expr& b);

}  // namespace tw::staging
