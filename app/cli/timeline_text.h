// The timelines of a capture as text for people: where each role's time went, the longest waits, what recording cost.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace tw::cli {

// Empty for a capture without timelines.
[[nodiscard]] std::string timelineText(const capture::Capture& capture);

}  // namespace tw::cli
