// A line diff: Myers' shortest edit script, bounded.
#pragma once

#include <string_view>
#include <vector>

namespace tw::compare {

struct DiffLine {
    enum class Kind { kSame, kAdded, kRemoved };
    Kind kind{};
    int before = -1, after = -1;  // line indices from 0; -1 where the line is not in that text
    bool operator==(const DiffLine&) const = default;
};

// The lines of both texts in one sequence; removed lines stand in front of those added in their place. Past `maxEdits`
// differing lines the middle part is given as all removed, then all added.
[[nodiscard]] std::vector<DiffLine> diffLines(std::string_view before, std::string_view after, int maxEdits = 4000);

[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text);  // without line ends

}  // namespace tw::compare
