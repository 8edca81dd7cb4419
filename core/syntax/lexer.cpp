#include "core/syntax/lexer.h"

#include <fmt/format.h>

#include "core/syntax/literals.h"
#include "core/syntax/unicode.h"

namespace tw::syntax {

namespace {

constexpr std::uint32_t kTabWidth = 8;

bool isNameStart(char c)
{
    const auto u = static_cast<unsigned char>(c);
    return static_cast<unsigned char>((u | 0x20U) - 'a') < 26 || u == '_' || u >= 0x80;
}
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

}  // namespace

Lexer::Lexer(std::string_view text, bool insideBracket) : text_(text)
{
    if (text_.starts_with("\xEF\xBB\xBF"))
        at_ = 3;
    if (insideBracket) {
        brackets_.push_back('(');
        lineStart_ = false;
    }
}

void Lexer::fail(Code code, std::uint32_t begin, std::uint32_t end, std::string message)
{
    if (!error_)
        error_ = LexError{code, begin, end, std::move(message)};
}

Token Lexer::make(Tok kind, std::uint32_t begin)
{
    const auto depth = static_cast<std::uint16_t>(std::min<std::size_t>(brackets_.size(), UINT16_MAX));
    Token token{.kind = kind, .first = first_, .depth = depth, .begin = begin, .end = at_, .indent = indent_};
    first_ = false;
    last_ = kind;
    return token;
}

// Consumes "\n", "\r\n" or "\r".
bool Lexer::skipLineEnd()
{
    const char c = peek();
    if (c != '\n' && c != '\r')
        return false;
    at_ += c == '\r' && peek(1) == '\n' ? 2 : 1;
    return true;
}

// Spaces, comments, joined lines; inside brackets line ends too.
void Lexer::skipSpace()
{
    while (!atEnd()) {
        const char c = text_[at_];
        if (c == ' ' || c == '\t' || c == '\f') {
            ++at_;
        } else if (c == '#') {
            while (!atEnd() && text_[at_] != '\n' && text_[at_] != '\r')
                ++at_;
        } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
            ++at_;
            skipLineEnd();
        } else if ((c == '\n' || c == '\r') && !brackets_.empty()) {
            skipLineEnd();
            std::uint32_t tabless = 0;
            measureIndent(indent_, tabless);
            first_ = true;
        } else {
            return;
        }
    }
}

void Lexer::measureIndent(std::uint32_t& column, std::uint32_t& tabless)
{
    column = tabless = 0;
    for (;; ++at_) {
        const char c = peek();
        if (c == ' ') {
            ++column;
            ++tabless;
        } else if (c == '\t') {
            column = (column / kTabWidth + 1) * kTabWidth;
            ++tabless;
        } else if (c == '\f') {
            column = tabless = 0;
        } else {
            return;
        }
    }
}

// The indentation of the next line that holds a token.
void Lexer::indentLine()
{
    std::uint32_t column = 0, tabless = 0;
    for (;;) {
        measureIndent(column, tabless);
        if (peek() == '#')
            skipSpace();
        if (!skipLineEnd())
            break;
    }
    lineStart_ = false;
    first_ = true;
    if (atEnd())
        column = tabless = 0;
    indent_ = column;
    compareIndent(column, tabless);
}

void Lexer::compareIndent(std::uint32_t column, std::uint32_t tabless)
{
    Indent& top = indents_.back();
    if (column == top.misaligned)
        return;
    const bool consistent = column == top.column ? tabless == top.tabless : (column > top.column) == (tabless > top.tabless);
    if (!consistent) {
        fail(Code::kSyntaxIndent, at_ - std::min(at_, tabless), at_,
             "indentation mixes tabs and spaces in a way that cannot be compared; use spaces only");
        top.misaligned = column;  // taken as aligned: one report, and the block goes on
        return;
    }
    if (column == top.column)
        return;
    if (column > top.column) {
        indents_.push_back({column, tabless, UINT32_MAX});
        pending_ = 1;
        return;
    }
    dedentTo(column, tabless);
}

void Lexer::dedentTo(std::uint32_t column, std::uint32_t tabless)
{
    // A line between two levels stays in the deeper block: usually one line of it slipped.
    while (indents_.size() > 1 && indents_[indents_.size() - 2].column >= column) {
        indents_.pop_back();
        --pending_;
        if (column == indents_.back().misaligned)
            return;
    }
    Indent& top = indents_.back();
    if (column == top.misaligned || (column == top.column && tabless == top.tabless))
        return;
    if (column != top.column)
        fail(Code::kSyntaxIndent, at_ - std::min(at_, tabless), at_,
             fmt::format("unindent to column {} does not match the indentation of any enclosing block", column + 1));
    else
        fail(Code::kSyntaxIndent, at_ - std::min(at_, tabless), at_,
             "indentation mixes tabs and spaces in a way that cannot be compared; use spaces only");
    top.misaligned = column;
}

