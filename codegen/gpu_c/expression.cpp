// Expressions in register form.
#include <cmath>

#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "codegen/gpu_c/widening.h"
#include "core/ir/build.h"
#include "core/ir/number.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::gpu {

using ir::BinaryOp;
using ir::DType;
using ir::Scalar;

namespace {

bool isNative(DType type) { return type.scalar == Scalar::kFloat32 || type.scalar == Scalar::kFloat64; }

// A finite number as a C literal that reads back exactly.
std::string floatLiteral(double value, bool isDouble)
{
    std::string s = isDouble ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    if (s.find_first_of(".e") == std::string::npos)
        s += ".0";
    return isDouble ? s : s + "f";
}

std::string bitsLiteral(DType type, double value)
{
    return fmt::format("0x{:x}{}", ir::encodeFloat(type, value), type.bits() == 64 ? "ll" : "u");
}

// Whether evaluating `e` does something that all threads must do.
class EffectFinder final : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        found = found || ir::info(call.op).effect == ir::Effect::kSync || ir::info(call.op).effect == ir::Effect::kOther;
        ir::Visitor::visit(call);
    }
};
bool hasEffect(const ir::Expr& e)
{
    EffectFinder finder;
    finder.visit(e);
    return finder.found;
}

}  // namespace

std::string typeName(DType type)
{
    if (type.lanes > 1) {
        if (type.bits() < 8)
            return fmt::format("vec<unsigned char, {}>", type.storageBytes(type.lanes));
        return fmt::format("vec<{}, {}>", typeName(type.element()), type.lanes);
    }
    switch (type.scalar) {
    case Scalar::kBool: return "bool";
    case Scalar::kInt4: case Scalar::kInt8: return "signed char";
    case Scalar::kInt16: return "short";
    case Scalar::kInt32: return "int";
    case Scalar::kInt64: return "long long";
    case Scalar::kUInt4: case Scalar::kUInt8: return "unsigned char";
    case Scalar::kUInt16: return "unsigned short";
    case Scalar::kUInt32: return "unsigned";
    case Scalar::kUInt64: return "unsigned long long";
    case Scalar::kFloat16: return "half";
    case Scalar::kFloat32: return "float";
    case Scalar::kFloat64: return "double";
    case Scalar::kBFloat16: return "bf16";
    case Scalar::kTFloat32: return "tf32";
    case Scalar::kFloat8E4M3FN: return "e4m3";
    case Scalar::kFloat8E5M2: return "e5m2";
    case Scalar::kFloat8E4M3FNUZ: return "e4m3fnuz";
    case Scalar::kFloat8E5M2FNUZ: return "e5m2fnuz";
    case Scalar::kFloat8E4M3B11FNUZ: return "e4m3b11fnuz";
    case Scalar::kFloat8E3M4: return "e3m4";
    case Scalar::kFloat8E8M0FNU: return "e8m0";
    case Scalar::kFloat6E2M3FN: return "e2m3";
    case Scalar::kFloat6E3M2FN: return "e3m2";
    case Scalar::kFloat4E2M1FN: case Scalar::kFloat4E2M1Unpacked: return "e2m1";
    case Scalar::kHandle: return "void*";
    case Scalar::kVoid: return "void";
    }
    TW_UNREACHABLE("element type");
}

Text KernelPrinter::constant(const ir::Expr& e)
{
    const DType type = e->dtype;
    if (const auto* imm = ir::as<ir::IntImm>(e)) {
        if (type.isBool())
            return {imm->value ? "true" : "false"};
        if (type.scalar == Scalar::kUInt64)
            return {fmt::format("{}ull", static_cast<std::uint64_t>(imm->value))};
        if (type.scalar == Scalar::kUInt32)
            return {fmt::format("{}u", static_cast<std::uint32_t>(imm->value))};
        if (type.scalar == Scalar::kInt64)
            return imm->value == INT64_MIN ? Text{"(-9223372036854775807ll - 1)"} : Text{fmt::format("{}ll", imm->value), imm->value < 0 ? 15 : 16};
        if (type.scalar == Scalar::kInt32 && imm->value == INT32_MIN)
            return {"(-2147483647 - 1)"};
        if (type.bits() < 32)
            return {fmt::format("({}){}", typeName(type), imm->value), 15};
        return {fmt::format("{}", imm->value), imm->value < 0 ? 15 : 16};
    }
    if (const auto* text = ir::as<ir::StringImm>(e))
        return {quoted(text->value)};
    const double value = ir::as<ir::FloatImm>(e)->value;
    if (isNative(type)) {
        if (std::isfinite(value))
            return {floatLiteral(value, type.bits() == 64), std::signbit(value) ? 15 : 16};
        if (type.bits() == 64)
            return {fmt::format("__longlong_as_double({})", bitsLiteral(type, value))};
        return {fmt::format("__uint_as_float({})", bitsLiteral(type, value))};
    }
    if (std::isfinite(value))
        return {fmt::format("{}({})", typeName(type), floatLiteral(value, false))};
    return {fmt::format("{}::of({})", typeName(type), bitsLiteral(type, value))};
}

