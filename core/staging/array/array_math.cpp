#include "core/staging/array/array_math.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/ir/visit.h"

namespace tw::staging {

using IrOp = ir::BinaryOp;
using ir::Expr;

namespace {

const ir::Binary* binaryOf(const Expr& e, IrOp op)
{
    const auto* node = ir::as<ir::Binary>(e);
    return node && node->op == op ? node : nullptr;
}

bool floatBinary(const Expr& a)
{
    return a->dtype.isFloating();
}

Expr halfThroughSingle(const Expr& a, const Expr& b, Expr (*op)(const Expr&, const Expr&))
{
    return convert(op(convert(a, ir::kFloat32), convert(b, ir::kFloat32)), a->dtype);
}

}  // namespace

// ---- facts ------------------------------------------------------------------------------------------------------------

std::optional<std::int64_t> Facts::largest(const Expr& e) const
{
    if (const auto* value = ir::asInt(e))
        return *value;
    if (const auto* var = ir::as<ir::VarNode>(e)) {
        const auto it = loops.find(var);
        if (it == loops.end())
            return std::nullopt;
        const auto end = largest(it->second.end);
        const auto begin = smallest(it->second.begin);
        if (!end || it->second.step <= 0)
            return it->second.step < 0 ? largest(it->second.begin) : std::nullopt;
        if (begin && ir::asInt(it->second.begin) && ir::asInt(it->second.end) && *end > *begin)
            return *begin + (*end - 1 - *begin) / it->second.step * it->second.step;
        return *end - 1;
    }
    const auto* node = ir::as<ir::Binary>(e);
    if (!node)
        return std::nullopt;
    const auto a = largest(node->a), b = largest(node->b);
    switch (node->op) {
    case IrOp::kAdd: return a && b ? std::optional(*a + *b) : std::nullopt;
    case IrOp::kSub: {
        const auto low = smallest(node->b);
        return a && low ? std::optional(*a - *low) : std::nullopt;
    }
    case IrOp::kMul: return a && b && isNonNegative(node->a) && isNonNegative(node->b) ? std::optional(*a * *b) : std::nullopt;
    case IrOp::kFloorDiv: return a && ir::asInt(node->b) && *b > 0 ? std::optional(*a / *b) : std::nullopt;
    case IrOp::kFloorMod: return ir::asInt(node->b) && *b > 0 ? std::optional(*b - 1) : std::nullopt;
    case IrOp::kMin: return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
    case IrOp::kMax: return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
    default: return std::nullopt;
    }
}

std::optional<std::int64_t> Facts::smallest(const Expr& e) const
{
    if (const auto* value = ir::asInt(e))
        return *value;
    if (const auto* var = ir::as<ir::VarNode>(e)) {
        const auto it = loops.find(var);
        if (it == loops.end())
            return std::nullopt;
        if (it->second.step > 0)
            return smallest(it->second.begin);
        const auto end = smallest(it->second.end);
        return end ? std::optional(*end + 1) : std::nullopt;
    }
    const auto* node = ir::as<ir::Binary>(e);
    if (!node)
        return std::nullopt;
    const auto a = smallest(node->a), b = smallest(node->b);
    switch (node->op) {
    case IrOp::kAdd: return a && b ? std::optional(*a + *b) : std::nullopt;
    case IrOp::kSub: {
        const auto high = largest(node->b);
        return a && high ? std::optional(*a - *high) : std::nullopt;
    }
    case IrOp::kMul: return a && b && *a >= 0 && *b >= 0 ? std::optional(*a * *b) : std::nullopt;
    case IrOp::kFloorDiv: return a && ir::asInt(node->b) && *b > 0 && *a >= 0 ? std::optional(*a / *b) : std::nullopt;
    case IrOp::kFloorMod: return ir::asInt(node->b) && *b > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    case IrOp::kMin: return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
    case IrOp::kMax: return a && b ? std::optional(std::max(*a, *b)) : a ? a : b;
    default: return std::nullopt;
    }
}

bool Facts::isNonNegative(const Expr& e) const
{
    if (const auto low = smallest(e); low && *low >= 0)
        return true;
    if (const auto* var = ir::as<ir::VarNode>(e)) {
        const auto it = loops.find(var);
        return it == loops.end() ? extents.contains(var) : it->second.step > 0 && isNonNegative(it->second.begin);
    }
    const auto* node = ir::as<ir::Binary>(e);
    if (!node)
        return false;
    switch (node->op) {
    case IrOp::kAdd: case IrOp::kMul: case IrOp::kFloorDiv: case IrOp::kMin:
        return isNonNegative(node->a) && isNonNegative(node->b);
    case IrOp::kMax: return isNonNegative(node->a) || isNonNegative(node->b);
    case IrOp::kFloorMod: return isNonNegative(node->b);
    case IrOp::kSub: return isAtMost(node->b, node->a);
    default: return false;
    }
}

bool Facts::isAtMost(const Expr& e, const Expr& bound) const
{
    if (sameExpr(e, bound))
        return true;
    const auto high = largest(e), low = smallest(bound);
    if (high && low && *high <= *low)
        return true;
    if (high && *high <= 0 && isNonNegative(bound))
        return true;
    if (const auto* var = ir::as<ir::VarNode>(e)) {
        const auto it = loops.find(var);
        if (it != loops.end() && it->second.step > 0 && isAtMost(it->second.end, bound))
            return true;
    }
    if (const auto* least = binaryOf(e, IrOp::kMin))
        return isAtMost(least->a, bound) || isAtMost(least->b, bound);
    if (const auto* most = binaryOf(e, IrOp::kMax))
        return isAtMost(most->a, bound) && isAtMost(most->b, bound);
    if (const auto* sum = binaryOf(bound, IrOp::kAdd))
        return (sameExpr(e, sum->a) && isNonNegative(sum->b)) || (sameExpr(e, sum->b) && isNonNegative(sum->a));
    if (const auto* less = binaryOf(e, IrOp::kSub))
        return isNonNegative(less->b) && isAtMost(less->a, bound);
    if (const auto* quotient = binaryOf(e, IrOp::kFloorDiv))
        return isNonNegative(quotient->a) && isAtMost(quotient->a, bound);
    if (const auto* least = binaryOf(bound, IrOp::kMin))
        return isAtMost(e, least->a) && isAtMost(e, least->b);
    return false;
}

// ---- expressions ------------------------------------------------------------------------------------------------------

bool sameExpr(const Expr& a, const Expr& b)
{
    return a == b || ir::equal(a, b);
}

Expr extentBetween(const Expr& upper, const Expr& lower)
{
    if (ir::isZero(lower))
        return upper;
    if (sameExpr(upper, lower))
        return ir::intImm(0, upper->dtype);
    if (const auto* sum = binaryOf(upper, IrOp::kAdd)) {
        if (sameExpr(sum->a, lower))
            return sum->b;
        if (sameExpr(sum->b, lower))
            return sum->a;
    }
    if (const auto* less = binaryOf(upper, IrOp::kMin))
        return ir::min(extentBetween(less->a, lower), extentBetween(less->b, lower));
    if (const auto* sum = binaryOf(lower, IrOp::kAdd); sum && binaryOf(upper, IrOp::kAdd)) {
        const auto* top = binaryOf(upper, IrOp::kAdd);
        if (sameExpr(sum->a, top->a))
            return extentBetween(top->b, sum->b);
    }
    return ir::sub(upper, lower);
}

std::string extentText(const Expr& e)
{
    return ir::print(e);
}

std::string arrayShapeText(const Exprs& shape)
{
    std::string out = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i ? ", " : "") + extentText(shape[i]);
    return out + (shape.size() == 1 ? ",)" : ")");
}

