// What may be counted on a device: `tilec profile --list-metrics`.
#pragma once

#include "profiler/cupti/library.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

// Opens the driver and CUPTI. Where there is no GPU, but CUPTI and `request.target`, that target's chip stands for it. Outcome kCannot with
// what is missing otherwise; kUsage for a device that has no counters.
[[nodiscard]] protocol::MetricsResult listMetrics(const protocol::MetricsRequest& request);

// The same of one chip, with CUPTI from elsewhere: a library played by a test.
[[nodiscard]] protocol::MetricsResult listMetrics(const protocol::MetricsRequest& request, const std::shared_ptr<const cupti::Library>& library,
                                                  const std::string& chip);

// The chip that CUPTI lists metrics of for a target: "GH100" for "sm_90a". Empty for others than CUDA's, and for those before Volta.
[[nodiscard]] std::string chipFor(const std::string& target);

}  // namespace tw::device
