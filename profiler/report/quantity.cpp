#include "profiler/report/quantity.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/core.h>

namespace tw::report {
namespace {

// The largest step that leaves at least 1, each 1000 times the one before.
template <std::size_t N>
std::string scaled(double value, const std::array<const char*, N>& steps)
{
    std::size_t i = 0;
    for (; i + 1 < N && std::abs(value) >= 999.5; ++i)
        value /= 1000;
    return fmt::format("{} {}", digits(value), steps[i]);
}

}  // namespace

std::string digits(double value)
{
    const double size = std::abs(value);
    if (value == std::floor(value) && size < 1e5)
        return fmt::format("{}", static_cast<long long>(value));
    if (size >= 1e5 || size < 1e-3)
        return fmt::format("{:.3g}", value);
    const double rounded = std::strtod(fmt::format("{:.2e}", size).c_str(), nullptr);  // 0.9996 has its point behind a 1
    const int whole = static_cast<int>(std::floor(std::log10(rounded))) + 1;
    return fmt::format("{:.{}f}", value, std::max(0, 3 - whole));
}

std::string quantity(double value, std::string_view unit)
{
    if (unit == "us")
        return std::abs(value) < 1 && value != 0 ? scaled(value * 1000, std::array{"ns"}) : scaled(value, std::array{"µs", "ms", "s"});
    if (unit == "ns")
        return scaled(value, std::array{"ns", "µs", "ms", "s"});
    if (unit == "bytes")
        return scaled(value, std::array{"B", "kB", "MB", "GB", "TB"});
    if (unit == "bytes/s")
        return scaled(value, std::array{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
    if (unit == "flop/s")
        return scaled(value, std::array{"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"});
    if (unit == "flop/byte")
        return digits(value) + " FLOP/B";
    if (unit == "count" || unit.empty()) {
        if (std::abs(value) < 99999.5)
            return digits(value);
        return scaled(value, std::array{"", "k", "M", "G", "T", "P"});
    }
    return fmt::format("{} {}", digits(value), unit);
}

}  // namespace tw::report
