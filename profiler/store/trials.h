// Trials as their table has them.
#pragma once

#include <vector>

#include "profiler/store/store.h"

namespace tw::store {

[[nodiscard]] Result<std::vector<Trial>> readTrials(const Database& database, std::int64_t tune);

}  // namespace tw::store
