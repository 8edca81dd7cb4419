// The simulator as a device: what the compiler made for an NVIDIA GPU, run and watched on the host (core/sim).
#pragma once

#include <memory>

#include "profiler/device/device.h"

namespace tw::device {

[[nodiscard]] std::unique_ptr<Device> makeSimDevice();

}  // namespace tw::device
