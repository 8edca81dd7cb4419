#include "profiler/tune/enough.h"

#include <algorithm>
#include <cmath>

namespace tw::tune {

bool isEnough(const std::vector<Measured>& measured, double nextModelUs)
{
    if (measured.size() < kLeastMeasured)
        return false;
    const auto n = static_cast<double>(measured.size());
    double sum = 0, squares = 0, best = measured.front().medianUs;
    for (const Measured& m : measured) {
        sum += std::log(m.medianUs / m.modelUs);
        best = std::min(best, m.medianUs);
    }
    const double mean = sum / n;
    for (const Measured& m : measured)
        squares += std::pow(std::log(m.medianUs / m.modelUs) - mean, 2);
    const double deviation = std::sqrt(squares / (n - 1));
    return nextModelUs * std::exp(mean - 2 * deviation) > best;
}

}  // namespace tw::tune
