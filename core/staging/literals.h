// Values as Python literals and back: how instances and overlays are written.
#pragma once

#include <optional>
#include <string>

#include "core/staging/program.h"
#include "core/staging/value.h"

namespace tw::staging {

// The literal that evaluates to an equal value: numbers, strings, None, dtypes (as strings), and containers of these.
// Nothing for functions, objects, device and foreign values.
[[nodiscard]] std::optional<std::string> literalText(const Value& value);
// "128", "'float16'", "(64, 128)", "None"; any other word is a string.
[[nodiscard]] Value parseLiteral(const std::string& text);

}  // namespace tw::staging
