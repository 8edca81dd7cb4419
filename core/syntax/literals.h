// Values of number and string literals.
#pragma once

#include <string>
#include <string_view>

#include "core/syntax/ast.h"

namespace tw::syntax {

// Length of the number that `text` begins with; 0 and a message if its spelling is wrong (`length` is then what to skip).
struct NumberSpan {
    std::size_t length = 0;
    std::string error;
};
[[nodiscard]] NumberSpan scanNumber(std::string_view text);
// An IntLiteral, FloatLiteral or ImaginaryLiteral.
void numberValue(std::string_view text, Expr& out);

// A whole literal with prefix and quotes: r'…', b"""…""".
struct StringParts {
    std::string_view body;
    bool raw = false, bytes = false;
};
[[nodiscard]] StringParts splitString(std::string_view literal);
// Resolves the escapes of `body` and appends. \N{…} is kept as written; escapes that Python does not know keep their
// backslash. Returns false at a malformed \x, \u or \U, which is kept as written.
bool appendDecoded(std::string& out, std::string_view body, bool raw, bool bytes);

}  // namespace tw::syntax
