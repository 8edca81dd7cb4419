// String literals, and f-strings by Python 3.12's rules: any expression, any quotes, nested specifications.
#include <fmt/format.h>

#include "core/syntax/literals.h"
#include "core/syntax/parser_impl.h"

namespace tw::syntax {

// Adjacent literals are one literal.
ExprPtr Parser::strings()
{
    const std::uint32_t begin = cur_.begin;
    int height = 0;
    bool formatted = false, bytes = false, plain = false;
    std::vector<FormatPiece> pieces;
    while (at(Tok::kString) || at(Tok::kFString)) {
        if (at(Tok::kFString)) {
            formatted = true;
            formatString(pieces, height);
            continue;
        }
        const StringParts parts = splitString(slice(cur_));
        (parts.bytes ? bytes : plain) = true;
        std::string text = plainString(cur_, parts.bytes);
        if (!pieces.empty() && !pieces.back().expr)
            pieces.back().text += text;
        else
            pieces.push_back({.text = std::move(text), .expr = {}, .conversion = 0, .debug = false, .spec = {}});
        advance();
    }
    const SourceRange range = from(begin);
    if (bytes && (plain || formatted))
        report(Code::kSyntax, range, "bytes and text literals cannot be joined");
    if (formatted) {
        std::erase_if(pieces, [](const FormatPiece& piece) { return !piece.expr && piece.text.empty(); });
        return make(range, FormatString{std::move(pieces)}, height);
    }
    if (bytes)
        return make(range, BytesLiteral{std::move(pieces[0].text)});
    return make(range, StringLiteral{std::move(pieces[0].text)});
}

std::string Parser::plainString(const Token& token, bool bytes)
{
    const StringParts parts = splitString(slice(token));
    std::string text;
    if (!appendDecoded(text, parts.body, parts.raw, bytes))
        report(Code::kSyntax, rangeOf(token), "malformed \\x, \\u or \\U escape: it needs 2, 4 or 8 hexadecimal digits");
    return text;
}

// One f-string; its start (prefix and quote) is the current token and nothing has been read behind it.
void Parser::formatString(std::vector<FormatPiece>& pieces, int& height)
{
    const Nest nest(*this);
    const std::string_view start = slice(cur_);
    const Quote quote{start.back(), start.size() >= 4 && start[start.size() - 3] == start.back(),
                      start.find_first_of("rR") != std::string_view::npos, cur_.begin};
    const std::size_t brackets = lexer_.bracketDepth(), open = open_.size();
    const Token token = cur_;
    if (nest && formatPieces(quote, false, pieces, height)) {
        lastEnd_ = lexer_.position();
        cur_.kind = Tok::kNewline;  // its end is known: advance() must not take it from the token
        advance();
        return;
    }
    report(Code::kSyntax, rangeOf(token), "f-string is never closed");
    // Go on behind the nearest quote that could close it, or at the end of its line.
    lexer_.closeBrackets(brackets);
    open_.resize(open);
    hasPeeked_ = false;
    const std::string_view text = lexer_.text();
    const std::string closing(quote.triple ? 3 : 1, quote.quote);
    const std::size_t found = text.find(closing, token.end);
    const std::size_t lineEnd = quote.triple ? text.size() : std::min(text.find_first_of("\r\n", token.end), text.size());
    lexer_.moveTo(static_cast<std::uint32_t>(found < lineEnd ? found + closing.size() : lineEnd));
    lastEnd_ = token.end;
    cur_.kind = Tok::kNewline;
    advance();
}

// Where the literal text that begins at `begin` ends: at a brace, the closing quote, or (in a specification) '}'.
// `doubled`: the brace stands twice and means itself.
std::uint32_t Parser::literalEnd(const Quote& quote, bool spec, std::uint32_t begin, bool& doubled) const
{
    const std::string_view text = lexer_.text();
    const auto get = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    doubled = false;
    std::uint32_t i = begin;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (c == quote.quote && (!quote.triple || (get(i + 1) == c && get(i + 2) == c)))
            return i;
        if ((c == '\n' || c == '\r') && !quote.triple)
            return i;
        if (c == '{' || c == '}') {
            doubled = !spec && get(i + 1) == c;
            return i;
        }
        if (c != '\\' || (quote.raw && get(i + 1) != quote.quote))
            continue;
        if (get(i + 1) == 'N' && get(i + 2) == '{') {  // \N{NAME} is one character, not a field
            const std::size_t close = text.find_first_of("}\n", i);
            i = close != std::string_view::npos && text[close] == '}' ? static_cast<std::uint32_t>(close) : i + 1;
        } else if (get(i + 1) != '{' && get(i + 1) != '}') {
            ++i;
        }
    }
    return i;
}

