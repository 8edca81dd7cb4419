// Small texts of the tables.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tw::store {

// "NAME=VALUE" lines. Values are Python literals, in which a line end is always escaped.
[[nodiscard]] std::string paramsToText(const std::map<std::string, std::string>& params);
[[nodiscard]] std::map<std::string, std::string> paramsFromText(std::string_view text);

}  // namespace tw::store
