// Which tuning runs share their trials.
#pragma once

#include <string>

#include "profiler/tune/tune.h"

namespace tw::tune {

// A digest of everything that decides the numbers: program, kernel, parameters and extents, target, device, inputs.
[[nodiscard]] std::string trialKey(const Request& request);

}  // namespace tw::tune