// Reads pieces from the lexer's position up to and behind the closing quote (or up to the '}' that ends a specification).
bool Parser::formatPieces(const Quote& quote, bool spec, std::vector<FormatPiece>& pieces, int& height)
{
    const std::string_view text = lexer_.text();
    std::uint32_t at = lexer_.position();
    std::string literal;
    const auto flush = [&] {
        if (literal.empty())
            return;
        if (!spec && !pieces.empty() && !pieces.back().expr)
            pieces.back().text += literal;
        else
            pieces.push_back({.text = literal, .expr = {}, .conversion = 0, .debug = false, .spec = {}});
        literal.clear();
    };
    for (;;) {
        bool doubled = false;
        const std::uint32_t end = literalEnd(quote, spec, at, doubled);
        if (!appendDecoded(literal, text.substr(at, end - at), quote.raw, false))
            report(Code::kSyntax, rangeOf(at, end), "malformed \\x, \\u or \\U escape: it needs 2, 4 or 8 hexadecimal digits");
        const char stop = end < text.size() ? text[end] : '\0';
        lexer_.moveTo(end);
        if (doubled) {
            literal += stop;
            at = end + 2;
        } else if (stop == '{') {
            flush();
            lexer_.moveTo(end + 1);
            if (!formatField(quote, pieces, height))
                return false;
            at = lexer_.position();
        } else if (stop == '}' && !spec) {
            report(Code::kSyntax, rangeOf(end, end + 1), "single '}' in an f-string; write '}}' for the character");
            at = end + 1;
        } else if (stop == '}') {
            flush();
            return true;
        } else if (stop == quote.quote && !spec) {
            flush();
            lexer_.moveTo(end + (quote.triple ? 3U : 1U));
            return true;
        } else {
            return false;
        }
    }
}

// A replacement field, behind its '{'. Leaves the lexer behind its '}'.
bool Parser::formatField(const Quote& quote, std::vector<FormatPiece>& pieces, int& height)
{
    const Nest nest(*this);
    if (!nest)
        return false;
    const std::uint32_t begin = lexer_.position();
    lexer_.openField();
    cur_.kind = Tok::kNewline;
    advance();
    FormatPiece piece;
    open_.push_back({.kind = Tok::kLBrace, .first = false, .depth = cur_.depth, .begin = begin - 1, .end = begin, .indent = 0});
    if (at(Tok::kRBrace)) {
        report(Code::kSyntax, rangeOf(begin - 1, cur_.end), "a replacement field needs an expression between '{' and '}'");
        piece.expr = bad();
    } else {
        piece.expr = at(Tok::kYield) ? yieldExpression() : starExpressions();
    }
    height = std::max(height, heightOf(piece.expr));
    if (at(Tok::kAssign)) {
        piece.debug = true;
        advance();
        piece.text = std::string(lexer_.text().substr(begin, cur_.begin - begin));
    }
    if (!fieldTail(quote, piece, height))
        return false;  // formatString() takes the brace off
    open_.pop_back();
    pieces.push_back(std::move(piece));
    return true;
}

// !r, :specification and the closing brace.
bool Parser::fieldTail(const Quote& quote, FormatPiece& piece, int& height)
{
    if (at(Tok::kBang)) {
        advance();
        const std::string_view kind = at(Tok::kName) ? slice(cur_) : std::string_view();
        if (kind == "r" || kind == "s" || kind == "a")
            piece.conversion = kind[0];
        else
            report(Code::kSyntax, rangeOf(cur_), "expected 'r', 's' or 'a' behind '!' of a replacement field");
        if (at(Tok::kName))
            advance();
    }
    if (at(Tok::kColon)) {
        if (!formatPieces(quote, true, piece.spec, height))
            return false;
        cur_.kind = Tok::kNewline;
        advance();
    }
    if (at(Tok::kRBrace))
        return true;
    errorHere(fmt::format("expected '}}' to close the replacement field before {}", describe(cur_)));
    return false;
}

}  // namespace tw::syntax