Token Lexer::next()
{
    for (;;) {
        if (lineStart_ && brackets_.empty())
            indentLine();
        if (pending_ != 0) {
            const Tok kind = pending_ > 0 ? Tok::kIndent : Tok::kDedent;
            pending_ += pending_ > 0 ? -1 : 1;
            Token token = make(kind, at_);
            first_ = true;
            return token;
        }
        skipSpace();
        const std::uint32_t begin = at_;
        if (atEnd()) {
            if (last_ != Tok::kNewline && last_ != Tok::kDedent && last_ != Tok::kEnd && brackets_.empty()) {
                lineStart_ = true;
                return make(Tok::kNewline, begin);
            }
            return make(Tok::kEnd, begin);
        }
        const char c = text_[at_];
        if (c == '\n' || c == '\r') {
            Token token = make(Tok::kNewline, begin);
            skipLineEnd();
            lineStart_ = true;
            return token;
        }
        if (isNameStart(c))
            return nameOrString();
        if (isDigit(c) || (c == '.' && isDigit(peek(1))))
            return number();
        if (c == '"' || c == '\'')
            return string(begin, {});
        Token token = operatorToken();
        if (token.kind != Tok::kEnd)
            return token;
        badCharacter();
    }
}

Token Lexer::nameOrString()
{
    const std::uint32_t begin = at_;
    bool ascii = true;
    while (!atEnd() && (isNameStart(text_[at_]) || isDigit(text_[at_]))) {
        ascii = ascii && static_cast<unsigned char>(text_[at_]) < 0x80;
        ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if ((peek() == '"' || peek() == '\'') && word.size() <= 2) {
        std::string prefix;
        for (const char c : word)
            prefix += static_cast<char>(c | 0x20);
        for (const std::string_view known : {"r", "b", "f", "u", "rb", "br", "rf", "fr"})
            if (prefix == known)
                return string(begin, word);
    }
    if (!ascii) {
        const std::size_t good = namePrefix(word);
        if (good == 0) {
            at_ = begin;
            return badCharacter();
        }
        at_ = begin + static_cast<std::uint32_t>(good);
    }
    return make(keywordOf(word), begin);
}

Token Lexer::number()
{
    const std::uint32_t begin = at_;
    NumberSpan span = scanNumber(text_.substr(begin));
    at_ += static_cast<std::uint32_t>(span.length);
    if (!span.error.empty())
        fail(Code::kSyntax, begin, at_, std::move(span.error));
    return make(Tok::kNumber, begin);
}

Token Lexer::string(std::uint32_t begin, std::string_view prefix)
{
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    const std::uint32_t open = at_;
    at_ += triple ? 3 : 1;
    if (prefix.find_first_of("fF") != std::string_view::npos)
        return make(Tok::kFString, begin);  // the parser reads on
    for (; !atEnd(); ++at_) {
        const char c = text_[at_];
        if (c == '\\') {
            ++at_;
            if (peek() == '\r' && peek(1) == '\n')
                ++at_;
        } else if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
            at_ += triple ? 3 : 1;
            return make(Tok::kString, begin);
        } else if (!triple && (c == '\n' || c == '\r')) {
            break;
        }
    }
    at_ = std::min(at_, static_cast<std::uint32_t>(text_.size()));
    fail(Code::kSyntax, begin, triple ? open + 3 : at_,
         triple ? "triple-quoted string is never closed" : "string is not closed before the end of the line");
    return make(Tok::kString, begin);
}

Tok Lexer::longest(Tok plain, Tok withAssign)
{
    ++at_;
    if (peek() != '=')
        return plain;
    ++at_;
    return withAssign;
}

