// Integer expressions: exact indices, wrapping values.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/number.h"

namespace tw::gpu {

using ir::BinaryOp;
using ir::DType;

namespace {

constexpr std::int64_t kMaxInt = 2147483647;

struct Infix {
    const char* symbol;
    int level;
};
std::optional<Infix> infixOf(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kAdd: return Infix{"+", 12};
    case BinaryOp::kSub: return Infix{"-", 12};
    case BinaryOp::kMul: return Infix{"*", 13};
    case BinaryOp::kBitAnd: return Infix{"&", 8};
    case BinaryOp::kBitXor: return Infix{"^", 7};
    case BinaryOp::kBitOr: return Infix{"|", 6};
    default: return std::nullopt;
    }
}

// Mixed bit operators get parentheses, as people write them.
Text infix(const Infix& how, const Text& a, const Text& b)
{
    const int left = how.level <= 8 ? 14 : how.level;
    const int right = how.level <= 8 ? 14 : how.level + (how.level == 12 || how.level == 13 ? 1 : 0);
    return {fmt::format("{} {} {}", parenthesized(a, left), how.symbol, parenthesized(b, right)), how.level, a.wide || b.wide};
}

Text widened(const Text& t) { return t.wide ? t : Text{"(long long)" + parenthesized(t, 15), 15, true}; }

std::optional<std::int64_t> powerOfTwo(const ir::Expr& e)
{
    const std::int64_t* value = ir::asInt(e);
    return value && *value > 0 && (*value & (*value - 1)) == 0 ? std::optional(*value) : std::nullopt;
}

int logarithm(std::int64_t power)
{
    int n = 0;
    while ((std::int64_t{1} << n) < power)
        ++n;
    return n;
}

bool isNarrow(DType type) { return type.isInteger() && type.bits() < 32; }

}  // namespace

// Made of variables, constants and operators alone: no element and no call, so that it is an index and never wraps.
bool KernelPrinter::isIndexTree(const ir::Expr& e)
{
    if (!e->dtype.isSigned() || e->dtype.bits() < 32 || e->dtype.lanes != 1)
        return false;
    if (ir::as<ir::VarNode>(e) || ir::as<ir::IntImm>(e))
        return true;
    if (const auto* b = ir::as<ir::Binary>(e))
        return b->op != BinaryOp::kShl && b->op != BinaryOp::kShr && isIndexTree(b->a) && isIndexTree(b->b);
    if (const auto* c = ir::as<ir::Cast>(e))
        return c->dtype.bits() >= c->value->dtype.bits() && isIndexTree(c->value);
    const auto* u = ir::as<ir::Unary>(e);
    return u && u->op == ir::UnaryOp::kNegate && isIndexTree(u->a);
}

bool KernelPrinter::fits(const ir::Expr& e, DType type) const
{
    const arith::Interval range = facts_.bounds(e);
    if (type.bits() == 64 && type.isSigned())
        return range.low && range.high;
    const std::int64_t low = ir::smallestInt(type);
    return range.low && range.high && *range.low >= low && (type.bits() == 64 || *range.high <= static_cast<std::int64_t>(ir::largestInt(type)));
}

bool KernelPrinter::isNonNegative(const ir::Expr& e) const
{
    if (e->dtype.isUnsigned())
        return true;
    const arith::Interval range = facts_.bounds(e);
    return range.low && *range.low >= 0;
}

Text KernelPrinter::variable(const ir::VarNode& var)
{
    usedScalars_.insert(&var);
    const Variable& v = vars_.at(&var);
    return {v.name, 16, v.wide || (var.dtype.isSigned() && var.dtype.bits() == 64)};
}

