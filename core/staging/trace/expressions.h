// Values to typed expressions: constants, promotion (language.md c.4), operators (b.5) and conversions.
//
// Every function reports through the evaluator and unwinds when the values do not fit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/ir/build.h"
#include "core/staging/evaluator.h"

namespace tw::staging {

// Where a node made now comes from: the range and the tile operation that is being traced.
[[nodiscard]] ir::Provenance provenance(Evaluator& ev, const SourceRange& range);

// An element of an array of barriers: it names the barrier and has no value.
[[nodiscard]] bool isBarrierElement(const ir::Expr& e);

// A staging integer, a bool or an integer constant expression.
[[nodiscard]] std::optional<std::int64_t> constantInt(const Value& value);
// The same where one is required; `what` names it: "num_stages", "dim".
[[nodiscard]] std::int64_t requireInt(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what);
[[nodiscard]] bool requireBool(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what);
[[nodiscard]] std::string requireString(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what);
[[nodiscard]] ir::DType requireDType(Evaluator& ev, const Value& value, const SourceRange& range);
// A tuple, list or single value as a list.
[[nodiscard]] std::vector<Value> itemsOf(const Value& value);

// Reads a value: int -> int32 if it fits, else int64; float -> float32; bool; variables and elements are loaded; regions
// become vectors. `what` names the place in messages.
[[nodiscard]] ir::Expr toExpr(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what = {});
// The same, required to be an integer (an index, an extent).
[[nodiscard]] ir::Expr toIndex(Evaluator& ev, const Value& value, const SourceRange& range, std::string_view what);
// A condition: bool, or an integer compared with 0.
[[nodiscard]] ir::Expr toCondition(Evaluator& ev, const Value& value, const SourceRange& range);
// Converted to `type`: scalars are broadcast to its lanes.
[[nodiscard]] ir::Expr castTo(Evaluator& ev, ir::DType type, const ir::Expr& value, const SourceRange& range);
// A staging number as a constant of exactly `type`, an expression as a cast.
[[nodiscard]] ir::Expr toType(Evaluator& ev, ir::DType type, const Value& value, const SourceRange& range,
                              std::string_view what = {});
// An integer literal that `type` cannot hold is reported.
void checkLiteral(Evaluator& ev, ir::DType type, const Value& value, const SourceRange& range);

// Both operands in their common type; `op` is for the message.
[[nodiscard]] std::pair<ir::Expr, ir::Expr> promoted(Evaluator& ev, ir::Expr a, ir::Expr b, const SourceRange& range,
                                                     std::string_view op);
[[nodiscard]] ir::Expr binaryExpr(Evaluator& ev, ir::BinaryOp op, const ir::Expr& a, const ir::Expr& b,
                                  const SourceRange& range);
[[nodiscard]] ir::Expr selectExpr(Evaluator& ev, const ir::Expr& condition, const Value& then, const Value& otherwise,
                                  bool lazy, const SourceRange& range);

// Python's operators where at least one side is a device value.
[[nodiscard]] Value unaryOperator(Evaluator& ev, syntax::UnaryOp op, const Value& a, const SourceRange& range);
[[nodiscard]] Value binaryOperator(Evaluator& ev, syntax::BinaryOp op, const Value& a, const Value& b,
                                   const SourceRange& range);
[[nodiscard]] Value compareOperator(Evaluator& ev, syntax::CompareOp op, const Value& a, const Value& b,
                                    const SourceRange& range);

// The extent `upper - lower`, folded to a constant where the difference is one for every value of the variables.
[[nodiscard]] ir::Expr difference(const ir::Expr& upper, const ir::Expr& lower);
// Whether two index expressions are equal for every value of their variables (false: not known).
[[nodiscard]] bool provablyEqual(const ir::Expr& a, const ir::Expr& b);

// One element of each lane of a vector made from scalars.
[[nodiscard]] ir::Expr vectorOf(std::vector<ir::Expr> lanes, ir::Provenance where);

}  // namespace tw::staging
