#include "core/ir/build.h"

#include <algorithm>

#include "core/ir/fold.h"
#include "core/ir/number.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::ir {

namespace {

bool isComparison(BinaryOp op)
{
    return op >= BinaryOp::kEq;
}

// Whether leaving the expression out changes nothing but its value: no operation with an effect of its own.
bool isPure(const Expr& e)
{
    switch (e->kind) {
    case ExprKind::kCall: return false;
    case ExprKind::kUnary: return isPure(as<Unary>(e)->a);
    case ExprKind::kBinary: return isPure(as<Binary>(e)->a) && isPure(as<Binary>(e)->b);
    case ExprKind::kCast: return isPure(as<Cast>(e)->value);
    case ExprKind::kSelect: {
        const auto* select = as<Select>(e);
        return isPure(select->condition) && isPure(select->then) && isPure(select->otherwise);
    }
    case ExprKind::kLoad: return std::ranges::all_of(as<Load>(e)->indices, isPure);
    default: return true;
    }
}

// x + 0, x * 1, … of integers and bools. Empty: no identity fits.
Expr integerIdentity(BinaryOp op, const Expr& a, const Expr& b)
{
    const bool leftZero = isZero(a), rightZero = isZero(b), leftOne = isOne(a), rightOne = isOne(b);
    switch (op) {
    case BinaryOp::kAdd: return rightZero ? a : leftZero ? b : Expr{};
    case BinaryOp::kSub: return rightZero ? a : Expr{};
    case BinaryOp::kMul:
        if (rightOne || (leftZero && isPure(b)))
            return a;
        return (leftOne || (rightZero && isPure(a))) ? b : Expr{};
    case BinaryOp::kFloorDiv:
    case BinaryOp::kTruncDiv: return rightOne ? a : Expr{};
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncMod: return rightOne && isPure(a) ? intImm(0, a->dtype, a->where) : Expr{};
    case BinaryOp::kShl:
    case BinaryOp::kShr: return rightZero ? a : Expr{};
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor: return rightZero ? a : leftZero ? b : Expr{};
    case BinaryOp::kMin:
    case BinaryOp::kMax: return a == b ? a : Expr{};
    case BinaryOp::kAnd:
        if (const auto* x = asInt(a))
            return *x ? b : a;
        if (const auto* y = asInt(b))
            return *y ? a : isPure(a) ? b : Expr{};
        return {};
    case BinaryOp::kOr:
        if (const auto* x = asInt(a))
            return *x ? a : b;
        if (const auto* y = asInt(b))
            return *y ? (isPure(a) ? b : Expr{}) : a;
        return {};
    default: return {};
    }
}

// Whether one of the parts of a chain of conjunctions is `part`.
bool hasConjunct(const Expr& chain, const Expr& part)
{
    const auto* b = as<Binary>(chain);
    return b && b->op == BinaryOp::kAnd ? hasConjunct(b->a, part) || hasConjunct(b->b, part) : equal(chain, part);
}

// Only what keeps every value, signed zeros and NaNs included.
Expr floatIdentity(BinaryOp op, const Expr& a, const Expr& b)
{
    if (op == BinaryOp::kMul)
        return isOne(b) ? a : isOne(a) ? b : Expr{};
    return op == BinaryOp::kDiv && isOne(b) ? a : Expr{};
}

DType commonIndexType(DType a, DType b)
{
    const auto type = promote(a, b);
    TW_CHECK(type, "index arithmetic on integers");
    return *type;
}

Expr indexBinary(BinaryOp op, Expr a, Expr b)
{
    if (a->dtype != b->dtype) {
        const DType type = commonIndexType(a->dtype, b->dtype);
        a = cast(type, std::move(a));
        b = cast(type, std::move(b));
    }
    return binary(op, std::move(a), std::move(b));
}

}  // namespace

Expr intImm(std::int64_t value, DType type, Provenance where)
{
    return std::make_shared<IntImm>(type, wrapInt(type, value), where);
}

Expr boolImm(bool value, Provenance where)
{
    return std::make_shared<IntImm>(kBool, value ? 1 : 0, where);
}

Expr floatImm(double value, DType type, Provenance where)
{
    return std::make_shared<FloatImm>(type, roundTo(type, value), where);
}

Expr constant(DType type, std::int64_t value, Provenance where)
{
    if (type.lanes != 1)
        return std::make_shared<Broadcast>(constant(type.element(), value, where), type.lanes, where);
    if (type.isFloating())
        return floatImm(intToFloat(kInt64, type, value), type, where);
    return intImm(value, type, where);
}

