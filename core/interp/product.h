// Matrix products of lanes, the same for whole tiles and for one instruction.
#pragma once

#include <vector>

#include "core/interp/lanes.h"

namespace tw::interp {

// C += A * B, row-major: m x k, k x n, m x n. Floats add up in k order in `type`, the accumulator's (language.md g.2b): every step
// is rounded to it. Integers wrap at 64 bits; the caller wraps to the type.
void multiply(ir::DType type, const std::vector<Lane>& a, const std::vector<Lane>& b, std::vector<Lane>& c, std::size_t m, std::size_t n,
              std::size_t k);

// The same for floats, where `round(row, n)` rounds a row of C after every step.
template <class Round>
void multiplySteps(const std::vector<Lane>& a, const std::vector<Lane>& b, std::vector<Lane>& c, std::size_t m, std::size_t n, std::size_t k,
                   Round&& round)
{
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t p = 0; p < k; ++p) {
            const double left = a[i * k + p].f;
            Lane* row = c.data() + i * n;
            for (std::size_t j = 0; j < n; ++j)
                row[j].f += left * b[p * n + j].f;
            round(row, n);
        }
}

}  // namespace tw::interp
