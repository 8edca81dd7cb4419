// Operands of an operation by the names that ops.def gives them.
#pragma once

#include <string_view>

#include "core/ir/expr.h"

namespace tw::ir {

// An absent optional operand is an empty expression, or missing at the end of the list.
[[nodiscard]] bool isAbsent(const Operand& operand);

// The operand called `name` in ops.def, or null if it is absent. TW_CHECK fails if the operation has no such operand.
[[nodiscard]] const Operand* findOperand(const OpCall& call, std::string_view name);
[[nodiscard]] const Region* regionOperand(const OpCall& call, std::string_view name);
[[nodiscard]] Expr exprOperand(const OpCall& call, std::string_view name);  // empty if absent

// Options, with the value that holds where the option is absent.
[[nodiscard]] bool boolAttr(const Attrs& attrs, const std::string& name, bool otherwise);
[[nodiscard]] std::int64_t intAttr(const Attrs& attrs, const std::string& name, std::int64_t otherwise);

// Whether every extent is the constant 1.
[[nodiscard]] bool isPoint(const Region& r);
// Whether the region is its whole buffer: mins 0, extents equal to the shape.
[[nodiscard]] bool isWhole(const Region& r);

}  // namespace tw::ir
