// What the natives of these modules share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/staging/arguments.h"

namespace tw::staging {

[[nodiscard]] bool anyOpaque(const std::vector<Value>& values);

// asInteger and asNumber, or an error at `range` that says what `name` needs (and, for device expressions, which T.* function to use).
[[nodiscard]] Integer needInteger(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range);
[[nodiscard]] double needNumber(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range);

using NativeTable = std::vector<std::pair<std::string, Value>>;
[[nodiscard]] std::optional<Value> lookUp(const NativeTable& table, const std::string& name);

}  // namespace tw::staging
