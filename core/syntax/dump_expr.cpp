#include <fmt/format.h>

#include "core/syntax/dump_impl.h"

namespace tw::syntax {

namespace {

constexpr const char* kBinary[] = {"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"};
constexpr const char* kUnary[] = {"not", "-", "+", "~"};
constexpr const char* kCompare[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is-not", "in", "not-in"};
constexpr const char* kComprehension[] = {"ListComp", "SetComp", "DictComp", "Generator"};
constexpr const char* kParameter[] = {"/", "", "*", "=", "**"};

std::string integerText(Integer value)
{
    if (value == 0)
        return "0";
    std::string digits;
    for (; value != 0; value /= 10)
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    return digits;
}

}  // namespace

const char* opText(BinaryOp op)
{
    return kBinary[static_cast<int>(op)];
}

void ExprDumper::open(const char* kind, const SourceRange& range)
{
    text += '(';
    text += kind;
    if (ranges_ == DumpRanges::kBytes)
        text += fmt::format("@{}-{}", range.begin, range.end);
}

void ExprDumper::word(const std::string& value)
{
    text += ' ';
    text += value.empty() ? "-" : value;
}

void ExprDumper::quoted(const std::string& value)
{
    text += " \"";
    for (const char c : value) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            text += {'\\', c};
        else if (u < 0x20 || u >= 0x7F)
            text += fmt::format("\\x{:02x}", u);
        else
            text += c;
    }
    text += '"';
}

void ExprDumper::list(const std::vector<ExprPtr>& items)
{
    text += " [";
    for (const ExprPtr& item : items)
        expr(item);
    text += ']';
}

void ExprDumper::expr(const ExprPtr& value)
{
    if (value)
        expr(*value);
    else
        text += " -";
}

void ExprDumper::expr(const Expr& value)
{
    text += ' ';
    nodes(value);
    text += ')';
}

void ExprDumper::arguments(const std::vector<Argument>& items)
{
    static constexpr const char* kLead[] = {"", "", "*", "**"};
    text += " [";
    for (const Argument& item : items) {
        text += kLead[static_cast<int>(item.kind)];
        if (item.kind == Argument::Kind::kKeyword)
            text += item.keyword.text + "=";
        expr(item.value);
    }
    text += ']';
}

void ExprDumper::parameters(const std::vector<Parameter>& items)
{
    text += " [";
    for (const Parameter& item : items) {
        text += fmt::format(" {}{}", kParameter[static_cast<int>(item.kind)], item.name.text);
        expr(item.annotation);
        expr(item.defaultValue);
    }
    text += ']';
}

void ExprDumper::pieces(const std::vector<FormatPiece>& items)
{
    text += " [";
    for (const FormatPiece& piece : items) {
        if (!piece.expr) {
            quoted(piece.text);
            continue;
        }
        text += " {";
        if (piece.debug)
            quoted(piece.text);
        expr(piece.expr);
        if (piece.conversion)
            text += fmt::format(" !{}", piece.conversion);
        if (!piece.spec.empty())
            pieces(piece.spec);
        text += '}';
    }
    text += ']';
}

void ExprDumper::clauses(const Comprehension& node)
{
    expr(node.element);
    if (node.value)
        expr(node.value);
    for (const ComprehensionClause& clause : node.clauses) {
        text += clause.isAsync ? " async-for" : " for";
        expr(clause.target);
        expr(clause.iterable);
        list(clause.conditions);
    }
}

void ExprDumper::compare(const Compare& node)
{
    expr(node.operands[0]);
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
        word(kCompare[static_cast<int>(node.ops[i])]);
        expr(node.operands[i + 1]);
    }
}

// Writes everything but the closing parenthesis.
void ExprDumper::nodes(const Expr& e)
{
    const auto start = [&](const char* kind) { open(kind, e.range); };
    match(
        e.node, [&](const ErrorExpr&) { start("Error"); }, [&](const NoneLiteral&) { start("None"); },
        [&](const EllipsisLiteral&) { start("Ellipsis"); },
        [&](const BoolLiteral& n) { start(n.value ? "True" : "False"); },
        [&](const IntLiteral& n) { start("Int"); word(n.tooLarge ? "large" : integerText(n.value)); },
        [&](const FloatLiteral& n) { start("Float"); word(fmt::format("{}", n.value)); },
        [&](const ImaginaryLiteral& n) { start("Imaginary"); word(fmt::format("{}", n.value)); },
        [&](const StringLiteral& n) { start("Str"); quoted(n.value); },
        [&](const BytesLiteral& n) { start("Bytes"); quoted(n.value); },
        [&](const FormatString& n) { start("Format"); pieces(n.pieces); },
        [&](const Name& n) { start("Name"); word(n.id); },
        [&](const Attribute& n) { start("Attribute"); expr(n.value); word(n.name.text); },
        [&](const Subscript& n) { start("Subscript"); expr(n.value); expr(n.index); },
        [&](const SliceExpr& n) { start("Slice"); expr(n.lower); expr(n.upper); expr(n.step); },
        [&](const Call& n) { start("Call"); expr(n.callee); arguments(n.arguments); },
        [&](const Unary& n) { start("Unary"); word(kUnary[static_cast<int>(n.op)]); expr(n.operand); },
        [&](const Binary& n) { start("Binary"); word(opText(n.op)); expr(n.left); expr(n.right); },
        [&](const Logical& n) { start(n.op == BoolOp::kAnd ? "And" : "Or"); list(n.operands); },
        [&](const Compare& n) { start("Compare"); compare(n); },
        [&](const Conditional& n) { start("IfElse"); expr(n.condition); expr(n.then); expr(n.otherwise); },
        [&](const Walrus& n) { start("Walrus"); word(n.target.text); expr(n.value); },
        [&](const Starred& n) { start("Starred"); expr(n.value); },
        [&](const TupleExpr& n) { start("Tuple"); list(n.items); },
        [&](const ListExpr& n) { start("List"); list(n.items); },
        [&](const SetExpr& n) { start("Set"); list(n.items); },
        [&](const DictExpr& n) {
            start("Dict");
            for (const DictItem& item : n.items) {
                expr(item.key);
                expr(item.value);
            }
        },
        [&](const Comprehension& n) { start(kComprehension[static_cast<int>(n.kind)]); clauses(n); },
        [&](const Lambda& n) { start("Lambda"); parameters(n.parameters); expr(n.body); },
        [&](const Await& n) { start("Await"); expr(n.value); },
        [&](const Yield& n) { start(n.from ? "YieldFrom" : "Yield"); expr(n.value); });
}

std::string dump(const Expr& expr, DumpRanges ranges)
{
    ExprDumper dumper(ranges);
    dumper.expr(expr);
    return dumper.text.substr(1);
}

}  // namespace tw::syntax
