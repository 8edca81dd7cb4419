#include "core/ir/print_expr.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/number.h"

namespace tw::ir {

namespace {

// Python's levels, loosest first.
enum Precedence {
    kTernary = 0, kOrLevel, kAndLevel, kNotLevel, kCompareLevel, kBitOrLevel, kBitXorLevel, kBitAndLevel, kShiftLevel,
    kSumLevel, kProductLevel, kUnaryLevel, kAtom
};

struct Operator {
    std::string_view text;
    int level;
};

// Empty text: a function of T.
Operator operatorOf(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kAdd: return {"+", kSumLevel};
    case BinaryOp::kSub: return {"-", kSumLevel};
    case BinaryOp::kMul: return {"*", kProductLevel};
    case BinaryOp::kDiv: return {"/", kProductLevel};
    case BinaryOp::kFloorDiv: return {"//", kProductLevel};
    case BinaryOp::kFloorMod: return {"%", kProductLevel};
    case BinaryOp::kShl: return {"<<", kShiftLevel};
    case BinaryOp::kShr: return {">>", kShiftLevel};
    case BinaryOp::kBitAnd: return {"&", kBitAndLevel};
    case BinaryOp::kBitOr: return {"|", kBitOrLevel};
    case BinaryOp::kBitXor: return {"^", kBitXorLevel};
    case BinaryOp::kAnd: return {"and", kAndLevel};
    case BinaryOp::kOr: return {"or", kOrLevel};
    case BinaryOp::kEq: return {"==", kCompareLevel};
    case BinaryOp::kNe: return {"!=", kCompareLevel};
    case BinaryOp::kLt: return {"<", kCompareLevel};
    case BinaryOp::kLe: return {"<=", kCompareLevel};
    case BinaryOp::kGt: return {">", kCompareLevel};
    case BinaryOp::kGe: return {">=", kCompareLevel};
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax: break;
    }
    return {"", kAtom};
}

std::string_view functionOf(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kTruncDiv: return "truncdiv";
    case BinaryOp::kTruncMod: return "truncmod";
    case BinaryOp::kMin: return "min";
    default: return "max";
    }
}

std::string parenthesised(std::string text, bool needed)
{
    return needed ? "(" + std::move(text) + ")" : std::move(text);
}

// The shortest decimal that rounds to the value in its type, with a point or an exponent.
std::string decimal(const FloatImm& f)
{
    std::string text = f.dtype.scalar == Scalar::kFloat64 ? fmt::format("{}", f.value)
                                                          : fmt::format("{}", static_cast<float>(f.value));
    for (int digits = 1; digits < 9 && f.dtype.bits() < 32; ++digits) {
        std::string shorter = fmt::format("{:.{}g}", f.value, digits);
        if (roundTo(f.dtype, std::strtod(shorter.c_str(), nullptr)) == f.value) {
            text = std::move(shorter);
            break;
        }
    }
    if (text.find_first_of(".en") == std::string::npos)
        text += ".0";
    return text;
}

}  // namespace

std::string quoted(std::string_view text)
{
    std::string result = "\"";
    for (char c : text) {
        switch (c) {
        case '"': result += "\\\""; break;
        case '\\': result += "\\\\"; break;
        case '\n': result += "\\n"; break;
        case '\t': result += "\\t"; break;
        case '\r': result += "\\r"; break;
        default:
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
            else
                result += c;
        }
    }
    return result + "\"";
}

std::string ExprPrinter::reserved(std::string_view name)
{
    usesReserved_ = true;
    return fmt::format("tw.{}", name);
}

std::string ExprPrinter::list(const std::vector<Expr>& exprs)
{
    std::string text;
    for (const Expr& e : exprs)
        text += (text.empty() ? "" : ", ") + expr(e);
    return text;
}

std::string ExprPrinter::tuple(const std::vector<Expr>& exprs)
{
    return "(" + list(exprs) + (exprs.size() == 1 ? ",)" : ")");
}