Expr constant(DType type, double value, Provenance where)
{
    if (type.lanes != 1)
        return std::make_shared<Broadcast>(constant(type.element(), value, where), type.lanes, where);
    if (type.isFloating())
        return floatImm(value, type, where);
    return intImm(floatToInt(type, value), type, where);
}

Expr unary(UnaryOp op, Expr a, Provenance where)
{
    if (Expr folded = foldUnary(op, a, where))
        return folded;
    if (const auto* inner = as<Unary>(a); inner && inner->op == op)
        return inner->a;
    const DType type = op == UnaryOp::kNot ? kBool.withLanes(a->dtype.lanes) : a->dtype;
    return std::make_shared<Unary>(type, op, std::move(a), where);
}

Expr binary(BinaryOp op, Expr a, Expr b, Provenance where)
{
    TW_CHECK(a->dtype == b->dtype, "operands of a binary expression have one type: " + a->dtype.name() + ", " + b->dtype.name());
    if (Expr folded = foldBinary(op, a, b, where))
        return folded;
    if (Expr same = a->dtype.isFloating() ? floatIdentity(op, a, b) : integerIdentity(op, a, b))
        return same;
    const DType type = isComparison(op) ? kBool.withLanes(a->dtype.lanes) : a->dtype;
    return std::make_shared<Binary>(type, op, std::move(a), std::move(b), where);
}

Expr select(Expr condition, Expr then, Expr otherwise, bool lazy, Provenance where)
{
    TW_CHECK(then->dtype == otherwise->dtype, "the arms of a select have one type");
    if (const auto* known = asInt(condition))
        return *known ? then : otherwise;
    return std::make_shared<Select>(std::move(condition), std::move(then), std::move(otherwise), lazy, where);
}

Expr cast(DType type, Expr value, Provenance where)
{
    if (value->dtype == type)
        return value;
    if (Expr folded = foldCast(type, value, where))
        return folded;
    if (type.lanes != 1 && value->dtype.lanes == 1)
        return std::make_shared<Broadcast>(cast(type.element(), std::move(value), where), type.lanes, where);
    if (const auto* broadcast = as<Broadcast>(value); broadcast && broadcast->dtype.lanes == type.lanes)
        return std::make_shared<Broadcast>(cast(type.element(), broadcast->value, where), type.lanes, where);
    return std::make_shared<Cast>(type, std::move(value), where);
}

Expr call(DType type, OpCall call, Provenance where)
{
    return std::make_shared<Call>(type, std::move(call), where);
}

Expr add(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kAdd, std::move(a), std::move(b));
}

Expr sub(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kSub, std::move(a), std::move(b));
}

Expr mul(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kMul, std::move(a), std::move(b));
}

Expr floorDiv(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kFloorDiv, std::move(a), std::move(b));
}

Expr floorMod(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kFloorMod, std::move(a), std::move(b));
}

Expr ceilDiv(Expr a, Expr b)
{
    const Expr one = intImm(1, b->dtype);
    return floorDiv(add(std::move(a), sub(b, one)), b);
}

Expr min(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kMin, std::move(a), std::move(b));
}

Expr max(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kMax, std::move(a), std::move(b));
}

Expr less(Expr a, Expr b)
{
    return indexBinary(BinaryOp::kLt, std::move(a), std::move(b));
}

// What `a` says already is not said again.
Expr logicalAnd(Expr a, Expr b)
{
    if (!a || !b)
        return a ? a : b;
    if (const auto* more = as<Binary>(b); more && more->op == BinaryOp::kAnd)
        return logicalAnd(logicalAnd(std::move(a), more->a), more->b);
    if (isPure(b) && hasConjunct(a, b))
        return a;
    return binary(BinaryOp::kAnd, std::move(a), std::move(b));
}

bool isConstant(const Expr& e)
{
    return e && (e->kind == ExprKind::kIntImm || e->kind == ExprKind::kFloatImm);
}

bool isZero(const Expr& e)
{
    if (const auto* value = asInt(e))
        return *value == 0;
    const auto* f = as<FloatImm>(e);
    return f && f->value == 0;
}

bool isOne(const Expr& e)
{
    if (const auto* value = asInt(e))
        return *value == 1;
    const auto* f = as<FloatImm>(e);
    return f && f->value == 1;
}

}  // namespace tw::ir
