// A capture as a profile of kSample could have given it, with every part filled, for models and views.
#pragma once

#include "profiler/capture/capture.h"
#include "tests/gui/groups.h"

namespace tw::gui {

// Two tile operations, two roles over three iterations of a two-stage pipeline, and the plan of it. The numbers are round: a tensor
// pipe of 40 %, 1 MB read and 0.5 MB written, 100 µs.
[[nodiscard]] capture::Capture makeSampleCapture();
// The same kernel with another block: slower by a quarter.
[[nodiscard]] capture::Capture makeSlowerCapture();

}  // namespace tw::gui
