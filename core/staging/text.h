// Text of staging values: str(), repr() of parts, format specifications, UTF-8 strings as Python indexes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/staging/value.h"

namespace tw::staging {

[[nodiscard]] std::string floatText(double value);           // as repr(): the shortest text that reads back
[[nodiscard]] std::string quoted(std::string_view text);     // as repr() of a str
[[nodiscard]] std::string plainText(const Value& value);     // as str()

// format(value, spec): fill, alignment, sign, #, 0, width, grouping, precision, type. Empty where the specification does
// not fit the value; `value` is a number, bool, string or anything that prints.
[[nodiscard]] std::optional<std::string> formatValue(const Value& value, std::string_view spec);

// The code points of UTF-8 text, each as its own piece.
[[nodiscard]] std::vector<std::string_view> codePoints(std::string_view text);
[[nodiscard]] bool isAscii(std::string_view text);

}  // namespace tw::staging
