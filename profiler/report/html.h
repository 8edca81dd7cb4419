// A capture as one page that opens offline: its own style, pictures as inline SVG, no script, nothing fetched.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace tw::report {

// `baseline`: its headline numbers are the reference of the deltas; may be null. Parts that the capture lacks are left out, and
// its absences say why.
[[nodiscard]] std::string toHtml(const capture::Capture& capture, const capture::Capture* baseline = nullptr);

}  // namespace tw::report
