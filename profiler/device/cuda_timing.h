// Running a prepared call again and again.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "profiler/cuda/timing.h"
#include "profiler/device/cuda_call.h"

namespace tw::device {

// As cuda::time: restores, then launches everything. What the kernels print is added to `log`. Fewer samples than asked for:
// stopped while a kernel still runs.
[[nodiscard]] cuda::Result<std::vector<double>> timeCall(CudaCall& call, const CudaKernels& kernels, const cuda::TimingOptions& options,
                                                         std::string& log, const std::stop_token& stop);

// Rounds before those that count.
inline constexpr int kWarmUpRounds = 2;

}  // namespace tw::device
