// A capture without a run: what the compiler and the cost model say of a program. No Qt.
#pragma once

#include "codegen/driver/compile.h"
#include "profiler/capture/capture.h"

namespace tw::gui {

// The program, its counted work, and on targets that the model knows its modelled times; in milliseconds. Extents that the instance does
// not know count as far as they can. Empty for a snapshot without IR.
[[nodiscard]] capture::Capture modelledCapture(const driver::CompileSnapshot& snapshot);

}  // namespace tw::gui
