// What a list of samples says, in their unit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tw {

// The value below which a share `q` (0 … 1) of the samples lies, interpolated between two of them. `sorted`: ascending, not empty.
[[nodiscard]] inline double quantile(std::span<const double> sorted, double q)
{
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// In any order; 0 without samples.
[[nodiscard]] inline double median(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return samples.empty() ? 0 : quantile(samples, 0.5);
}

}  // namespace tw
