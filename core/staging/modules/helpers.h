// What the natives of these modules share: plain arguments and numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/staging/evaluator.h"

namespace tw::staging {

// The positional arguments; keyword arguments are an error that names the function.
[[nodiscard]] std::vector<Value> plainArguments(Evaluator& evaluator, const CallArguments& arguments, const std::string& name,
                                                std::size_t least, std::size_t most);
[[nodiscard]] bool anyOpaque(const std::vector<Value>& values);

[[nodiscard]] std::optional<Integer> integerOf(const Value& value);  // int, bool, a constant device expression
[[nodiscard]] std::optional<double> numberOf(const Value& value);    // those and float
// The same, or an error at `range` that says what `name` needs (and, for device expressions, which T.* function to use).
[[nodiscard]] Integer needInteger(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range);
[[nodiscard]] double needNumber(Evaluator& evaluator, const Value& value, const std::string& name, const SourceRange& range);

using NativeTable = std::vector<std::pair<std::string, Value>>;
[[nodiscard]] std::optional<Value> lookUp(const NativeTable& table, const std::string& name);

}  // namespace tw::staging