Text KernelPrinter::value(const ir::Expr& e)
{
    if (e->dtype.lanes > 1 && !ir::as<ir::VarNode>(e) && !ir::as<ir::Load>(e) && !ir::as<ir::Call>(e))
        return vectorValue(e);
    switch (e->kind) {
    case ir::ExprKind::kIntImm: case ir::ExprKind::kFloatImm: case ir::ExprKind::kStringImm: return constant(e);
    case ir::ExprKind::kVar: {
        const Text t = variable(*ir::as<ir::VarNode>(e));
        return t.wide && e->dtype.bits() == 32 ? Text{"(int)" + t.s, 15} : Text{t.s, t.level};
    }
    case ir::ExprKind::kLoad: return element(ir::as<ir::Load>(e)->buffer, ir::as<ir::Load>(e)->indices);
    case ir::ExprKind::kUnary: return unary(*ir::as<ir::Unary>(e));
    case ir::ExprKind::kBinary: {
        const auto& b = *ir::as<ir::Binary>(e);
        if (b.op >= BinaryOp::kEq)
            return compare(b);
        if (b.op == BinaryOp::kAnd || b.op == BinaryOp::kOr || b.dtype.isBool())
            return logical(b);
        return b.dtype.isFloating() ? floatBinary(b) : integerBinary(b);
    }
    case ir::ExprKind::kSelect: {
        const auto& s = *ir::as<ir::Select>(e);
        const Text test = condition(s.condition);
        const auto mark = facts_.mark();
        facts_.assume(s.condition);
        const Text then = value(s.then);
        facts_.rewind(mark);
        facts_.assume(s.condition, false);
        const Text otherwise = value(s.otherwise);
        facts_.rewind(mark);
        return {fmt::format("{} ? {} : {}", parenthesized(test, 4), parenthesized(then, 4), parenthesized(otherwise, 3)), 3};
    }
    case ir::ExprKind::kCast: return cast(e->dtype, ir::as<ir::Cast>(e)->value);
    case ir::ExprKind::kCall: return operation(ir::as<ir::Call>(e)->call, e->dtype, e->where);
    case ir::ExprKind::kLane: {
        const auto& lane = *ir::as<ir::Lane>(e);
        return {fmt::format("{}[{}]", parenthesized(value(lane.vector), 16), lane.index)};
    }
    case ir::ExprKind::kRamp: case ir::ExprKind::kBroadcast: break;
    }
    return vectorValue(e);
}