Text KernelPrinter::index(const ir::Expr& e)
{
    if (const std::int64_t* value = ir::asInt(e)) {
        const bool wide = *value > kMaxInt || *value < -kMaxInt;
        return {fmt::format("{}{}", *value, wide ? "ll" : ""), *value < 0 ? 15 : 16, wide};
    }
    if (const auto* var = ir::as<ir::VarNode>(e); var && var->dtype.isSigned())
        return variable(*var);
    const auto* b = ir::as<ir::Binary>(e);
    if (b && b->dtype.isSigned() && b->dtype.bits() >= 32 && b->op != BinaryOp::kShl && b->op != BinaryOp::kShr) {
        Text x = index(b->a), y = index(b->b);
        if (const auto how = infixOf(b->op)) {
            const bool grows = b->op == BinaryOp::kAdd || b->op == BinaryOp::kSub || b->op == BinaryOp::kMul;
            if (grows && !x.wide && !y.wide && !fits(e, ir::kInt32))
                x = widened(x);
            return infix(*how, x, y);
        }
        if (b->op == BinaryOp::kMin || b->op == BinaryOp::kMax) {
            if (x.wide != y.wide)
                x = widened(x), y = widened(y);
            return {fmt::format("{}({}, {})", b->op == BinaryOp::kMin ? "min" : "max", x.s, y.s), 16, x.wide};
        }
        return quotient(b->op, b->a, b->b, x, y);
    }
    if (const auto* c = ir::as<ir::Cast>(e); c && c->value->dtype.isSigned() && c->dtype.isSigned() && c->dtype.bits() >= c->value->dtype.bits())
        return index(c->value);
    if (const auto* u = ir::as<ir::Unary>(e); u && u->op == ir::UnaryOp::kNegate && e->dtype.isSigned() && e->dtype.bits() >= 32) {
        Text x = index(u->a);
        if (!x.wide && !fits(e, ir::kInt32))
            x = widened(x);
        return {"-" + parenthesized(x, 15), 15, x.wide};
    }
    if (const auto* s = ir::as<ir::Select>(e); s && e->dtype.isSigned() && e->dtype.bits() >= 32) {
        const Text x = index(s->then), y = index(s->otherwise);
        return {fmt::format("{} ? {} : {}", parenthesized(condition(s->condition), 4), parenthesized(x, 4), parenthesized(y, 3)), 3, x.wide || y.wide};
    }
    Text t = value(e);
    if (e->dtype.isUnsigned() && e->dtype.bits() >= 32)
        return {"(long long)" + parenthesized(t, 15), 15, true};
    t.wide = t.wide || e->dtype.bits() == 64;
    return t;
}

// Division with Python's signs in its cheapest right form.
Text KernelPrinter::quotient(BinaryOp op, const ir::Expr& a, const ir::Expr& b, const Text& x, const Text& y)
{
    const bool divides = op == BinaryOp::kFloorDiv || op == BinaryOp::kTruncDiv || op == BinaryOp::kDiv;
    const bool floors = op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod;
    const bool wide = x.wide || y.wide;
    const std::int64_t* divisor = ir::asInt(b);
    const bool safe = (divisor && *divisor > 0) || [&] {
        const arith::Interval range = facts_.bounds(b);
        return range.low && *range.low > 0;
    }();
    if (safe && (!floors || isNonNegative(a)))
        return {fmt::format("{} {} {}", parenthesized(x, 13), divides ? "/" : "%", parenthesized(y, 14)), 13, wide};
    if (const auto power = powerOfTwo(b); power && floors && a->dtype.isSigned()) {
        if (divides)
            return {fmt::format("{} >> {}", parenthesized(x, 12), logarithm(*power)), 11, x.wide};
        return {fmt::format("{} & {}", parenthesized(x, 14), *power - 1), 8, x.wide};
    }
    const char* name = floors ? (divides ? "tw_floordiv" : "tw_floormod") : divides ? "tw_truncdiv" : "tw_truncmod";
    const std::string type = a->dtype.isSigned() ? (wide || a->dtype.bits() == 64 ? "long long" : "int") : typeName(a->dtype);
    return {fmt::format("{}<{}>({}, {})", name, type, x.s, y.s), 16, wide};
}