// ---- types ------------------------------------------------------------------------------------------------------------

bool isNarrowFloat(ir::DType type)
{
    return type.isFloating() && type.bits() < 32;
}

ir::DType accumulatorOf(ir::DType type)
{
    if (isNarrowFloat(type))
        return ir::kFloat32;
    return type.isBool() || (type.isInteger() && type.bits() < 32) ? ir::kInt32 : type;
}

static ir::DType strongCommon(ir::DType a, ir::DType b)
{
    if (a == b)
        return a;
    if (a.isBool() || b.isBool())
        return a.isBool() ? b : a;
    if (a.isFloating() != b.isFloating())
        return a.isFloating() ? a : b;
    if (a.bits() != b.bits()) {
        const ir::DType wide = a.bits() > b.bits() ? a : b, narrow = a.bits() > b.bits() ? b : a;
        // An unsigned type does not hold the narrower signed one.
        if (wide.isUnsigned() && narrow.isSigned())
            return wide.bits() == 8 ? *ir::parseDType("int16") : wide.bits() == 16 ? ir::kInt32 : ir::kInt64;
        return wide;
    }
    if (a.isFloating())
        return a.bits() == 8 ? *ir::parseDType("float16") : ir::kFloat32;
    return a.bits() == 8 ? *ir::parseDType("int16") : a.bits() == 16 ? ir::kInt32 : ir::kInt64;
}

