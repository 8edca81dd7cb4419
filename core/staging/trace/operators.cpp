// Python's operators on device values (language.md b.5).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/ir/visit.h"
#include "core/staging/trace/expressions.h"
#include "core/staging/trace/regions.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;
using IrOp = ir::BinaryOp;
using PyOp = syntax::BinaryOp;

namespace {

struct OperatorName {
    PyOp op;
    const char* text;
    IrOp ir;
};
constexpr OperatorName kOperators[] = {
    {PyOp::kAdd, "+", IrOp::kAdd},         {PyOp::kSub, "-", IrOp::kSub},          {PyOp::kMul, "*", IrOp::kMul},
    {PyOp::kDiv, "/", IrOp::kDiv},         {PyOp::kFloorDiv, "//", IrOp::kFloorDiv}, {PyOp::kMod, "%", IrOp::kFloorMod},
    {PyOp::kShl, "<<", IrOp::kShl},        {PyOp::kShr, ">>", IrOp::kShr},         {PyOp::kBitAnd, "&", IrOp::kBitAnd},
    {PyOp::kBitOr, "|", IrOp::kBitOr},     {PyOp::kBitXor, "^", IrOp::kBitXor},
};

const OperatorName* findOperator(PyOp op)
{
    for (const auto& o : kOperators)
        if (o.op == op)
            return &o;
    return nullptr;
}

std::string_view textOf(IrOp op)
{
    for (const auto& o : kOperators)
        if (o.ir == op)
            return o.text;
    switch (op) {
    case IrOp::kMin: return "T.min";
    case IrOp::kMax: return "T.max";
    case IrOp::kTruncDiv: return "T.truncdiv";
    case IrOp::kTruncMod: return "T.truncmod";
    case IrOp::kEq: return "==";
    case IrOp::kNe: return "!=";
    case IrOp::kLt: return "<";
    case IrOp::kLe: return "<=";
    case IrOp::kGt: return ">";
    case IrOp::kGe: return ">=";
    case IrOp::kAnd: return "and";
    case IrOp::kOr: return "or";
    default: return "an operation";
    }
}

// Bools take part in arithmetic as int32.
Expr arithmeticOperand(const Expr& e)
{
    return e->dtype.isBool() ? ir::cast(ir::kInt32.withLanes(e->dtype.lanes), e, e->where) : e;
}

void checkDivisor(Evaluator& ev, const Expr& b, std::string_view text, const SourceRange& range)
{
    if (b->dtype.isInteger() && ir::isZero(b))
        ev.fail(Code::kValueRange, range, fmt::format("division by zero: the right side of {} is 0", text));
}

void checkShift(Evaluator& ev, const Expr& a, const Expr& b, std::string_view text, const SourceRange& range)
{
    const auto* amount = ir::asInt(b);
    if (amount && (*amount < 0 || *amount >= a->dtype.bits()))
        ev.fail(Code::kValueRange, range,
                fmt::format("a shift by {} is outside of 0 to {} for {} ({})", *amount, a->dtype.bits() - 1, a->dtype.name(), text));
}

// Floor division and modulo of floats: a - floor(a / b) * b.
Expr floatFloor(Evaluator& ev, IrOp op, const Expr& a, const Expr& b, const SourceRange& range)
{
    const auto where = provenance(ev, range);
    ir::OpCall floor{ir::OpId::kFloor, {ir::binary(IrOp::kDiv, a, b, where)}, {}};
    Expr quotient = ir::call(a->dtype, std::move(floor), where);
    if (op == IrOp::kFloorDiv)
        return quotient;
    return ir::binary(IrOp::kSub, a, ir::binary(IrOp::kMul, quotient, b, where), where);
}

bool isBitwise(IrOp op)
{
    return op == IrOp::kBitAnd || op == IrOp::kBitOr || op == IrOp::kBitXor || op == IrOp::kShl || op == IrOp::kShr;
}

[[noreturn]] void failBitwise(Evaluator& ev, const Expr& e, std::string_view text, const SourceRange& range)
{
    ev.fail(Code::kDtypeUnsupported, range,
            fmt::format("{} needs integers, but {} has type {}", text, ir::print(e), e->dtype.name()));
}

Expr bitwiseExpr(Evaluator& ev, IrOp op, Expr a, Expr b, const SourceRange& range)
{
    const auto text = textOf(op);
    for (const auto& e : {a, b})
        if (!e->dtype.isInteger() && !e->dtype.isBool())
            failBitwise(ev, e, text, range);
    const auto where = provenance(ev, range);
    const bool isShift = op == IrOp::kShl || op == IrOp::kShr;
    if (!isShift && a->dtype.isBool() && b->dtype.isBool() && op != IrOp::kBitXor)
        return ir::binary(op == IrOp::kBitAnd ? IrOp::kAnd : IrOp::kOr, a, b, where);
    if (!isShift && a->dtype.isBool() && b->dtype.isBool())
        return ir::binary(IrOp::kNe, a, b, where);
    if (isShift) {
        a = arithmeticOperand(a);
        b = arithmeticOperand(b);
    }
    auto [x, y] = promoted(ev, a, b, range, text);
    if (isShift)
        checkShift(ev, x, y, text, range);
    return ir::binary(op, x, y, where);
}

}  // namespace

