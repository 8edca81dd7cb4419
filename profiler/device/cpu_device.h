// This machine's processor, through LLVM.
#pragma once

#include "profiler/device/device.h"

namespace tw::device {

[[nodiscard]] std::unique_ptr<Device> makeCpuDevice();

}  // namespace tw::device
