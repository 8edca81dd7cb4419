#include <fmt/format.h>

#include "core/syntax/parser_impl.h"

namespace tw::syntax {

namespace {

// Binding strength of `|` to `*`; 0 for what is no binary operator. `**` binds tighter than unary and stands in power().
int strengthOf(Tok kind)
{
    switch (kind) {
    case Tok::kPipe: return 1;
    case Tok::kCaret: return 2;
    case Tok::kAmper: return 3;
    case Tok::kShl: case Tok::kShr: return 4;
    case Tok::kPlus: case Tok::kMinus: return 5;
    case Tok::kStar: case Tok::kAt: case Tok::kSlash: case Tok::kDoubleSlash: case Tok::kPercent: return 6;
    default: return 0;
    }
}

BinaryOp binaryOf(Tok kind)
{
    switch (kind) {
    case Tok::kPlus: return BinaryOp::kAdd;
    case Tok::kMinus: return BinaryOp::kSub;
    case Tok::kStar: return BinaryOp::kMul;
    case Tok::kAt: return BinaryOp::kMatMul;
    case Tok::kSlash: return BinaryOp::kDiv;
    case Tok::kDoubleSlash: return BinaryOp::kFloorDiv;
    case Tok::kPercent: return BinaryOp::kMod;
    case Tok::kShl: return BinaryOp::kShl;
    case Tok::kShr: return BinaryOp::kShr;
    case Tok::kAmper: return BinaryOp::kBitAnd;
    case Tok::kPipe: return BinaryOp::kBitOr;
    case Tok::kCaret: return BinaryOp::kBitXor;
    default: return BinaryOp::kPow;
    }
}

}  // namespace

ExprPtr Parser::bad()
{
    return std::make_unique<Expr>(Expr{.range = rangeOf(lastEnd_, lastEnd_), .node = ErrorExpr{}});
}

bool Parser::startsExpression() const
{
    switch (cur_.kind) {
    case Tok::kName: case Tok::kNumber: case Tok::kString: case Tok::kFString: case Tok::kLParen: case Tok::kLBracket:
    case Tok::kLBrace: case Tok::kEllipsis: case Tok::kMinus: case Tok::kPlus: case Tok::kTilde: case Tok::kStar:
    case Tok::kFalse: case Tok::kNone: case Tok::kTrue: case Tok::kAwait: case Tok::kLambda: case Tok::kNot:
        return true;
    default: return false;
    }
}

ExprPtr Parser::starExpressions()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr first = starOrNamed();
    return at(Tok::kComma) ? finishTuple(begin, std::move(first), false) : std::move(first);
}

// The rest of a tuple without brackets, behind its first item.
ExprPtr Parser::finishTuple(std::uint32_t begin, ExprPtr first, bool targets)
{
    TupleExpr tuple;
    tuple.items.push_back(std::move(first));
    while (accept(Tok::kComma) && startsExpression()) {
        if (!targets) {
            tuple.items.push_back(starOrNamed());
            continue;
        }
        const std::uint32_t star = cur_.begin;
        const bool starred = accept(Tok::kStar);
        ExprPtr item = binary(1);
        const int height = item->height;
        tuple.items.push_back(starred ? make(from(star), Starred{std::move(item)}, height) : std::move(item));
    }
    const int height = heightOf(tuple.items);
    return make(from(begin), std::move(tuple), height);
}

ExprPtr Parser::starOrNamed()
{
    if (!at(Tok::kStar))
        return named();
    const std::uint32_t begin = cur_.begin;
    advance();
    ExprPtr value = binary(1);
    const int height = value->height;
    return make(from(begin), Starred{std::move(value)}, height);
}

ExprPtr Parser::named()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr value = expression();
    if (!at(Tok::kWalrus))
        return value;
    Identifier target;
    if (auto* name = std::get_if<Name>(&value->node))
        target = {std::move(name->id), value->range};
    else
        errorHere("':=' assigns to a plain name only");
    advance();
    value = expression();
    const int height = value->height;
    return make(from(begin), Walrus{std::move(target), std::move(value)}, height);
}

ExprPtr Parser::expression()
{
    if (at(Tok::kLambda))
        return lambda();
    const std::uint32_t begin = cur_.begin;
    ExprPtr value = orTest();
    return at(Tok::kIf) ? conditional(begin, std::move(value)) : std::move(value);
}

ExprPtr Parser::conditional(std::uint32_t begin, ExprPtr then)
{
    advance();
    ExprPtr condition = orTest();
    ExprPtr otherwise;
    if (accept(Tok::kElse)) {
        const Nest nest(*this);
        otherwise = nest ? expression() : bad();
    } else {
        errorHere(fmt::format("expected 'else' of the conditional expression before {}", describe(cur_)));
        otherwise = bad();
    }
    const int height = std::max({heightOf(then), heightOf(condition), heightOf(otherwise)});
    return make(from(begin), Conditional{std::move(condition), std::move(then), std::move(otherwise)}, height);
}

ExprPtr Parser::lambda()
{
    const Nest nest(*this);
    if (!nest)
        return bad();
    const std::uint32_t begin = cur_.begin;
    advance();
    int height = 0;
    Lambda node{parameters(Signature::kLambda, height), nullptr};
    expect(Tok::kColon, "behind the parameters of the lambda");
    node.body = expression();
    height = std::max(height, heightOf(node.body));
    return make(from(begin), std::move(node), height);
}

ExprPtr Parser::orTest()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr first = andTest();
    if (!at(Tok::kOr))
        return first;
    Logical node{BoolOp::kOr, {}};
    node.operands.push_back(std::move(first));
    while (accept(Tok::kOr))
        node.operands.push_back(andTest());
    const int height = heightOf(node.operands);
    return make(from(begin), std::move(node), height);
}

