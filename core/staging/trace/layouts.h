// Layout objects: T.Layout, T.Fragment and the helpers of tilelang.layout (language.md d.16).
#pragma once

#include "core/staging/trace/native.h"

namespace tw::staging {

[[nodiscard]] Value layoutValue(ir::LayoutMap map);
// Attributes and methods of a layout: index, thread, inverse, repeat, …
[[nodiscard]] std::optional<Value> layoutAttribute(Evaluator& ev, const LayoutValue& layout, const std::string& name);
// What annotate_layout takes for a buffer: a layout of its shape, or a function of its indices.
[[nodiscard]] std::shared_ptr<const ir::LayoutMap> layoutFor(const Native& n, const ir::Buffer& buffer, const Value& value);
// A helper of tilelang.layout by name.
[[nodiscard]] std::optional<Value> layoutHelper(const std::string& name);
[[nodiscard]] std::vector<std::string> layoutHelperNames();

}  // namespace tw::staging