std::string ExprPrinter::number(const FloatImm& f)
{
    const std::string type = quoted(f.dtype.name());
    if (std::isnan(f.value)) {
        if (mode_ == Mode::kMessage)
            return "nan";
        return fmt::format("{}({}, {:#x})", reserved("bits"), type, encodeFloat(f.dtype, f.value));
    }
    if (std::isinf(f.value))
        return fmt::format("{}T.infinity({})", f.value < 0 ? "-" : "", type);
    return mode_ == Mode::kMessage ? decimal(f) : fmt::format("T.{}({})", f.dtype.name(), decimal(f));
}

std::string ExprPrinter::load(const Load& load)
{
    const std::string& name = names_.of(load.buffer.get());
    if (load.buffer->scope == MemoryScope::kVar && load.indices.size() == 1 && isZero(load.indices[0]))
        return name;
    return fmt::format("{}[{}]", name, load.indices.empty() ? "()" : list(load.indices));
}

std::string ExprPrinter::binary(const Binary& b, int minPrecedence)
{
    const bool bothConstant = isConstant(b.a) && isConstant(b.b);
    const auto side = [&](const Expr& e, int level) { return bothConstant ? expr(e, level) : operand(e, level); };
    const Operator op = operatorOf(b.op);
    if (op.text.empty())
        return fmt::format("T.{}({}, {})", functionOf(b.op), side(b.a, 0), side(b.b, 0));
    // Comparisons chain in Python, so neither side may be one.
    const int left = op.level == kCompareLevel ? op.level + 1 : op.level;
    std::string text = fmt::format("{} {} {}", side(b.a, left), op.text, side(b.b, op.level + 1));
    return parenthesised(std::move(text), op.level < minPrecedence);
}

std::string ExprPrinter::operand(const Expr& e, int minPrecedence)
{
    const auto* f = as<FloatImm>(e);
    if (f && f->dtype == kFloat32 && std::isfinite(f->value))
        return parenthesised(decimal(*f), std::signbit(f->value) && minPrecedence > kUnaryLevel);
    return expr(e, minPrecedence);
}

std::string ExprPrinter::expr(const Expr& e, int minPrecedence)
{
    if (!e)
        return "None";
    switch (e->kind) {
    case ExprKind::kIntImm: {
        const std::int64_t value = as<IntImm>(e)->value;
        if (e->dtype.isBool())
            return value ? "True" : "False";
        const bool isLarge = e->dtype.scalar == Scalar::kUInt64 && value < 0;
        std::string text = isLarge ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{}", value);
        if (e->dtype == kInt32 || mode_ == Mode::kMessage)
            return parenthesised(std::move(text), value < 0 && !isLarge && minPrecedence > kUnaryLevel);
        return fmt::format("T.{}({})", e->dtype.name(), text);
    }
    case ExprKind::kFloatImm: {
        std::string text = number(*as<FloatImm>(e));
        const bool isNegated = text[0] == '-';
        return parenthesised(std::move(text), isNegated && minPrecedence > kUnaryLevel);
    }
    case ExprKind::kStringImm: return quoted(as<StringImm>(e)->value);
    case ExprKind::kVar: return names_.of(as<VarNode>(e));
    case ExprKind::kLoad: return load(*as<Load>(e));
    case ExprKind::kUnary: {
        const auto* u = as<Unary>(e);
        if (u->op == UnaryOp::kNot)
            return parenthesised("not " + expr(u->a, kNotLevel), kNotLevel < minPrecedence);
        const char* sign = u->op == UnaryOp::kNegate ? "-" : "~";
        return parenthesised(sign + expr(u->a, kUnaryLevel), kUnaryLevel < minPrecedence);
    }
    case ExprKind::kBinary: return binary(*as<Binary>(e), minPrecedence);
    case ExprKind::kSelect: {
        const auto* s = as<Select>(e);
        return fmt::format("T.{}({}, {}, {})", s->lazy ? "if_then_else" : "Select", expr(s->condition), operand(s->then),
                           operand(s->otherwise));
    }
    case ExprKind::kCast: return fmt::format("T.cast({}, {})", expr(as<Cast>(e)->value), quoted(e->dtype.name()));
    case ExprKind::kCall: return call(as<Call>(e)->call, e->dtype);
    case ExprKind::kRamp:
        return fmt::format("T.Ramp({}, {}, {})", expr(as<Ramp>(e)->base), expr(as<Ramp>(e)->stride), e->dtype.lanes);
    case ExprKind::kBroadcast: return fmt::format("T.Broadcast({}, {})", expr(as<Broadcast>(e)->value), e->dtype.lanes);
    case ExprKind::kLane: return fmt::format("T.extract_lane({}, {})", expr(as<Lane>(e)->vector), as<Lane>(e)->index);
    }
    return "";
}

