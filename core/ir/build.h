// Constructors of expressions. They fold constants and trivial identities (x + 0, x * 1, select of a constant), so equal
// programs have equal trees. They never promote: operands have equal types already (core/staging does the language's
// promotions).
#pragma once

#include "core/ir/expr.h"

namespace tw::ir {

[[nodiscard]] Expr intImm(std::int64_t value, DType type = kInt32, Provenance where = {});
[[nodiscard]] Expr boolImm(bool value, Provenance where = {});
// Rounded to `type`.
[[nodiscard]] Expr floatImm(double value, DType type = kFloat32, Provenance where = {});
// A constant of any scalar type from an integer or a double.
[[nodiscard]] Expr constant(DType type, std::int64_t value, Provenance where = {});
[[nodiscard]] Expr constant(DType type, double value, Provenance where = {});

[[nodiscard]] Expr unary(UnaryOp op, Expr a, Provenance where = {});
// Folds; a constant division or remainder by zero is left unfolded.
[[nodiscard]] Expr binary(BinaryOp op, Expr a, Expr b, Provenance where = {});
[[nodiscard]] Expr select(Expr condition, Expr then, Expr otherwise, bool lazy, Provenance where = {});
[[nodiscard]] Expr cast(DType type, Expr value, Provenance where = {});
[[nodiscard]] Expr call(DType type, OpCall call, Provenance where = {});

// Index arithmetic: operands of different integer types are widened to the wider one first.
[[nodiscard]] Expr add(Expr a, Expr b);
[[nodiscard]] Expr sub(Expr a, Expr b);
[[nodiscard]] Expr mul(Expr a, Expr b);
[[nodiscard]] Expr floorDiv(Expr a, Expr b);
[[nodiscard]] Expr floorMod(Expr a, Expr b);
[[nodiscard]] Expr ceilDiv(Expr a, Expr b);
[[nodiscard]] Expr min(Expr a, Expr b);
[[nodiscard]] Expr max(Expr a, Expr b);
[[nodiscard]] Expr less(Expr a, Expr b);
[[nodiscard]] Expr logicalAnd(Expr a, Expr b);  // an empty operand is "true"

[[nodiscard]] bool isConstant(const Expr& e);
[[nodiscard]] bool isZero(const Expr& e);
[[nodiscard]] bool isOne(const Expr& e);

}  // namespace tw::ir
