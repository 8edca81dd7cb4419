#include "core/ir/fold.h"

#include <algorithm>
#include <cmath>

#include "core/ir/build.h"
#include "core/ir/number.h"
#include "core/support/floor_division.h"

namespace tw::ir {

namespace {

using I = std::int64_t;
using U = std::uint64_t;

std::optional<I> divide(BinaryOp op, DType type, I a, I b)
{
    if (b == 0)
        return {};
    const bool wantsQuotient = op == BinaryOp::kFloorDiv || op == BinaryOp::kTruncDiv;
    if (type.isUnsigned())
        return static_cast<I>(wantsQuotient ? static_cast<U>(a) / static_cast<U>(b) : static_cast<U>(a) % static_cast<U>(b));
    switch (op) {
    case BinaryOp::kFloorDiv: return floorDivide(a, b);
    case BinaryOp::kFloorMod: return floorRemainder(a, b);
    case BinaryOp::kTruncDiv: return b == -1 ? floorDivide(a, b) : a / b;
    default: return b == -1 ? 0 : a % b;
    }
}

std::optional<I> shift(BinaryOp op, DType type, I a, I b)
{
    if (b < 0 || b >= type.bits())
        return {};
    if (op == BinaryOp::kShl)
        return static_cast<I>(static_cast<U>(a) << b);
    return type.isUnsigned() ? static_cast<I>(static_cast<U>(a) >> b) : a >> b;
}

std::optional<I> arithmetic(BinaryOp op, DType type, I a, I b)
{
    const auto wrap = [](U x) { return static_cast<I>(x); };
    const bool isLess = type.isUnsigned() ? static_cast<U>(a) < static_cast<U>(b) : a < b;
    switch (op) {
    case BinaryOp::kAdd: return wrap(static_cast<U>(a) + static_cast<U>(b));
    case BinaryOp::kSub: return wrap(static_cast<U>(a) - static_cast<U>(b));
    case BinaryOp::kMul: return wrap(static_cast<U>(a) * static_cast<U>(b));
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod: return divide(op, type, a, b);
    case BinaryOp::kMin: return isLess ? a : b;
    case BinaryOp::kMax: return isLess ? b : a;
    case BinaryOp::kShl:
    case BinaryOp::kShr: return shift(op, type, a, b);
    case BinaryOp::kBitAnd:
    case BinaryOp::kAnd: return a & b;
    case BinaryOp::kBitOr:
    case BinaryOp::kOr: return a | b;
    case BinaryOp::kBitXor: return a ^ b;
    default: return {};
    }
}

std::optional<double> arithmetic(BinaryOp op, double a, double b)
{
    switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSub: return a - b;
    case BinaryOp::kMul: return a * b;
    case BinaryOp::kDiv: return b == 0 ? std::optional<double>{} : a / b;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
        if (std::isnan(a) || std::isnan(b))
            return {};
        return op == BinaryOp::kMin ? std::min(a, b) : std::max(a, b);
    default: return {};
    }
}

template <class T>
std::optional<bool> compare(BinaryOp op, T a, T b)
{
    switch (op) {
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kGt: return a > b;
    case BinaryOp::kGe: return a >= b;
    default: return {};
    }
}

}  // namespace

Expr foldBinary(BinaryOp op, const Expr& a, const Expr& b, Provenance where)
{
    const DType type = a->dtype;
    if (type.lanes != 1)
        return {};
    const I* x = asInt(a);
    const I* y = asInt(b);
    if (x && y) {
        const auto truth = type.isUnsigned() ? compare(op, static_cast<U>(*x), static_cast<U>(*y)) : compare(op, *x, *y);
        if (truth)
            return boolImm(*truth, where);
        const auto value = arithmetic(op, type, *x, *y);
        return value ? intImm(*value, type, where) : Expr{};
    }
    const auto* p = as<FloatImm>(a);
    const auto* q = as<FloatImm>(b);
    if (p && q) {
        if (const auto truth = compare(op, p->value, q->value))
            return boolImm(*truth, where);
        const auto value = arithmetic(op, p->value, q->value);
        return value ? floatImm(*value, type, where) : Expr{};
    }
    return {};
}

Expr foldUnary(UnaryOp op, const Expr& a, Provenance where)
{
    if (a->dtype.lanes != 1)
        return {};
    if (const I* x = asInt(a)) {
        switch (op) {
        case UnaryOp::kNegate: return intImm(static_cast<I>(0 - static_cast<U>(*x)), a->dtype, where);
        case UnaryOp::kNot: return boolImm(*x == 0, where);
        case UnaryOp::kInvert: return a->dtype.isBool() ? boolImm(*x == 0, where) : intImm(~*x, a->dtype, where);
        }
    }
    const auto* f = as<FloatImm>(a);
    return f && op == UnaryOp::kNegate ? floatImm(-f->value, a->dtype, where) : Expr{};
}

Expr foldCast(DType type, const Expr& value, Provenance where)
{
    if (type.lanes != 1 || value->dtype.lanes != 1)
        return {};
    const bool toInt = type.isInteger() || type.isBool();
    if (const I* x = asInt(value)) {
        if (toInt)
            return intImm(*x, type, where);
        return type.isFloating() ? floatImm(intToFloat(value->dtype, type, *x), type, where) : Expr{};
    }
    const auto* f = as<FloatImm>(value);
    if (!f)
        return {};
    if (toInt)
        return intImm(floatToInt(type, f->value), type, where);
    return type.isFloating() ? floatImm(f->value, type, where) : Expr{};
}

}  // namespace tw::ir
