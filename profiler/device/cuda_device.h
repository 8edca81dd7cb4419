// An NVIDIA GPU of this machine.
#pragma once

#include "profiler/device/device.h"

namespace tw::device {

// Fails with a sentence that starts "not supported: " where there is no driver, no such GPU, or none that our targets know.
[[nodiscard]] tl::expected<std::unique_ptr<Device>, std::string> makeCudaDevice(int ordinal, const protocol::CudaCompiler& client);

}  // namespace tw::device
