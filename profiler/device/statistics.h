// What one output looks like in numbers.
#pragma once

#include <string>

#include "core/interp/tensor.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

// min, max and mean are over the finite elements.
[[nodiscard]] protocol::Output summarize(const std::string& name, const interp::Tensor& tensor);

}  // namespace tw::device
