// Text to tokens, one at a time, so that the parser can close brackets that were never closed and go on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"
#include "core/syntax/token.h"

namespace tw::syntax {

struct LexError {
    Code code{};
    std::uint32_t begin = 0, end = 0;
    std::string message;
};

class Lexer {
public:
    // `insideBracket`: line ends do not end statements (one expression's text).
    Lexer(std::string_view text, bool insideBracket);

    // Linear in the text. Behind the last token: kNewline, the kDedents, then kEnd for ever.
    Token next();
    // The first error met since the last call.
    [[nodiscard]] std::optional<LexError> takeError() { return std::exchange(error_, std::nullopt); }
    [[nodiscard]] bool hasError() const { return error_.has_value(); }

    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::string_view slice(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
    [[nodiscard]] std::uint32_t position() const { return at_; }
    [[nodiscard]] std::uint32_t blockIndent() const { return indents_.back().column; }

    // ---- the parser's recovery ----
    // Forgets open brackets beyond `depth`.
    void closeBrackets(std::size_t depth);
    [[nodiscard]] std::size_t bracketDepth() const { return brackets_.size(); }
    // Goes on at the physical line that `token` begins, outside of all brackets; gives the kNewline before it.
    Token resumeAtLine(const Token& token);

    // ---- f-strings: the parser reads the text between fields through here ----
    void moveTo(std::uint32_t offset) { at_ = offset; }
    void openField();  // '{' of a replacement field has been read
    void fail(Code code, std::uint32_t begin, std::uint32_t end, std::string message);

    // Position within a logical line. Valid until the line's kNewline has been passed.
    struct Mark {
        std::uint32_t at = 0;
        std::uint32_t indent = 0;
        std::size_t brackets = 0;
        Tok last{};
        bool lineStart = false, first = false;
    };
    [[nodiscard]] Mark mark() const { return {at_, indent_, brackets_.size(), last_, lineStart_, first_}; }
    void restore(const Mark& mark);

private:
    struct Indent {
        std::uint32_t column = 0, tabless = 0;   // with tabs to the next 8, and with tabs as one column
        std::uint32_t misaligned = UINT32_MAX;   // a wrong column that was reported and is taken for this one
    };

    [[nodiscard]] char peek(std::uint32_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
    Token make(Tok kind, std::uint32_t begin);
    bool skipLineEnd();
    void skipSpace();
    void measureIndent(std::uint32_t& column, std::uint32_t& tabless);
    void indentLine();
    void compareIndent(std::uint32_t column, std::uint32_t tabless);
    void dedentTo(std::uint32_t column, std::uint32_t tabless);
    Token nameOrString();
    Token number();
    Token string(std::uint32_t begin, std::string_view prefix);
    Token operatorToken();
    Token badCharacter();
    Tok longest(Tok plain, Tok withAssign);

    std::string_view text_;
    std::uint32_t at_ = 0;
    std::uint32_t indent_ = 0;      // column of the current physical line's first token
    bool lineStart_ = true;         // a logical line begins here
    bool first_ = true;             // no token of the physical line yet
    int pending_ = 0;               // > 0: kIndent is due; < 0: that many kDedents
    Tok last_ = Tok::kNewline;
    std::vector<char> brackets_;    // '(' '[' '{' and 'f' for a replacement field
    std::vector<Indent> indents_{Indent{}};
    std::optional<LexError> error_;
};

}  // namespace tw::syntax