// Lane by lane: operands that are vectors are read at [i].
Text KernelPrinter::vectorValue(const ir::Expr& e)
{
    const int lanes = e->dtype.lanes;
    if (const auto* r = ir::as<ir::Ramp>(e)) {
        const std::string type = typeName(r->base->dtype);
        return {fmt::format("tw_vec_ramp<{}, {}>({}, {})", lanes, type, value(r->base).s, value(r->stride).s)};
    }
    if (const auto* b = ir::as<ir::Broadcast>(e))
        return {fmt::format("tw_vec_fill<{}, {}>({})", lanes, typeName(b->value->dtype), value(b->value).s)};
    const auto lane = [&](const ir::Expr& x) -> ir::Expr {
        if (x->dtype.lanes == 1)
            return x;
        if (const auto* b = ir::as<ir::Broadcast>(x))
            return b->value;
        auto var = std::make_shared<ir::VarNode>(x->dtype.element(), "lane");
        vars_[var.get()] = {parenthesized(value(x), 16) + "[i]", false};
        return var;
    };
    const DType type = e->dtype.element();
    ir::Expr scalar;
    if (const auto* b = ir::as<ir::Binary>(e))
        scalar = std::make_shared<ir::Binary>(type, b->op, lane(b->a), lane(b->b), e->where);
    else if (const auto* u = ir::as<ir::Unary>(e))
        scalar = std::make_shared<ir::Unary>(type, u->op, lane(u->a), e->where);
    else if (const auto* c = ir::as<ir::Cast>(e))
        scalar = std::make_shared<ir::Cast>(type, lane(c->value), e->where);
    else if (const auto* s = ir::as<ir::Select>(e))
        scalar = std::make_shared<ir::Select>(lane(s->condition), lane(s->then), lane(s->otherwise), s->lazy, e->where);
    TW_CHECK(scalar != nullptr, "an expression on vectors");
    return {fmt::format("tw_vec_map<{}>([&](int i) {{ return {}; }})", lanes, value(scalar).s)};
}

Text KernelPrinter::floatBinary(const ir::Binary& e)
{
    const DType type = e.dtype;
    const Text x = value(e.a), y = value(e.b);
    const bool isDouble = type.bits() == 64;
    const std::string f = isDouble ? "" : "f";
    const auto infix = [&](const char* symbol, int level) {
        return Text{fmt::format("{} {} {}", parenthesized(x, level), symbol, parenthesized(y, level + 1)), level};
    };
    const auto narrow = [&](const std::string& s) { return isNative(type) ? Text{s} : Text{fmt::format("{}({})", typeName(type), s)}; };
    const std::string a = isNative(type) ? x.s : fmt::format("float({})", x.s);
    const std::string b = isNative(type) ? y.s : fmt::format("float({})", y.s);
    const std::string divided = fmt::format("{} / {}", isNative(type) ? parenthesized(x, 13) : a, isNative(type) ? parenthesized(y, 14) : b);
    switch (e.op) {
    case BinaryOp::kAdd: return infix("+", 12);
    case BinaryOp::kSub: return infix("-", 12);
    case BinaryOp::kMul: return infix("*", 13);
    case BinaryOp::kDiv: return infix("/", 13);
    case BinaryOp::kFloorDiv: return narrow(fmt::format("floor{}({})", f, divided));
    case BinaryOp::kTruncDiv: return narrow(fmt::format("trunc{}({})", f, divided));
    case BinaryOp::kFloorMod: return narrow(fmt::format("tw_ffloormod({}, {})", a, b));
    case BinaryOp::kTruncMod: return narrow(fmt::format("fmod{}({}, {})", f, a, b));
    case BinaryOp::kMin: case BinaryOp::kMax: {
        const char* which = e.op == BinaryOp::kMin ? "min" : "max";
        return {isNative(type) ? fmt::format("f{}{}({}, {})", which, f, x.s, y.s) : fmt::format("tw_narrow_{}({}, {})", which, x.s, y.s)};
    }
    default: TW_UNREACHABLE("operator on floats");
    }
}

// C evaluates the right side only where the left leaves it open: fine unless all threads must come there.
Text KernelPrinter::logical(const ir::Binary& e)
{
    const Text x = value(e.a);
    const auto mark = facts_.mark();
    if (e.op == BinaryOp::kAnd || e.op == BinaryOp::kOr)
        facts_.assume(e.a, e.op == BinaryOp::kAnd);
    const Text y = value(e.b);
    facts_.rewind(mark);
    const bool strict = (e.op != BinaryOp::kAnd && e.op != BinaryOp::kOr) || hasEffect(e.b);
    const bool conjunction = e.op == BinaryOp::kAnd || e.op == BinaryOp::kBitAnd || e.op == BinaryOp::kMul || e.op == BinaryOp::kMin;
    if (e.op == BinaryOp::kBitXor || e.op == BinaryOp::kSub)
        return {fmt::format("{} != {}", parenthesized(x, 10), parenthesized(y, 10)), 9};
    if (strict)
        return {fmt::format("bool({} {} {})", parenthesized(x, 14), conjunction ? "&" : "|", parenthesized(y, 14))};
    // `a || b && c` in parentheses, as people (and compilers' warnings) want it.
    const int level = conjunction ? 5 : 4;
    const auto side = [&](const Text& t) { return t.level != level && t.level <= 5 ? "(" + t.s + ")" : t.s; };
    return {fmt::format("{} {} {}", side(x), conjunction ? "&&" : "||", side(y)), level};
}

