// What the lexer hands to the parser.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw::syntax {

// Keywords stand last, so that isKeyword() is one comparison.
enum class Tok : std::uint8_t {
#define TW_TOKEN(name, text) name,
#include "core/syntax/tokens.def"
#undef TW_TOKEN
};

// "name", "'('", "'if'": for messages.
[[nodiscard]] std::string_view tokenText(Tok kind);
// The keyword that `word` is, or Tok::kName.
[[nodiscard]] Tok keywordOf(std::string_view word);

struct Token {
    Tok kind = Tok::kEnd;
    bool first = false;        // the first token of its physical line
    std::uint16_t depth = 0;   // open brackets behind this token, clamped to 65535
    std::uint32_t begin = 0;   // byte offsets into the lexer's text
    std::uint32_t end = 0;
    std::uint32_t indent = 0;  // column of the physical line's first token; known where `first`
};

[[nodiscard]] inline bool isKeyword(Tok kind)
{
    return kind >= Tok::kFalse;
}
[[nodiscard]] inline bool isClose(Tok kind)
{
    return kind == Tok::kRParen || kind == Tok::kRBracket || kind == Tok::kRBrace;
}

}  // namespace tw::syntax
