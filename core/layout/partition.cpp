#include "core/layout/partition.h"

#include <cmath>

namespace tw::layout {

namespace {

constexpr std::int64_t kWarpRows = 16, kWarpColumns = 8;

std::optional<Partition> partition(std::int64_t m, std::int64_t n, std::int64_t warps, WarpPolicy policy, std::int64_t step)
{
    std::optional<Partition> best;
    double bestSkew = 0;
    for (std::int64_t rows = step; rows <= warps; rows += step) {
        const std::int64_t columns = warps / rows;
        if (warps % rows != 0 || m % (kWarpRows * rows) != 0 || n % (kWarpColumns * columns) != 0)
            continue;
        const double atomRows = static_cast<double>(m) / static_cast<double>(kWarpRows * rows);
        const double atomColumns = static_cast<double>(n) / static_cast<double>(kWarpColumns * columns);
        const double skew = std::abs(atomRows / atomColumns - static_cast<double>(m) / static_cast<double>(n));
        const bool better = !best || policy == WarpPolicy::kFullRow || (policy == WarpPolicy::kSquare && skew < bestSkew);
        if (better) {
            best = Partition{rows, columns};
            bestSkew = skew;
        }
    }
    return best;
}

}  // namespace

std::optional<Partition> warpPartition(std::int64_t m, std::int64_t n, std::int64_t warps, WarpPolicy policy)
{
    return partition(m, n, warps, policy, 1);
}

std::optional<Partition> warpGroupPartition(std::int64_t m, std::int64_t n, std::int64_t warps, WarpPolicy policy)
{
    return partition(m, n, warps, policy, 4);
}

}  // namespace tw::layout
