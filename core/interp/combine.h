// How reductions, scans, reducers and atomics combine two values.
#pragma once

#include "core/interp/lanes.h"
#include "core/ir/ops.h"

namespace tw::interp {

// The value that changes nothing: ±infinity for maxima of floats, the limits for integers.
[[nodiscard]] Lane identityOf(ir::Combiner how, ir::DType type);
// acc combined with value, both of `type`; sums are not rounded or wrapped yet. `nanWins`: a NaN survives max and min.
[[nodiscard]] Lane combine(ir::Combiner how, ir::DType type, Lane acc, Lane value, bool nanWins = false);
// float32 for floats below 32 bits where values are added up, else the type itself.
[[nodiscard]] ir::DType accumulatorOf(ir::Combiner how, ir::DType type);

}  // namespace tw::interp