// What C computed in int or wider, as a value of its type again.
Text KernelPrinter::wrapped(DType type, const Text& t)
{
    if (type.bits() == 4)
        return type.isSigned() ? Text{fmt::format("tw_wrap_s4({})", t.s)} : Text{fmt::format("(unsigned char)({} & 15)", parenthesized(t, 14)), 15};
    return {fmt::format("({}){}", typeName(type), parenthesized(t, 15)), 15};
}

Text KernelPrinter::integerBinary(const ir::Binary& e)
{
    const DType type = e.dtype;
    const ir::Expr self(&e, [](const ir::ExprNode*) {});
    if (isIndexTree(self)) {
        const Text t = index(self);
        if (t.wide && type.bits() == 32)
            return {"(int)" + parenthesized(t, 15), 15};
        return t.wide || type.bits() == 32 ? Text{t.s, t.level} : Text{"(long long)" + parenthesized(t, 15), 15};
    }
    const Text x = value(e.a), y = value(e.b);
    Text t;
    switch (e.op) {
    case BinaryOp::kMin: case BinaryOp::kMax:
        t = {fmt::format("{}({}, {})", e.op == BinaryOp::kMin ? "min" : "max", x.s, y.s)};
        return isNarrow(type) ? wrapped(type, t) : t;
    case BinaryOp::kShl: case BinaryOp::kShr: {
        const std::int64_t* by = ir::asInt(e.b);
        if (!by || *by < 0 || *by >= std::max(type.bits(), 32)) {
            t = {fmt::format("{}<{}>({}, {})", e.op == BinaryOp::kShl ? "tw_shl" : "tw_shr", typeName(type), x.s, y.s)};
        } else if (e.op == BinaryOp::kShr) {
            t = {fmt::format("{} >> {}", parenthesized(x, 12), *by), 11};
        } else if (type.isSigned()) {  // a negative number must not be shifted as such
            t = {fmt::format("({})(({}){} << {})", type.bits() == 64 ? "long long" : "int", type.bits() == 64 ? "unsigned long long" : "unsigned",
                             parenthesized(x, 15), *by), 15};
        } else {
            t = {fmt::format("{} << {}", parenthesized(x, 12), *by), 11};
        }
        return isNarrow(type) ? wrapped(type, t) : t;
    }
    case BinaryOp::kDiv: case BinaryOp::kFloorDiv: case BinaryOp::kFloorMod: case BinaryOp::kTruncDiv: case BinaryOp::kTruncMod:
        t = quotient(e.op, e.a, e.b, x, y);
        return isNarrow(type) ? wrapped(type, t) : Text{t.s, t.level};
    default: break;
    }
    const auto how = infixOf(e.op);
    const bool grows = e.op == BinaryOp::kAdd || e.op == BinaryOp::kSub || e.op == BinaryOp::kMul;
    if (grows && type.isSigned() && !isNarrow(type) && !fits(self, type)) {
        const char* name = e.op == BinaryOp::kAdd ? "tw_wrap_add" : e.op == BinaryOp::kSub ? "tw_wrap_sub" : "tw_wrap_mul";
        return {fmt::format("{}({}, {})", name, x.s, y.s)};
    }
    t = infix(*how, x, y);
    t.wide = false;
    return isNarrow(type) && grows ? wrapped(type, t) : isNarrow(type) ? wrapped(type, t) : t;
}

Text KernelPrinter::compare(const ir::Binary& e)
{
    const char* symbol = e.op == BinaryOp::kEq ? "==" : e.op == BinaryOp::kNe ? "!=" : e.op == BinaryOp::kLt ? "<" : e.op == BinaryOp::kLe ? "<="
                         : e.op == BinaryOp::kGt ? ">" : ">=";
    const bool exact = isIndexTree(e.a) && isIndexTree(e.b);
    const Text x = exact ? index(e.a) : value(e.a);
    const Text y = exact ? index(e.b) : value(e.b);
    const int level = e.op == BinaryOp::kEq || e.op == BinaryOp::kNe ? 9 : 10;
    return {fmt::format("{} {} {}", parenthesized(x, 11), symbol, parenthesized(y, 11)), level};
}

}  // namespace tw::gpu
