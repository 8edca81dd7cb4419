// Two to eight texts side by side: lines that correspond stand in one row, rows in which nothing differs are folded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::compare {

struct AlignedLine {
    enum class Kind { kSame, kChanged, kMissing, kFold };  // against the other columns: equal in all, differs, not there, folded rows
    Kind kind{};
    int line = -1;    // of the column's text, from 0; -1 for kMissing and kFold
    int folded = 0;   // rows that a kFold stands for
};
struct AlignedTexts {
    // By column, then row; all columns have equally many rows.
    std::vector<std::vector<AlignedLine>> columns;
    int changedRows = 0;
    // A column as text with one line a row: its own lines, empty ones where it has none, "⋯ 12 equal lines" for a fold.
    [[nodiscard]] std::string text(std::size_t column, std::string_view original) const;
};

// Every text is aligned with the first. `context`: equal rows that stay around a difference; -1: nothing is folded.
[[nodiscard]] AlignedTexts alignTexts(const std::vector<std::string_view>& texts, int context);

}  // namespace tw::compare
