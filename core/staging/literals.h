// Values as Python literals and back: how instances and overlays are written.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "core/staging/program.h"
#include "core/staging/value.h"

namespace tw::staging {

// The literal that evaluates to an equal value: numbers, strings, None, dtypes (as strings), and containers of these.
// Nothing for functions, objects, device and foreign values.
[[nodiscard]] std::optional<std::string> literalText(const Value& value);
enum class LiteralError { kNoLiteral, kTooLarge };  // kTooLarge: an integer that Integer does not hold
// "128", "'float16'", "(64, 128)", "None".
[[nodiscard]] tl::expected<Value, LiteralError> readLiteral(const std::string& text);
// As above; any other word is a string.
[[nodiscard]] Value parseLiteral(const std::string& text);

}  // namespace tw::staging