Expr binaryExpr(Evaluator& ev, IrOp op, const Expr& a, const Expr& b, const SourceRange& range)
{
    if (isBitwise(op))
        return bitwiseExpr(ev, op, a, b, range);
    const auto text = textOf(op);
    if (a->dtype.isHandle() || b->dtype.isHandle())
        ev.fail(Code::kDtypeUnsupported, range, fmt::format("{} does not exist for addresses", text));
    const bool isComparison = op >= IrOp::kEq;
    const bool keepsBool = isComparison || op == IrOp::kMin || op == IrOp::kMax;
    const bool bothBool = a->dtype.isBool() && b->dtype.isBool();
    auto [x, y] = bothBool && !keepsBool ? std::pair{arithmeticOperand(a), arithmeticOperand(b)}
                                         : promoted(ev, a, b, range, text);
    if (op == IrOp::kDiv && !x->dtype.isFloating())
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("/ of two integers ({} and {}) is ambiguous; write // for the floor, or T.cast one side to a float",
                            a->dtype.name(), b->dtype.name()));
    if (op == IrOp::kFloorDiv || op == IrOp::kFloorMod || op == IrOp::kTruncDiv || op == IrOp::kTruncMod) {
        checkDivisor(ev, y, text, range);
        if (x->dtype.isFloating())
            return floatFloor(ev, op, x, y, range);
    }
    return ir::binary(op, x, y, provenance(ev, range));
}

Value unaryOperator(Evaluator& ev, syntax::UnaryOp op, const Value& a, const SourceRange& range)
{
    if (op == syntax::UnaryOp::kNot) {
        const Expr condition = toCondition(ev, a, range);
        return ir::unary(ir::UnaryOp::kNot, condition, provenance(ev, range));
    }
    const Expr e = toExpr(ev, a, range, "an operand");
    if (op == syntax::UnaryOp::kPlus)
        return e;
    if (op == syntax::UnaryOp::kNegate)
        return ir::unary(ir::UnaryOp::kNegate, arithmeticOperand(e), provenance(ev, range));
    if (e->dtype.isBool())
        return ir::unary(ir::UnaryOp::kNot, e, provenance(ev, range));
    if (!e->dtype.isInteger())
        failBitwise(ev, e, "~", range);
    return ir::unary(ir::UnaryOp::kInvert, e, provenance(ev, range));
}

Value binaryOperator(Evaluator& ev, PyOp op, const Value& a, const Value& b, const SourceRange& range)
{
    if (op == PyOp::kPow)
        ev.fail(Code::kTypeMismatch, range, "expressions have no ** operator; write T.pow(x, y), or x * x");
    if (op == PyOp::kMatMul)
        ev.fail(Code::kTypeMismatch, range, "expressions have no @ operator; write T.gemm(A, B, C) for tiles");
    const OperatorName* known = findOperator(op);
    for (const Value* side : {&a, &b})
        if (const auto buffer = side->buffer())
            ev.fail(Code::kTypeMismatch, range,
                    fmt::format("{} takes single elements, but {} is a whole buffer of shape {}; index it inside T.Parallel",
                                known->text, buffer->name, shapeText(buffer->shape)));
    const std::string what = fmt::format("an operand of {}", known->text);
    return binaryExpr(ev, known->ir, toExpr(ev, a, range, what), toExpr(ev, b, range, what), range);
}

Value compareOperator(Evaluator& ev, syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range)
{
    using Op = syntax::CompareOp;
    if (op == Op::kIs || op == Op::kIsNot) {
        const bool same = equalValues(a, b);
        return Value(same == (op == Op::kIs));
    }
    const bool isEquality = op == Op::kEq || op == Op::kNe;
    const auto isNumber = [](const Value& v) {
        return v.expr() || v.get<Integer>() || v.get<double>() || v.get<bool>() || v.get<VarValue>() ||
               v.object<const RefValue>() || v.object<const ir::Region>();
    };
    if (isEquality && (!isNumber(a) || !isNumber(b)))  // buffers, None, strings: identity
        return Value(equalValues(a, b) == (op == Op::kEq));
    IrOp irOp{};
    switch (op) {
    case Op::kEq: irOp = IrOp::kEq; break;
    case Op::kNe: irOp = IrOp::kNe; break;
    case Op::kLt: irOp = IrOp::kLt; break;
    case Op::kLe: irOp = IrOp::kLe; break;
    case Op::kGt: irOp = IrOp::kGt; break;
    case Op::kGe: irOp = IrOp::kGe; break;
    default: ev.fail(Code::kTypeMismatch, range, "`in` does not work on run-time values; compare with == and join with `or`");
    }
    return binaryExpr(ev, irOp, toExpr(ev, a, range, "an operand of a comparison"),
                      toExpr(ev, b, range, "an operand of a comparison"), range);
}

}  // namespace tw::staging
