// A capture without a run: what the compiler and the cost model say of a program.
#pragma once

#include "codegen/driver/compile.h"
#include "profiler/analysis/work.h"
#include "profiler/capture/capture.h"

namespace tw::profile_analysis {

// The program, its counted work, and on targets that the model knows its modelled times. `values` of extents and scalars go before those
// of the instance; what neither knows counts as far as it can. Empty for a snapshot without IR.
[[nodiscard]] capture::Capture modelledCapture(const driver::CompileSnapshot& snapshot, Values values = {});

}  // namespace tw::profile_analysis
