// The little of UTF-8 and Unicode that the parser needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tw::syntax {

// Bytes of the code point that `text` begins with (1 for a byte that begins none). `text` is not empty.
[[nodiscard]] std::size_t codePointLength(std::string_view text);
// The code point that `text` begins with; `text` is valid UTF-8.
[[nodiscard]] std::uint32_t codePoint(std::string_view text);
// Appends as UTF-8; surrogates and values beyond Unicode as U+FFFD.
void appendCodePoint(std::string& out, std::uint32_t point);
// Offset of the first NUL or byte that is not UTF-8, or npos.
[[nodiscard]] std::size_t findNonText(std::string_view text);
// Length of the longest prefix of `word` whose code points may stand in a name.
[[nodiscard]] std::size_t namePrefix(std::string_view word);

}  // namespace tw::syntax
