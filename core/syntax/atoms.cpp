#include <fmt/format.h>

#include "core/syntax/literals.h"
#include "core/syntax/parser_impl.h"

namespace tw::syntax {

ExprPtr Parser::postfix()
{
    const std::uint32_t begin = cur_.begin;  // of the "(" in (a + b).c, which the value's range leaves out
    ExprPtr value = atom();
    for (;;) {
        switch (cur_.kind) {
        case Tok::kDot: value = attribute(begin, std::move(value)); break;
        case Tok::kLParen: value = call(begin, std::move(value)); break;
        case Tok::kLBracket: value = subscript(begin, std::move(value)); break;
        default: return value;
        }
    }
}

ExprPtr Parser::attribute(std::uint32_t begin, ExprPtr value)
{
    const int height = value->height;
    const Token dot = cur_;
    advance();
    if (!at(Tok::kName) || (cur_.first && open_.empty())) {
        if (isKeyword(cur_.kind) && !cur_.first)
            errorHere(fmt::format("expected an attribute name behind '.', but '{}' is a keyword", slice(cur_)));
        else if (open_.empty())
            report(Code::kSyntax, rangeOf(dot), "expected an attribute name behind '.'");
        else
            errorHere("expected an attribute name behind '.'");
        return make(from(begin), ErrorExpr{}, height);
    }
    Identifier name{std::string(slice(cur_)), rangeOf(cur_)};
    advance();
    return make(from(begin), Attribute{std::move(value), std::move(name)}, height);
}

ExprPtr Parser::call(std::uint32_t begin, ExprPtr callee)
{
    int height = callee->height;
    const Token open = openBracket();
    Call node{std::move(callee), arguments(open, height)};
    closeBracket(open);
    return make(from(begin), std::move(node), height);
}

// What stands between the parentheses of a call or of a class's bases.
std::vector<Argument> Parser::arguments(const Token& open, int& height)
{
    std::vector<Argument> list;
    bool keywords = false;
    while (!isClose(cur_.kind) && !at(Tok::kEnd)) {
        Argument next = argument();
        const bool loops = at(Tok::kFor) || (at(Tok::kAsync) && peek().kind == Tok::kFor);
        const bool generator = next.kind == Argument::Kind::kPositional && loops;
        if (generator) {  // f(x for x in y): the call's parentheses are the generator's
            const std::uint32_t begin = next.range.begin - base_.begin;
            int inner = heightOf(next.value);
            Comprehension node{Comprehension::Kind::kGenerator, std::move(next.value), nullptr, {}};
            node.clauses = comprehensionClauses(inner);
            const std::uint32_t end = at(Tok::kRParen) ? cur_.end : lastEnd_;
            const bool alone = list.empty() && at(Tok::kRParen);
            next.value = make(rangeOf(alone ? open.begin : begin, alone ? end : lastEnd_), std::move(node), inner);
            next.range = next.value->range;
            if (!alone && !panic_)
                report(Code::kSyntax, next.range, "a generator beside other arguments needs parentheses of its own");
        }
        if (next.kind == Argument::Kind::kPositional && keywords)
            report(Code::kSyntax, next.range, "a positional argument cannot follow keyword arguments");
        keywords = keywords || next.kind == Argument::Kind::kKeyword || next.kind == Argument::Kind::kDoubleStar;
        height = std::max(height, heightOf(next.value));
        list.push_back(std::move(next));
        if (!accept(Tok::kComma))
            break;
    }
    return list;
}

Argument Parser::argument()
{
    Argument out;
    const std::uint32_t begin = cur_.begin;
    if (accept(Tok::kStar)) {
        out.kind = Argument::Kind::kStar;
        out.value = expression();
    } else if (accept(Tok::kDoubleStar)) {
        out.kind = Argument::Kind::kDoubleStar;
        out.value = expression();
    } else if (at(Tok::kName) && peek().kind == Tok::kAssign) {
        out.kind = Argument::Kind::kKeyword;
        out.keyword = identifier("a keyword");
        advance();
        out.value = expression();
    } else {
        out.value = named();
        if (at(Tok::kAssign))
            errorHere("a keyword argument needs a plain name before '='; use '==' to compare");
    }
    out.range = from(begin);
    return out;
}

ExprPtr Parser::subscript(std::uint32_t begin, ExprPtr value)
{
    const Token open = openBracket();
    const std::uint32_t indexBegin = cur_.begin;
    ExprPtr index = subscriptItem();
    if (at(Tok::kComma)) {
        TupleExpr tuple;
        tuple.items.push_back(std::move(index));
        while (accept(Tok::kComma) && !isClose(cur_.kind) && !at(Tok::kEnd))
            tuple.items.push_back(subscriptItem());
        const int height = heightOf(tuple.items);
        index = make(from(indexBegin), std::move(tuple), height);
    }
    closeBracket(open);
    const int height = std::max(heightOf(value), heightOf(index));
    return make(from(begin), Subscript{std::move(value), std::move(index)}, height);
}

ExprPtr Parser::subscriptItem()
{
    const std::uint32_t begin = cur_.begin;
    SliceExpr slice;
    if (!at(Tok::kColon)) {
        ExprPtr first = starOrNamed();
        if (!at(Tok::kColon))
            return first;
        slice.lower = std::move(first);
    }
    advance();
    const auto absent = [&] { return at(Tok::kColon) || at(Tok::kComma) || isClose(cur_.kind); };
    if (!absent())
        slice.upper = expression();
    if (accept(Tok::kColon) && !absent())
        slice.step = expression();
    const int height = std::max({heightOf(slice.lower), heightOf(slice.upper), heightOf(slice.step)});
    return make(from(begin), std::move(slice), height);
}

ExprPtr Parser::atom()
{
    switch (cur_.kind) {
    case Tok::kNumber: return numberAtom();
    case Tok::kString: case Tok::kFString: return strings();
    case Tok::kLParen: return group();
    case Tok::kLBracket: return list();
    case Tok::kLBrace: return braces();
    case Tok::kName: case Tok::kFalse: case Tok::kNone: case Tok::kTrue: case Tok::kEllipsis: return simple();
    default: break;
    }
    if (isKeyword(cur_.kind) && !cur_.first)
        errorHere(fmt::format("expected an expression before the keyword '{}'", slice(cur_)));
    else
        errorHere(fmt::format("expected an expression before {}", describe(cur_)));
    return bad();
}

ExprPtr Parser::simple()
{
    const Token token = cur_;
    advance();
    const SourceRange range = rangeOf(token);
    switch (token.kind) {
    case Tok::kFalse: return make(range, BoolLiteral{false});
    case Tok::kTrue: return make(range, BoolLiteral{true});
    case Tok::kNone: return make(range, NoneLiteral{});
    case Tok::kEllipsis: return make(range, EllipsisLiteral{});
    default: return make(range, Name{std::string(slice(token))});
    }
}

ExprPtr Parser::numberAtom()
{
    const Token token = cur_;
    advance();
    auto expr = std::make_unique<Expr>();
    expr->range = rangeOf(token);
    numberValue(slice(token), *expr);
    return expr;
}

// (), (a), (a, b), (x for …), (yield)
ExprPtr Parser::group()
{
    const Token open = openBracket();
    if (at(Tok::kRParen)) {
        closeBracket(open);
        return make(from(open.begin), TupleExpr{});
    }
    if (at(Tok::kYield)) {
        ExprPtr value = yieldExpression();
        closeBracket(open);
        return value;
    }
    ExprPtr first = starOrNamed();
    if (at(Tok::kFor) || at(Tok::kAsync))
        return comprehension(open, Comprehension::Kind::kGenerator, std::move(first), nullptr);
    const bool tuple = at(Tok::kComma);
    if (tuple)
        first = finishTuple(open.begin, std::move(first), false);
    else if (std::holds_alternative<Starred>(first->node))
        report(Code::kSyntax, first->range, "a starred expression stands in a list, tuple or call only");
    closeBracket(open);
    if (tuple)
        first->range = from(open.begin);
    return first;
}

ExprPtr Parser::list()
{
    const Token open = openBracket();
    ListExpr node;
    while (!isClose(cur_.kind) && !at(Tok::kEnd)) {
        node.items.push_back(starOrNamed());
        if (node.items.size() == 1 && (at(Tok::kFor) || at(Tok::kAsync)))
            return comprehension(open, Comprehension::Kind::kList, std::move(node.items[0]), nullptr);
        if (!accept(Tok::kComma))
            break;
    }
    closeBracket(open);
    const int height = heightOf(node.items);
    return make(from(open.begin), std::move(node), height);
}

ExprPtr Parser::comprehension(const Token& open, Comprehension::Kind kind, ExprPtr element, ExprPtr value)
{
    int height = std::max(heightOf(element), heightOf(value));
    Comprehension node{kind, std::move(element), std::move(value), {}};
    node.clauses = comprehensionClauses(height);
    if (node.clauses.empty())
        errorHere("expected 'for' of the comprehension");
    closeBracket(open);
    return make(from(open.begin), std::move(node), height);
}

// {…}: dictionary, set or comprehension.
ExprPtr Parser::braces()
{
    const Token open = openBracket();
    if (at(Tok::kRBrace) || at(Tok::kDoubleStar))
        return dictionary(open, nullptr);
    SetExpr node;
    node.items.push_back(starOrNamed());
    if (at(Tok::kColon))
        return dictionary(open, std::move(node.items[0]));
    if (at(Tok::kFor) || at(Tok::kAsync))
        return comprehension(open, Comprehension::Kind::kSet, std::move(node.items[0]), nullptr);
    while (accept(Tok::kComma) && !isClose(cur_.kind) && !at(Tok::kEnd))
        node.items.push_back(starOrNamed());
    closeBracket(open);
    const int height = heightOf(node.items);
    return make(from(open.begin), std::move(node), height);
}

DictItem Parser::dictItem()
{
    DictItem item;
    if (accept(Tok::kDoubleStar)) {
        item.value = binary(1);
        return item;
    }
    item.key = expression();
    item.value = expect(Tok::kColon, "behind the key of the dictionary") ? expression() : bad();
    return item;
}

ExprPtr Parser::dictionary(const Token& open, ExprPtr firstKey)
{
    DictExpr node;
    if (firstKey) {
        advance();
        ExprPtr value = expression();
        if (at(Tok::kFor) || at(Tok::kAsync))
            return comprehension(open, Comprehension::Kind::kDict, std::move(firstKey), std::move(value));
        node.items.push_back({std::move(firstKey), std::move(value)});
        if (!at(Tok::kRBrace) && !accept(Tok::kComma)) {
            closeBracket(open);
            return make(from(open.begin), ErrorExpr{});
        }
    }
    while (!isClose(cur_.kind) && !at(Tok::kEnd)) {
        node.items.push_back(dictItem());
        if (!accept(Tok::kComma))
            break;
    }
    closeBracket(open);
    int height = 0;
    for (const DictItem& item : node.items)
        height = std::max({height, heightOf(item.key), heightOf(item.value)});
    return make(from(open.begin), std::move(node), height);
}

}  // namespace tw::syntax