Token Lexer::operatorToken()
{
    const std::uint32_t begin = at_;
    const char c = text_[at_];
    const bool doubled = peek(1) == c;
    const auto one = [&](Tok kind) {
        ++at_;
        return make(kind, begin);
    };
    const auto two = [&](Tok kind) {
        at_ += 2;
        return make(kind, begin);
    };
    const auto open = [&](Tok kind) {
        brackets_.push_back(c);
        return one(kind);
    };
    const auto close = [&](Tok kind) {
        if (!brackets_.empty())
            brackets_.pop_back();
        return one(kind);
    };
    switch (c) {
    case '(': return open(Tok::kLParen);
    case '[': return open(Tok::kLBracket);
    case '{': return open(Tok::kLBrace);
    case ')': return close(Tok::kRParen);
    case ']': return close(Tok::kRBracket);
    case '}': return close(Tok::kRBrace);
    case ',': return one(Tok::kComma);
    case ';': return one(Tok::kSemicolon);
    case '~': return one(Tok::kTilde);
    case '.': return doubled && peek(2) == '.' ? (++at_, two(Tok::kEllipsis)) : one(Tok::kDot);
    // In a replacement field ":" begins the format specification, whatever follows.
    case ':': return peek(1) == '=' && (brackets_.empty() || brackets_.back() != 'f') ? two(Tok::kWalrus) : one(Tok::kColon);
    case '=': return doubled ? two(Tok::kEq) : one(Tok::kAssign);
    case '!':
        if (peek(1) == '=')
            return two(Tok::kNe);
        return !brackets_.empty() && brackets_.back() == 'f' ? one(Tok::kBang) : Token{};
    case '+': return make(longest(Tok::kPlus, Tok::kPlusAssign), begin);
    case '-': return peek(1) == '>' ? two(Tok::kArrow) : make(longest(Tok::kMinus, Tok::kMinusAssign), begin);
    case '%': return make(longest(Tok::kPercent, Tok::kPercentAssign), begin);
    case '@': return make(longest(Tok::kAt, Tok::kAtAssign), begin);
    case '&': return make(longest(Tok::kAmper, Tok::kAmperAssign), begin);
    case '|': return make(longest(Tok::kPipe, Tok::kPipeAssign), begin);
    case '^': return make(longest(Tok::kCaret, Tok::kCaretAssign), begin);
    case '*':
        at_ += doubled ? 1 : 0;
        return make(doubled ? longest(Tok::kDoubleStar, Tok::kDoubleStarAssign) : longest(Tok::kStar, Tok::kStarAssign), begin);
    case '/':
        at_ += doubled ? 1 : 0;
        return make(doubled ? longest(Tok::kDoubleSlash, Tok::kDoubleSlashAssign) : longest(Tok::kSlash, Tok::kSlashAssign),
                    begin);
    case '<':
        at_ += doubled ? 1 : 0;
        return make(doubled ? longest(Tok::kShl, Tok::kShlAssign) : longest(Tok::kLt, Tok::kLe), begin);
    case '>':
        at_ += doubled ? 1 : 0;
        return make(doubled ? longest(Tok::kShr, Tok::kShrAssign) : longest(Tok::kGt, Tok::kGe), begin);
    default: return {};
    }
}

// Reports and skips one character that begins no token; the result only keeps the line from looking empty.
Token Lexer::badCharacter()
{
    const std::uint32_t begin = at_;
    const std::size_t length = codePointLength(text_.substr(begin));
    at_ += static_cast<std::uint32_t>(length);
    const std::string_view shown = text_.substr(begin, length);
    if (shown == "\\")
        fail(Code::kSyntax, begin, at_, "a backslash joins lines only as the last character of its line");
    else if (length > 1)
        fail(Code::kSyntax, begin, at_, fmt::format("unexpected character '{}' (U+{:04X})", shown, codePoint(shown)));
    else
        fail(Code::kSyntax, begin, at_, static_cast<unsigned char>(shown[0]) < 0x20 || shown[0] == 0x7F
                                            ? fmt::format("unexpected control character 0x{:02X}", shown[0])
                                            : fmt::format("unexpected character '{}'", shown));
    return make(Tok::kName, begin);
}

void Lexer::openField()
{
    brackets_.push_back('f');
}

void Lexer::closeBrackets(std::size_t depth)
{
    brackets_.resize(std::min(depth, brackets_.size()));
}

Token Lexer::resumeAtLine(const Token& token)
{
    at_ = token.begin;
    while (at_ > 0 && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t' || text_[at_ - 1] == '\f'))
        --at_;
    brackets_.clear();
    pending_ = 0;
    Token newline = make(Tok::kNewline, at_);
    lineStart_ = true;
    return newline;
}

void Lexer::restore(const Mark& mark)
{
    at_ = mark.at;
    indent_ = mark.indent;
    brackets_.resize(mark.brackets);
    last_ = mark.last;
    lineStart_ = mark.lineStart;
    first_ = mark.first;
    error_.reset();
}

}  // namespace tw::syntax