ExprPtr Parser::andTest()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr first = notTest();
    if (!at(Tok::kAnd))
        return first;
    Logical node{BoolOp::kAnd, {}};
    node.operands.push_back(std::move(first));
    while (accept(Tok::kAnd))
        node.operands.push_back(notTest());
    const int height = heightOf(node.operands);
    return make(from(begin), std::move(node), height);
}

ExprPtr Parser::notTest()
{
    if (!at(Tok::kNot))
        return comparison();
    const Nest nest(*this);
    if (!nest)
        return bad();
    const std::uint32_t begin = cur_.begin;
    advance();
    ExprPtr operand = notTest();
    const int height = operand->height;
    return make(from(begin), Unary{UnaryOp::kNot, std::move(operand)}, height);
}

// Consumes a comparison operator.
bool Parser::compareOperator(CompareOp& op)
{
    switch (cur_.kind) {
    case Tok::kEq: op = CompareOp::kEq; break;
    case Tok::kNe: op = CompareOp::kNe; break;
    case Tok::kLt: op = CompareOp::kLt; break;
    case Tok::kLe: op = CompareOp::kLe; break;
    case Tok::kGt: op = CompareOp::kGt; break;
    case Tok::kGe: op = CompareOp::kGe; break;
    case Tok::kIn: op = CompareOp::kIn; break;
    case Tok::kNot:
        if (peek().kind != Tok::kIn)
            return false;
        advance();
        op = CompareOp::kNotIn;
        break;
    case Tok::kIs:
        advance();
        op = accept(Tok::kNot) ? CompareOp::kIsNot : CompareOp::kIs;
        return true;
    default: return false;
    }
    advance();
    return true;
}

ExprPtr Parser::comparison()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr first = binary(1);
    CompareOp op{};
    if (!compareOperator(op))
        return first;
    Compare node;
    node.operands.push_back(std::move(first));
    do {
        node.ops.push_back(op);
        node.operands.push_back(binary(1));
    } while (compareOperator(op));
    const int height = heightOf(node.operands);
    return make(from(begin), std::move(node), height);
}

// Binary operators of at least strength `minimum`, by precedence climbing.
ExprPtr Parser::binary(int minimum)
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr left = unary();
    for (;;) {
        const int strength = strengthOf(cur_.kind);
        if (strength < minimum || strength == 0)
            return left;
        const BinaryOp op = binaryOf(cur_.kind);
        const SourceRange opRange = rangeOf(cur_);
        advance();
        ExprPtr right = binary(strength + 1);
        const int height = std::max(heightOf(left), heightOf(right));
        left = make(from(begin), Binary{op, std::move(left), std::move(right), opRange}, height);
    }
}

// Every way down to brackets, calls and operands leads through here.
ExprPtr Parser::unary()
{
    const Nest nest(*this);
    if (!nest)
        return bad();
    UnaryOp op{};
    switch (cur_.kind) {
    case Tok::kMinus: op = UnaryOp::kNegate; break;
    case Tok::kPlus: op = UnaryOp::kPlus; break;
    case Tok::kTilde: op = UnaryOp::kInvert; break;
    default: return power();
    }
    const std::uint32_t begin = cur_.begin;
    advance();
    ExprPtr operand = unary();
    const int height = operand->height;
    return make(from(begin), Unary{op, std::move(operand)}, height);
}

ExprPtr Parser::power()
{
    const std::uint32_t begin = cur_.begin;
    const bool await = accept(Tok::kAwait);
    ExprPtr base = postfix();
    if (await) {
        const int height = base->height;
        base = make(from(begin), Await{std::move(base)}, height);
    }
    if (!at(Tok::kDoubleStar))
        return base;
    const SourceRange opRange = rangeOf(cur_);
    advance();
    ExprPtr exponent = unary();
    const int height = std::max(heightOf(base), heightOf(exponent));
    return make(from(begin), Binary{BinaryOp::kPow, std::move(base), std::move(exponent), opRange}, height);
}

ExprPtr Parser::yieldExpression()
{
    const std::uint32_t begin = cur_.begin;
    advance();
    Yield node;
    node.from = accept(Tok::kFrom);
    if (node.from)
        node.value = expression();
    else if (startsExpression())
        node.value = starExpressions();
    const int height = heightOf(node.value);
    return make(from(begin), std::move(node), height);
}

ExprPtr Parser::targetList()
{
    const std::uint32_t begin = cur_.begin;
    const bool starred = accept(Tok::kStar);
    ExprPtr first = binary(1);
    const int height = first->height;
    if (starred)
        first = make(from(begin), Starred{std::move(first)}, height);
    return at(Tok::kComma) ? finishTuple(begin, std::move(first), true) : std::move(first);
}

// for … in … if …, one or more.
std::vector<ComprehensionClause> Parser::comprehensionClauses(int& height)
{
    std::vector<ComprehensionClause> clauses;
    while (at(Tok::kFor) || (at(Tok::kAsync) && peek().kind == Tok::kFor)) {
        ComprehensionClause clause;
        clause.isAsync = accept(Tok::kAsync);
        advance();
        clause.target = targetList();
        checkTarget(*clause.target, "assign to");
        expect(Tok::kIn, "of the comprehension");
        clause.iterable = orTest();
        while (accept(Tok::kIf))
            clause.conditions.push_back(orTest());
        height = std::max({height, heightOf(clause.target), heightOf(clause.iterable), heightOf(clause.conditions)});
        clauses.push_back(std::move(clause));
    }
    return clauses;
}

}  // namespace tw::syntax
