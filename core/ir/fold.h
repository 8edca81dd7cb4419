// Values of operators on constants; private to core/ir.
#pragma once

#include "core/ir/expr.h"

namespace tw::ir {

// The folded constant of an operator on two constants of one scalar type, or empty where it must stay (division by zero,
// shifts beyond the width, comparisons of NaNs are folded as IEEE says).
[[nodiscard]] Expr foldBinary(BinaryOp op, const Expr& a, const Expr& b, Provenance where);
[[nodiscard]] Expr foldUnary(UnaryOp op, const Expr& a, Provenance where);
[[nodiscard]] Expr foldCast(DType type, const Expr& value, Provenance where);

}  // namespace tw::ir
