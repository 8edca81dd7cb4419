// match statements.
#include <fmt/format.h>

#include "core/syntax/parser_impl.h"

namespace tw::syntax {

template <class Node>
PatternPtr Parser::pattern(std::uint32_t begin, Node node) const
{
    return std::make_unique<Pattern>(Pattern{from(begin), std::move(node)});
}

// "match" is a name too: it begins a statement where an expression, a ':' and the end of the line follow.
StmtPtr Parser::matchStatement()
{
    const Token header = cur_;
    Match node;
    const bool isMatch = attempt([&] {
        advance();
        if (!startsExpression())
            return false;
        node.subject = starExpressions();
        return at(Tok::kColon) && peek().kind == Tok::kNewline;
    });
    if (!isMatch)
        return nullptr;
    advance();
    advance();
    if (!at(Tok::kIndent)) {
        report(Code::kSyntaxIndent, rangeOf(header), "expected an indented block of 'case's behind the 'match' statement");
        return statement(header.begin, std::move(node));
    }
    advance();
    const Nest nest(*this);
    while (nest && atSoftKeyword("case")) {
        panic_ = false;
        node.cases.push_back(matchCase());
    }
    if (!at(Tok::kDedent) && !at(Tok::kEnd)) {
        errorHere(fmt::format("expected 'case' before {}", describe(cur_)));
        skipBlock();
    } else {
        accept(Tok::kDedent);
    }
    return statement(header.begin, std::move(node));
}

MatchCase Parser::matchCase()
{
    const Token header = cur_;
    advance();
    MatchCase out;
    out.pattern = patterns();
    if (accept(Tok::kIf))
        out.guard = named();
    out.body = block("'case'", header);
    return out;
}

PatternPtr Parser::patterns()
{
    const std::uint32_t begin = cur_.begin;
    const bool star = at(Tok::kStar);
    PatternPtr first = star ? starPattern() : asPattern();
    if (!at(Tok::kComma) && !star)
        return first;
    SequencePattern node;
    node.items.push_back(std::move(first));
    while (accept(Tok::kComma) && !at(Tok::kColon) && !at(Tok::kIf) && !panic_)
        node.items.push_back(at(Tok::kStar) ? starPattern() : asPattern());
    return pattern(begin, std::move(node));
}

PatternPtr Parser::starPattern()
{
    const std::uint32_t begin = cur_.begin;
    advance();
    Identifier name = identifier("a name behind '*'");
    return pattern(begin, StarPattern{name.text == "_" ? "" : std::move(name.text)});
}

PatternPtr Parser::asPattern()
{
    const Nest nest(*this);
    const std::uint32_t begin = cur_.begin;
    if (!nest)
        return pattern(begin, ValuePattern{bad()});
    PatternPtr inner = orPattern();
    if (!accept(Tok::kAs))
        return inner;
    Identifier name = identifier("a name behind 'as'");
    return pattern(begin, CapturePattern{std::move(name.text), std::move(inner)});
}

PatternPtr Parser::orPattern()
{
    const std::uint32_t begin = cur_.begin;
    PatternPtr first = closedPattern();
    if (!at(Tok::kPipe))
        return first;
    OrPattern node;
    node.alternatives.push_back(std::move(first));
    while (accept(Tok::kPipe))
        node.alternatives.push_back(closedPattern());
    return pattern(begin, std::move(node));
}

PatternPtr Parser::closedPattern()
{
    switch (cur_.kind) {
    case Tok::kName: return namePattern();
    case Tok::kLParen: return sequencePattern(Tok::kRParen);
    case Tok::kLBracket: return sequencePattern(Tok::kRBracket);
    case Tok::kLBrace: return mappingPattern();
    default: return valuePattern();
    }
}

PatternPtr Parser::valuePattern()
{
    const std::uint32_t begin = cur_.begin;
    return pattern(begin, ValuePattern{binary(5)});  // literals, -1, 1 + 2j
}

PatternPtr Parser::namePattern()
{
    const std::uint32_t begin = cur_.begin;
    ExprPtr value = simple();
    const bool capture = !at(Tok::kDot) && !at(Tok::kLParen);
    if (capture) {
        std::string name = std::get<Name>(value->node).id;
        return pattern(begin, CapturePattern{name == "_" ? "" : std::move(name), nullptr});
    }
    while (at(Tok::kDot) && !panic_)
        value = attribute(begin, std::move(value));
    if (at(Tok::kLParen))
        return classPattern(begin, std::move(value));
    return pattern(begin, ValuePattern{std::move(value)});
}

PatternPtr Parser::classPattern(std::uint32_t begin, ExprPtr type)
{
    ClassPattern node{std::move(type), {}, {}, {}};
    const Token open = openBracket();
    while (!isClose(cur_.kind) && !at(Tok::kEnd) && !panic_) {
        if (at(Tok::kName) && peek().kind == Tok::kAssign) {
            node.keywords.push_back(identifier("an attribute"));
            advance();
            node.keywordPatterns.push_back(asPattern());
        } else {
            if (!node.keywords.empty())
                errorHere("a positional pattern cannot follow keyword patterns");
            node.positional.push_back(asPattern());
        }
        if (!accept(Tok::kComma))
            break;
    }
    closeBracket(open);
    return pattern(begin, std::move(node));
}

// [a, *b], (a, b) or a pattern in parentheses.
PatternPtr Parser::sequencePattern(Tok close)
{
    const Token open = openBracket();
    SequencePattern node;
    bool comma = false;
    while (!at(close) && !at(Tok::kEnd) && !panic_) {
        node.items.push_back(at(Tok::kStar) ? starPattern() : asPattern());
        if (!accept(Tok::kComma))
            break;
        comma = true;
    }
    closeBracket(open);
    const bool group = close == Tok::kRParen && !comma && node.items.size() == 1 &&
                       !std::holds_alternative<StarPattern>(node.items[0]->node);
    return group ? std::move(node.items[0]) : pattern(open.begin, std::move(node));
}

PatternPtr Parser::mappingPattern()
{
    const Token open = openBracket();
    MappingPattern node;
    while (!isClose(cur_.kind) && !at(Tok::kEnd) && !panic_) {
        if (accept(Tok::kDoubleStar)) {
            node.rest = identifier("a name behind '**'").text;
        } else {
            node.keys.push_back(binary(5));
            expect(Tok::kColon, "behind the key of the pattern");
            node.values.push_back(asPattern());
        }
        if (!accept(Tok::kComma))
            break;
    }
    closeBracket(open);
    return pattern(open.begin, std::move(node));
}

}  // namespace tw::syntax
