// Arguments of the functions that staging offers, as plain values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/staging/evaluator.h"

namespace tw::staging {

// Calls with only the positional arguments that Python's own functions take.
[[nodiscard]] std::vector<Value> positional(Evaluator& evaluator, const CallArguments& arguments, std::string_view name,
                                            std::size_t least, std::size_t most);
[[nodiscard]] const Value* keyword(const CallArguments& arguments, std::string_view name);
// An int or bool, or a constant expression of the device; reports `what` otherwise.
[[nodiscard]] Integer integerArgument(Evaluator& evaluator, const Value& value, const SourceRange& range, const char* what);
[[nodiscard]] std::optional<Integer> asInteger(const Value& value);  // int, bool, constant expression
[[nodiscard]] std::optional<double> asNumber(const Value& value);    // those and floats

}  // namespace tw::staging
