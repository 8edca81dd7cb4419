// What `tilec doctor` says of counters.
#pragma once

#include <string>
#include <vector>

#include "profiler/cuda/driver.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

// Whether CUPTI is here, and whether this user may read GPU 0's counters. `driver`: null where there is none, or no GPU.
[[nodiscard]] std::vector<protocol::Check> describeCounters(const cuda::Driver* driver);

// The second of these in words. `moduleParameters`, `status`: the texts of /proc/driver/nvidia/params and /proc/self/status.
[[nodiscard]] protocol::Check describeAccess(const std::string& moduleParameters, const std::string& status);

}  // namespace tw::device