std::string ExprPrinter::slice(const Expr& min, const Expr& extent)
{
    return fmt::format("{}:{}", expr(min, kTernary + 1), expr(add(min, extent), kTernary + 1));
}

std::string ExprPrinter::region(const Region& r, Points points)
{
    const std::string& name = names_.of(r.buffer.get());
    if (r.buffer->scope == MemoryScope::kVar)
        return name;
    const bool point = isPoint(r);
    if (isWhole(r) && !(point && points == Points::kElement))
        return name;
    std::string text;
    for (std::size_t i = 0; i < r.mins.size(); ++i) {
        const bool scalar = isOne(r.extents[i]) && !(point && points == Points::kSlice);
        text += (i ? ", " : "") + (scalar ? expr(r.mins[i]) : slice(r.mins[i], r.extents[i]));
    }
    return fmt::format("{}[{}]", name, text);
}

std::string ExprPrinter::layout(const LayoutMap& map)
{
    std::string shape, vars;
    for (std::int64_t extent : map.shape)
        shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
    if (map.shape.size() == 1)
        shape += ",";
    for (const Var& var : map.vars)
        vars += (vars.empty() ? "" : ", ") + names_.of(var.get());
    if (!map.thread)
        return fmt::format("T.Layout(({}), lambda {}: [{}])", shape, vars, list(map.index));
    if (map.replicateVar)
        vars += ", " + names_.of(map.replicateVar.get());
    const std::string index = map.index.size() == 1 ? expr(map.index[0]) : "[" + list(map.index) + "]";
    const std::string replicate = map.replicate == 1 ? "" : fmt::format(", replicate={}", map.replicate);
    return fmt::format("T.Fragment(({}), forward_fn=lambda {}: ({}, {}){})", shape, vars, expr(map.thread), index, replicate);
}

std::string ExprPrinter::attr(const Attr& value)
{
    return match(
        value, [](bool v) { return std::string(v ? "True" : "False"); }, [](std::int64_t v) { return fmt::format("{}", v); },
        [](double v) { return decimal(FloatImm(kFloat64, v)); }, [](const std::string& v) { return quoted(v); },
        [](const std::vector<std::int64_t>& v) { return fmt::format("[{}]", fmt::join(v, ", ")); },
        [](const std::vector<std::string>& v) {
            std::string text;
            for (const std::string& item : v)
                text += (text.empty() ? "" : ", ") + quoted(item);
            return "[" + text + "]";
        });
}

std::string ExprPrinter::options(const Attrs& attrs, const std::vector<std::string_view>& known)
{
    std::string text, rest;
    for (const auto& [name, value] : attrs) {
        if (std::ranges::find(known, name) != known.end())
            text += fmt::format(", {}={}", name, attr(value));
        else
            rest += fmt::format("{}{}: {}", rest.empty() ? "" : ", ", quoted(name), attr(value));
    }
    return rest.empty() ? text : fmt::format("{}, annotations={{{}}}", text, rest);
}

}  // namespace tw::ir