Text KernelPrinter::unary(const ir::Unary& e)
{
    const ir::Expr self(&e, [](const ir::ExprNode*) {});
    if (e.op == ir::UnaryOp::kNot || e.dtype.isBool()) {
        const Text x = value(e.a);
        return {e.a->dtype.isBool() ? "!" + parenthesized(x, 15) : fmt::format("{} == 0", parenthesized(x, 10)), e.a->dtype.isBool() ? 15 : 9};
    }
    if (e.op == ir::UnaryOp::kNegate && isIndexTree(self)) {
        const Text t = index(self);
        return t.wide && e.dtype.bits() == 32 ? Text{"(int)" + parenthesized(t, 15), 15} : Text{t.s, t.level};
    }
    const Text x = value(e.a);
    if (e.op == ir::UnaryOp::kNegate && e.dtype.isSigned() && e.dtype.bits() >= 32)
        return {fmt::format("tw_wrap_sub({}, {})", e.dtype.bits() == 64 ? "0ll" : "0", x.s)};
    const bool doubled = e.op == ir::UnaryOp::kNegate && x.s.front() == '-';
    const Text t{(e.op == ir::UnaryOp::kNegate ? "-" : "~") + (doubled ? "(" + x.s + ")" : parenthesized(x, 15)), 15};
    return e.dtype.isInteger() && e.dtype.bits() < 32 ? wrapped(e.dtype, t) : t;
}

Text KernelPrinter::cast(DType to, const ir::Expr& e)
{
    const DType from = e->dtype;
    if (from == to)
        return value(e);
    const std::string name = typeName(to);
    if (from.isHandle() || to.isHandle())
        return {fmt::format("({}){}", to.isHandle() ? "void*" : name, parenthesized(value(e), 15)), 15};
    if (to.isInteger() && to.bits() >= 32 && to.isSigned() && isIndexTree(e)) {
        const Text t = index(e);
        if (to.bits() == 64)
            return t.wide ? Text{t.s, t.level} : Text{"(long long)" + parenthesized(t, 15), 15};
        return t.wide ? Text{"(int)" + parenthesized(t, 15), 15} : Text{t.s, t.level};
    }
    const Text x = value(e);
    if (to.isBool())
        return {from.isFloating() && !isNative(from) ? fmt::format("float({}) != 0.0f", x.s) : fmt::format("{} != 0", parenthesized(x, 10)), 9};
    if (to.isInteger()) {
        if (!from.isFloating())
            return to.bits() == 4 ? wrapped(to, x) : Text{fmt::format("({}){}", name, parenthesized(x, 15)), 15};
        const std::string a = isNative(from) ? x.s : fmt::format("float({})", x.s);
        if (to.bits() == 4)
            return {fmt::format("tw_trunc_{}4({})", to.isSigned() ? "s" : "u", from.bits() == 64 ? fmt::format("float({})", a) : a)};
        return {fmt::format("tw_trunc<{}>({})", name, a)};
    }
    if (isNative(to)) {
        if (from.isFloating() && !isNative(from) && to.bits() == 64)
            return {fmt::format("double(float({}))", x.s)};
        return {fmt::format("{}({})", name, x.s)};
    }
    if (const std::string small = smallIntegerFunction(facts_, to, e); !small.empty())
        return {fmt::format("{}({})", small, x.s)};
    const bool exact = from.scalar == Scalar::kFloat32 || (from.isFloating() && !isNative(from)) || from.isBool() || (from.isInteger() && from.bits() <= 16);
    if (exact)
        return {fmt::format("{}({})", name, from.scalar == Scalar::kFloat32 ? x.s : fmt::format("float({})", x.s))};
    return {fmt::format("{}(tw_odd({}))", name, x.s)};
}

}  // namespace tw::gpu
