// Matrix products of lanes, the same for whole tiles and for one instruction.
#pragma once

#include <vector>

#include "core/interp/lanes.h"

namespace tw::interp {

// C += A * B, row-major: m x k, k x n, m x n. Floats add up in k order in `type`, the accumulator's (language.md g.2b): every step
// is rounded to it. Integers wrap at 64 bits; the caller wraps to the type.
void multiply(ir::DType type, const std::vector<Lane>& a, const std::vector<Lane>& b, std::vector<Lane>& c, std::size_t m, std::size_t n,
              std::size_t k);

}  // namespace tw::interp
