// The value of an index expression when its variables are known.
#pragma once

#include <functional>
#include <optional>

#include "core/ir/expr.h"

namespace tw::device {

// The integer (or bool, as 0 or 1) value of `e`. `leaf` gives variables and loads; empty where it does not know one, and
// then, or for anything that is no integer arithmetic, the result is empty too.
using LeafValue = std::function<std::optional<std::int64_t>(const ir::Expr&)>;
[[nodiscard]] std::optional<std::int64_t> indexValue(const ir::Expr& e, const LeafValue& leaf);

}  // namespace tw::device