ir::DType commonType(const ArrayValue& a, const ArrayValue& b)
{
    if (a.weak == b.weak)
        return strongCommon(a.dtype, b.dtype);
    const ir::DType strong = a.weak ? b.dtype : a.dtype, weak = a.weak ? a.dtype : b.dtype;
    if (strong.isFloating() || weak.isBool())
        return strong;
    if (weak.isFloating())
        return ir::kFloat32;
    return strong.isBool() ? weak : strong;
}

// ---- elements ---------------------------------------------------------------------------------------------------------

Expr convert(const Expr& e, ir::DType type)
{
    if (e->dtype == type)
        return e;
    if (type.isBool()) {
        const Expr zero = e->dtype.isFloating() ? ir::constant(e->dtype, 0.0) : ir::constant(e->dtype, std::int64_t{0});
        return ir::binary(IrOp::kNe, e, zero);
    }
    return ir::cast(type, e);
}

Expr mathCall(ir::OpId op, ir::DType type, std::vector<Expr> operands)
{
    ir::OpCall call;
    call.op = op;
    for (Expr& operand : operands)
        call.operands.emplace_back(std::move(operand));
    return ir::call(type, std::move(call));
}

Expr propagatingMax(const Expr& a, const Expr& b)
{
    if (!floatBinary(a))
        return ir::binary(IrOp::kMax, a, b);
    const Expr keep = ir::binary(IrOp::kOr, ir::binary(IrOp::kGt, a, b), ir::binary(IrOp::kNe, a, a));
    return ir::select(keep, a, b, false);
}

Expr propagatingMin(const Expr& a, const Expr& b)
{
    if (!floatBinary(a))
        return ir::binary(IrOp::kMin, a, b);
    const Expr keep = ir::binary(IrOp::kOr, ir::binary(IrOp::kLt, a, b), ir::binary(IrOp::kNe, a, a));
    return ir::select(keep, a, b, false);
}

// Python's remainder: the exact C remainder, moved to the divisor's sign.
Expr floorRemainder(const Expr& a, const Expr& b)
{
    if (!floatBinary(a))
        return ir::binary(IrOp::kFloorMod, a, b);
    if (isNarrowFloat(a->dtype))
        return halfThroughSingle(a, b, floorRemainder);
    const Expr zero = ir::constant(a->dtype, 0.0);
    const Expr rest = mathCall(ir::OpId::kFmod, a->dtype, {a, b});
    const Expr differs = ir::binary(IrOp::kNe, ir::binary(IrOp::kLt, rest, zero), ir::binary(IrOp::kLt, b, zero));
    const Expr moved = ir::select(differs, ir::binary(IrOp::kAdd, rest, b), rest, false);
    return ir::select(ir::binary(IrOp::kEq, rest, zero), mathCall(ir::OpId::kCopysign, a->dtype, {zero, b}), moved, false);
}

Expr floorDivide(const Expr& a, const Expr& b)
{
    if (!floatBinary(a))
        return ir::binary(IrOp::kFloorDiv, a, b);
    if (isNarrowFloat(a->dtype))
        return halfThroughSingle(a, b, floorDivide);
    // (a - a % b) / b is nearly whole; the nearest whole number is the quotient.
    const Expr quotient = ir::binary(IrOp::kDiv, ir::binary(IrOp::kSub, a, floorRemainder(a, b)), b);
    const Expr zero = ir::constant(a->dtype, 0.0);
    return ir::select(ir::binary(IrOp::kEq, b, zero), ir::binary(IrOp::kDiv, a, b),
                      mathCall(ir::OpId::kNearbyint, a->dtype, {quotient}), false);
}

}  // namespace tw::staging
