// The text form of the IR is TileLang: the tile stage prints as an ordinary prim_func which the front end reads back to an
// equal function. What TileLang has no syntax for prints as a call of the reserved module `tw` (see core/ir/README.md).
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"

namespace tw::ir {

struct PrintedLine {
    SourceRange source;    // the user's text that the line came from, unknown where there is none
    std::uint32_t op = 0;  // the tile operation, 0 if none
};
struct Printed {
    std::string text;                // ends with a newline
    std::vector<PrintedLine> lines;  // one a line of `text`
};

// A whole file: imports, and where extents are symbolic the factory around the function.
[[nodiscard]] Printed print(const Function& f);
// For messages and tests: one line, names as they are.
[[nodiscard]] std::string print(const Expr& e);
[[nodiscard]] std::string print(const Region& r);
[[nodiscard]] std::string_view scopeName(MemoryScope scope);  // "shared.dyn", "local.fragment", …

}  // namespace tw::ir
