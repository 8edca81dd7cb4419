// The names of the dialect's modules, by group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/staging/evaluator.h"

namespace tw::staging {

[[nodiscard]] std::optional<Value> tensorClass(const std::string& name);     // T.Tensor and its relatives: called and subscripted
[[nodiscard]] std::optional<Value> scheduleName(const std::string& name);    // T.WSID, T.WSSync, T.WSScope
[[nodiscard]] std::optional<Value> scriptName(const std::string& name);      // known, not supported; types
[[nodiscard]] std::vector<std::string> scriptNames();
[[nodiscard]] Value tileSchedulerClass();                                    // T.PersistentTileScheduler

[[nodiscard]] std::shared_ptr<ModuleValue> makeReservedModule();             // tw

}  // namespace tw::staging
