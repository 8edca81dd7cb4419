// Element-wise functions (language.md d.11).
#include <cmath>

#include <fmt/format.h>

#include "core/ir/number.h"
#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;
using ir::OpId;
using IrOp = ir::BinaryOp;

namespace {

bool isStaging(const Value& v) { return v.get<Integer>() || v.get<double>() || v.get<bool>(); }

double asDouble(const Value& v)
{
    if (const auto* d = v.get<double>())
        return *d;
    return static_cast<double>(*constantInt(v));
}

// A staging number becomes float32 where the function is defined on floats only.
Expr floatOperand(const Native& n, const char* argument)
{
    const Value& v = n[argument];
    if (isStaging(v))
        return ir::floatImm(asDouble(v), ir::kFloat32, n.where());
    const Expr e = n.expr(argument);
    if (!e->dtype.isFloating())
        n.ev.fail(Code::kDtypeUnsupported, n.range(argument),
                  fmt::format("{} takes a floating type, but {} is {}; convert it with T.cast(x, T.float32)", n.name, ir::print(e), e->dtype.name()));
    return e;
}

Value makeCall(const Native& n, DType type, std::vector<ir::Operand> operands)
{
    return ir::call(type, {static_cast<OpId>(n.row.tag), std::move(operands), {}}, n.where());
}

Value float1(const Native& n)
{
    const Expr x = floatOperand(n, "x");
    return makeCall(n, x->dtype, {x});
}

Value test1(const Native& n)  // isnan, isinf, isfinite
{
    const Expr x = floatOperand(n, "x");
    return makeCall(n, ir::kBool.withLanes(x->dtype.lanes), {x});
}

Value absolute(const Native& n)
{
    const Value& v = n["x"];
    if (const auto* i = v.get<Integer>())
        return Value(*i < 0 ? -*i : *i);
    if (const auto* d = v.get<double>())
        return Value(std::abs(*d));
    const Expr x = n.expr("x");
    if (x->dtype.isUnsigned() || x->dtype.isBool())
        return x;
    return makeCall(n, x->dtype, {x});
}

Value bits1(const Native& n)  // popcount, clz, __ffs
{
    const Expr x = n.index("x");
    const bool keepsType = static_cast<OpId>(n.row.tag) == OpId::kPopcount || static_cast<OpId>(n.row.tag) == OpId::kClz;
    return makeCall(n, keepsType ? x->dtype : ir::kInt32, {x});
}

// floor, ceil, trunc, round, nearbyint: whole numbers stay what they are.
Value rounding(const Native& n)
{
    const Value& v = n["x"];
    if (v.get<Integer>())
        return v;
    if (const auto e = v.expr(); e && e->dtype.isInteger())
        return e;
    const Expr x = floatOperand(n, "x");
    ir::OpCall call{static_cast<OpId>(n.row.tag), {x}, {}};
    if (static_cast<OpId>(n.row.tag) == OpId::kRound && n.has("rounding_mode")) {
        const std::string mode = n.text("rounding_mode");
        if (mode != "ties-to-even" && mode != "ties-away-from-zero")
            n.ev.fail(Code::kOption, n.range("rounding_mode"), fmt::format("'{}' is no rounding mode; there are ties-to-even and ties-away-from-zero", mode));
        if (mode != "ties-to-even")
            addAttr(call, "rounding_mode", mode);
    }
    return ir::call(x->dtype, std::move(call), n.where());
}

Value float2(const Native& n)
{
    auto [x, y] = promoted(n.ev, floatOperand(n, "x"), floatOperand(n, "y"), n.range(), n.name);
    return makeCall(n, x->dtype, {x, y});
}

Value ldexp(const Native& n)
{
    const Expr x = floatOperand(n, "x");
    const Expr y = n.index("y");
    return makeCall(n, x->dtype, {x, y});
}

Value fma(const Native& n)
{
    auto [x, y] = promoted(n.ev, floatOperand(n, "x"), floatOperand(n, "y"), n.range(), n.name);
    auto [a, z] = promoted(n.ev, x, floatOperand(n, "z"), n.range(), n.name);
    return makeCall(n, a->dtype, {a, castTo(n.ev, a->dtype, y, n.range()), z});
}

// Repeated multiplication for staging whole exponents, else the float power.
Value power(const Native& n)
{
    const Value &a = n["x"], &b = n["y"];
    if (isStaging(a) && isStaging(b))
        return n.ev.binary(syntax::BinaryOp::kPow, a, b, n.range());
    const Expr x = n.expr("x");
    if (const auto* exponent = b.get<Integer>(); exponent && *exponent >= 0 && *exponent <= 64) {
        if (*exponent == 0)
            return toType(n.ev, x->dtype, Value(1), n.range());
        Expr result = x;
        for (Integer i = 1; i < *exponent; ++i)
            result = ir::binary(IrOp::kMul, result, x, n.where());
        return result;
    }
    auto [base, exponent] = promoted(n.ev, floatOperand(n, "x"), toType(n.ev, floatOperand(n, "x")->dtype, b, n.range("y")), n.range(), n.name);
    return makeCall(n, base->dtype, {base, exponent});
}

// ---- integers and comparisons ----

Value minMax(const Native& n)
{
    const Value &a = n["x"], &b = n["y"];
    const bool isMin = n.row.tag == static_cast<int>(IrOp::kMin);
    if (isStaging(a) && isStaging(b)) {
        const bool firstSmaller = asDouble(a) <= asDouble(b);
        return firstSmaller == isMin ? a : b;
    }
    return binaryExpr(n.ev, static_cast<IrOp>(n.row.tag), n.expr("x"), n.expr("y"), n.range());
}

Integer floorDivide(Integer a, Integer b)
{
    const Integer q = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

// The row's tag is the IR operator; staging integers stay staging integers.
Value divide(const Native& n)
{
    const auto op = static_cast<IrOp>(n.row.tag);
    const auto *a = n["x"].get<Integer>(), *b = n["y"].get<Integer>();
    if (!a || !b)
        return binaryExpr(n.ev, op, n.expr("x"), n.expr("y"), n.range());
    if (*b == 0)
        n.fail(Code::kValueRange, fmt::format("division by zero in {}", n.name));
    switch (op) {
    case IrOp::kFloorDiv: return Value(floorDivide(*a, *b));
    case IrOp::kFloorMod: return Value(*a - floorDivide(*a, *b) * *b);
    case IrOp::kTruncDiv: return Value(*a / *b);
    default: return Value(*a % *b);
    }
}

Value ceilDivide(const Native& n)
{
    const auto *a = n["x"].get<Integer>(), *b = n["y"].get<Integer>();
    if (a && b) {
        if (*b == 0)
            n.fail(Code::kValueRange, fmt::format("division by zero in {}", n.name));
        return Value(-floorDivide(-*a, *b));
    }
    Expr x = n.index("x"), y = n.index("y");
    if (ir::isZero(y))
        n.fail(Code::kValueRange, fmt::format("division by zero in {}", n.name));
    if (x->dtype != y->dtype) {
        auto [p, q] = promoted(n.ev, x, y, n.range(), n.name);
        x = p;
        y = q;
    }
    return ir::ceilDiv(x, y);
}

Value alignUp(const Native& n)
{
    const Value blocks = ceilDivide(n);
    return n.ev.binary(syntax::BinaryOp::kMul, blocks, n["y"], n.range());
}

Value bitwise(const Native& n)
{
    return n.ev.binary(static_cast<syntax::BinaryOp>(n.row.tag), n["x"], n["y"], n.range());
}

Value clamp(const Native& n)
{
    const Expr x = n.expr("x");
    const Expr lowest = binaryExpr(n.ev, IrOp::kMax, x, n.expr("min_val"), n.range());
    return binaryExpr(n.ev, IrOp::kMin, lowest, n.expr("max_val"), n.range());
}

// ---- selection ----

Value ifThenElse(const Native& n)
{
    const Value& condition = n["cond"];
    const bool isLazy = n.row.tag != 0;
    if (const auto* known = condition.get<bool>())
        return *known ? n["t"] : n["f"];
    const Expr c = n.expr("cond");
    if (!c->dtype.isBool())
        n.ev.fail(Code::kTypeMismatch, n.range("cond"),
                  fmt::format("the condition of {} must be a bool, but {} is {}; compare it, for example with != 0", n.name, ir::print(c), c->dtype.name()));
    if (const auto* known = ir::asInt(c))
        return *known != 0 ? n["t"] : n["f"];
    return selectExpr(n.ev, c, n["t"], n["f"], isLazy, n.range());
}

// ---- limits ----

Value infinity(const Native& n)
{
    const DType type = requireDType(n.ev, n["dtype"], n.range("dtype"));
    if (!type.isFloating() || !ir::hasInfinity(type))
        n.ev.fail(Code::kDtypeUnsupported, n.range("dtype"), fmt::format("{} has no infinity; use T.max_value", type.name()));
    return ir::floatImm(INFINITY, type, n.where());
}

Value limit(const Native& n)
{
    const DType type = requireDType(n.ev, n["dtype"], n.range("dtype"));
    const bool isMax = n.row.tag != 0;
    if (type.isBool())
        return ir::boolImm(isMax, n.where());
    if (type.isInteger())
        return ir::intImm(isMax ? static_cast<std::int64_t>(ir::largestInt(type)) : ir::smallestInt(type), type, n.where());
    if (!type.isFloating())
        n.ev.fail(Code::kDtypeUnsupported, n.range("dtype"), fmt::format("{} has no limits", type.name()));
    const double largest = ir::largestFinite(type);
    return ir::floatImm(isMax ? largest : -largest, type, n.where());
}

// ---- rounding-controlled and packed ----

Value ieee(const Native& n)
{
    std::vector<ir::Operand> operands;
    DType type;
    for (const char* name : {"x", "y", "z"})
        if (n.args.has(name)) {
            const Expr e = floatOperand(n, name);
            type = e->dtype;
            operands.emplace_back(e);
        }
    ir::OpCall call{static_cast<OpId>(n.row.tag), std::move(operands), {}};
    const std::string mode = n.args.has("rounding_mode") ? n.text("rounding_mode", "rn") : "rn";
    if (mode != "rn" && mode != "rz" && mode != "ru" && mode != "rd")
        n.ev.fail(Code::kOption, n.range("rounding_mode"), fmt::format("'{}' is no rounding mode; there are rn, rz, ru and rd", mode));
    if (mode != "rn")
        addAttr(call, "rounding_mode", mode);
    return ir::call(type, std::move(call), n.where());
}

Value packed(const Native& n)
{
    std::vector<ir::Operand> operands;
    DType type;
    for (const char* name : {"x", "y", "z"})
        if (n.args.has(name)) {
            const Expr e = n.expr(name);
            if (!operands.empty() && e->dtype != type)
                n.fail(Code::kDtypeMismatch, fmt::format("the operands of {} must have one type, but they are {} and {}", n.name, type.name(), e->dtype.name()));
            type = e->dtype;
            if (type.lanes != 2 || !type.isFloating())
                n.ev.fail(Code::kDtypeMismatch, n.range(name), fmt::format("{} takes vectors of two floats such as float32x2, not {}", n.name, type.name()));
            operands.emplace_back(e);
        }
    return makeCall(n, type, std::move(operands));
}

Value likely(const Native& n)
{
    const Expr c = toCondition(n.ev, n["cond"], n.range("cond"));
    return ir::isConstant(c) ? Value(c) : makeCall(n, ir::kBool, {c});
}

constexpr NativeRow kMathRows[] = {
    {"exp", "x", float1, op(OpId::kExp)}, {"exp2", "x", float1, op(OpId::kExp2)}, {"exp10", "x", float1, op(OpId::kExp10)},
    {"log", "x", float1, op(OpId::kLog)}, {"log2", "x", float1, op(OpId::kLog2)}, {"log10", "x", float1, op(OpId::kLog10)},
    {"log1p", "x", float1, op(OpId::kLog1p)}, {"sqrt", "x", float1, op(OpId::kSqrt)}, {"rsqrt", "x", float1, op(OpId::kRsqrt)},
    {"sin", "x", float1, op(OpId::kSin)}, {"cos", "x", float1, op(OpId::kCos)}, {"tan", "x", float1, op(OpId::kTan)},
    {"asin", "x", float1, op(OpId::kAsin)}, {"acos", "x", float1, op(OpId::kAcos)}, {"atan", "x", float1, op(OpId::kAtan)},
    {"sinh", "x", float1, op(OpId::kSinh)}, {"cosh", "x", float1, op(OpId::kCosh)}, {"tanh", "x", float1, op(OpId::kTanh)},
    {"asinh", "x", float1, op(OpId::kAsinh)}, {"acosh", "x", float1, op(OpId::kAcosh)}, {"atanh", "x", float1, op(OpId::kAtanh)},
    {"erf", "x", float1, op(OpId::kErf)}, {"sigmoid", "x", float1, op(OpId::kSigmoid)},
    {"floor", "x", rounding, op(OpId::kFloor)}, {"ceil", "x", rounding, op(OpId::kCeil)}, {"trunc", "x", rounding, op(OpId::kTrunc)},
    {"nearbyint", "x", rounding, op(OpId::kNearbyint)}, {"round", "x, rounding_mode=None", rounding, op(OpId::kRound)},
    {"abs", "x", absolute, op(OpId::kAbs)}, {"fabs", "x", absolute, op(OpId::kAbs)},
    {"isnan", "x", test1, op(OpId::kIsNan)}, {"isinf", "x", test1, op(OpId::kIsInf)}, {"isfinite", "x", test1, op(OpId::kIsFinite)},
    {"popcount", "x", bits1, op(OpId::kPopcount)}, {"clz", "x", bits1, op(OpId::kClz)}, {"__ffs", "x", bits1, op(OpId::kFfs)},
    {"__fns", "mask, base, offset", [](const Native& n) { return makeCall(n, ir::kInt32, {n.index("mask"), n.index("base"), n.index("offset")}); }, op(OpId::kFns)},
    {"pow", "x, y", power, op(OpId::kPow)}, {"fmod", "x, y", float2, op(OpId::kFmod)}, {"atan2", "x, y", float2, op(OpId::kAtan2)},
    {"hypot", "x, y", float2, op(OpId::kHypot)}, {"copysign", "x, y", float2, op(OpId::kCopysign)},
    {"nextafter", "x, y", float2, op(OpId::kNextafter)}, {"ldexp", "x, y", ldexp, op(OpId::kLdexp)},
    {"fma", "x, y, z", fma, op(OpId::kFma)},
    {"fmul", "x, y", [](const Native& n) { return Value(binaryExpr(n.ev, IrOp::kMul, n.expr("x"), n.expr("y"), n.range())); }},
    {"__exp", "x", float1, op(OpId::kFastExp)}, {"__exp10", "x", float1, op(OpId::kFastExp10)}, {"__log", "x", float1, op(OpId::kFastLog)},
    {"__log2", "x", float1, op(OpId::kFastLog2)}, {"__log10", "x", float1, op(OpId::kFastLog10)}, {"__sin", "x", float1, op(OpId::kFastSin)},
    {"__cos", "x", float1, op(OpId::kFastCos)}, {"__tan", "x", float1, op(OpId::kFastTan)}, {"fast_rcp", "x", float1, op(OpId::kFastRcp)},
    {"ieee_add", "x, y, rounding_mode='rn'", ieee, op(OpId::kIeeeAdd)}, {"ieee_sub", "x, y, rounding_mode='rn'", ieee, op(OpId::kIeeeSub)},
    {"ieee_mul", "x, y, rounding_mode='rn'", ieee, op(OpId::kIeeeMul)}, {"ieee_fdiv", "x, y, rounding_mode='rn'", ieee, op(OpId::kIeeeDiv)},
    {"ieee_fmaf", "x, y, z, rounding_mode='rn'", ieee, op(OpId::kIeeeFma)}, {"ieee_frcp", "x, rounding_mode='rn'", ieee, op(OpId::kIeeeRcp)},
    {"ieee_fsqrt", "x, rounding_mode='rn'", ieee, op(OpId::kIeeeSqrt)}, {"ieee_frsqrt", "x", ieee, op(OpId::kIeeeRsqrt)},
    {"add2", "x, y", packed, op(OpId::kAdd2)}, {"sub2", "x, y", packed, op(OpId::kSub2)}, {"mul2", "x, y", packed, op(OpId::kMul2)},
    {"fma2", "x, y, z", packed, op(OpId::kFma2)}, {"max2", "x, y", packed, op(OpId::kMax2)}, {"min2", "x, y", packed, op(OpId::kMin2)},
    {"abs2", "x", packed, op(OpId::kAbs2)},
    {"max", "x, y", minMax, op(IrOp::kMax)}, {"min", "x, y", minMax, op(IrOp::kMin)},
    {"floordiv", "x, y", divide, op(IrOp::kFloorDiv)}, {"floormod", "x, y", divide, op(IrOp::kFloorMod)},
    {"truncdiv", "x, y", divide, op(IrOp::kTruncDiv)}, {"truncmod", "x, y", divide, op(IrOp::kTruncMod)},
    {"indexdiv", "x, y", divide, op(IrOp::kFloorDiv)}, {"indexmod", "x, y", divide, op(IrOp::kFloorMod)},
    {"div", "x, y", divide, op(IrOp::kDiv)},
    {"ceildiv", "x, y", ceilDivide}, {"cdiv", "x, y", ceilDivide}, {"align_up", "x, y", alignUp},
    {"shift_left", "x, y", bitwise, op(syntax::BinaryOp::kShl)}, {"shift_right", "x, y", bitwise, op(syntax::BinaryOp::kShr)},
    {"bitwise_and", "x, y", bitwise, op(syntax::BinaryOp::kBitAnd)}, {"bitwise_or", "x, y", bitwise, op(syntax::BinaryOp::kBitOr)},
    {"bitwise_xor", "x, y", bitwise, op(syntax::BinaryOp::kBitXor)},
    {"bitwise_not", "x", [](const Native& n) { return unaryOperator(n.ev, syntax::UnaryOp::kInvert, n["x"], n.range()); }},
    {"clamp", "x, min_val, max_val", clamp},
    {"if_then_else", "cond, t, f", ifThenElse, 1}, {"Select", "cond, t, f", ifThenElse, 0},
    {"infinity", "dtype", infinity}, {"min_value", "dtype", limit, 0}, {"max_value", "dtype", limit, 1},
    {"undef", "", [](const Native& n) { return makeCall(n, ir::kInt32, {}); }, op(OpId::kUndef)},
    {"likely", "cond", likely, op(OpId::kLikely)},
};

}  // namespace

Rows mathRows() { return kMathRows; }

}  // namespace tw::staging
