// A text of some stage with, for every line, where it came from. What listings show and what links them to each other.
#pragma once

#include <string>
#include <vector>

#include "codegen/driver/compile.h"
#include "core/ir/print.h"

namespace tw::gui {

struct ListingLine {
    SourceRange source;
    std::uint32_t op = 0;
    enum class Mark { kNone, kAdded, kRemoved } mark = Mark::kNone;
};
struct Listing {
    std::string text;                // ends with a newline unless it is empty
    std::vector<ListingLine> lines;  // one a line of `text`
    [[nodiscard]] bool isEmpty() const { return text.empty(); }
};

[[nodiscard]] Listing makeListing(const ir::Printed& printed);
[[nodiscard]] Listing makeListing(const driver::TargetCode& code);
// `after` with the lines that it lost against `before` put in, both marked.
[[nodiscard]] Listing makeDiff(const Listing& before, const Listing& after);

// Lines (from 1) of the listing that came from the source lines of `range`, or from tile operation `op` (0: none).
// A line that covers a whole block (a loop) counts by where it begins.
[[nodiscard]] std::vector<int> linkedLines(const Listing& listing, const SourceText& source, const SourceRange& range, std::uint32_t op = 0);
// Lines (from 1) of the source that `line` (from 1) of the listing came from; empty if unknown.
[[nodiscard]] std::vector<int> sourceLines(const Listing& listing, const SourceText& source, int line);

}  // namespace tw::gui
