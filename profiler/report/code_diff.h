// Texts side by side in a page: lines that correspond stand in one row, what differs is marked, what is equal is folded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::report {

// One column a text, under `names`, aligned with the first. Folded parts open without a script. Texts that are all the same are one
// folded text; none where all are empty. A text that is empty is left out.
[[nodiscard]] std::string codeDiff(const std::vector<std::string>& names, const std::vector<std::string_view>& texts);

}  // namespace tw::report
