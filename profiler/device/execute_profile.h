// `profile`: runs a kernel, measures what the device lets be measured, counts and models the rest, and says what to do about it.
#pragma once

#include "profiler/device/execute.h"

namespace tw::device {

// Never throws. By device: cuda:N measures (times by events, counters, stalls); sim counts what the simulator sees and models time;
// cpu measures time by the host's clock. Parts that are missing stand in the capture's absences with their reasons.
[[nodiscard]] protocol::ProfileResult execute(const protocol::ProfileRequest& request, const ReportProgress& progress = {},
                                              std::stop_token stop = {}, const protocol::CudaCompiler& compiler = {});

}  // namespace tw::device
