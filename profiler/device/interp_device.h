// The interpreter as a device: slow, exact, the meaning of the language.
#pragma once

#include "profiler/device/device.h"

namespace tw::device {

[[nodiscard]] std::unique_ptr<Device> makeInterpDevice();

}  // namespace tw::device
