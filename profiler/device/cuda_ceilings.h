// What a GPU itself reaches, for the roofline: measured in place of the data sheet's number.
#pragma once

#include "profiler/capture/capture.h"
#include "profiler/cuda/memory.h"

namespace tw::device {

// "DRAM": bytes a second, read and written ones together, of a copy of `bytes` within the GPU's memory; the median of five. Takes
// twice the memory and some milliseconds.
[[nodiscard]] cuda::Result<capture::Ceiling> measureCopyCeiling(const std::shared_ptr<cuda::Context>& context, std::int64_t bytes = std::int64_t{1} << 29);

}  // namespace tw::device
