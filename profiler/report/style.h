// How pages and pictures look, light and dark.
#pragma once

#include <string>
#include <string_view>

namespace tw::report {

[[nodiscard]] std::string_view pageStyle();  // CSS of a page, its pictures included

// The picture as a file of its own: follows the reader's theme too. Empty stays empty.
[[nodiscard]] std::string standalone(std::string svg);

}  // namespace tw::report
