#include "profiler/tune/answers.h"

#include <cmath>

#include <fmt/core.h>

namespace tw::tune {
namespace {

// Four units of the type's last place, and never less than what accumulating in another order moves in single precision.
double toleranceOf(ir::DType type) { return std::max(4 * std::ldexp(1.0, -type.mantissaBits()), 1e-3); }

double rootMeanSquare(const interp::Tensor& t)
{
    double sum = 0;
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < t.elementCount(); ++i) {
        const double value = t.floatAt(i);
        if (!std::isfinite(value))
            continue;
        sum += value * value;
        ++n;
    }
    return n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0;
}

std::string compare(const std::string& name, const interp::Tensor& want, const interp::Tensor& got)
{
    if (want.shape != got.shape || want.dtype != got.dtype)
        return fmt::format("{} has another shape or type than in the reference", name);
    const bool isReal = want.dtype.isFloating();
    const double rtol = isReal ? toleranceOf(want.dtype) : 0, typical = isReal ? rootMeanSquare(want) : 0;
    for (std::int64_t i = 0; i < want.elementCount(); ++i) {
        if (!isReal) {
            if (want.intAt(i) != got.intAt(i))
                return fmt::format("{} is {} instead of {} at element {}", name, got.intAt(i), want.intAt(i), i);
            continue;
        }
        const double a = want.floatAt(i), b = got.floatAt(i);
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        if (!(std::abs(a - b) <= rtol * std::max(std::abs(a), typical)))
            return fmt::format("{} is {:.6g} instead of {:.6g} at element {}", name, b, a, i);
    }
    return {};
}

}  // namespace

std::string disagreement(const std::vector<protocol::Output>& reference, const std::vector<protocol::Output>& outputs)
{
    if (reference.size() != outputs.size())
        return "the number of outputs differs from the reference's";
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (reference[i].data && outputs[i].data)
            if (std::string difference = compare(outputs[i].name, *reference[i].data, *outputs[i].data); !difference.empty())
                return difference;
    return {};
}

}  // namespace tw::tune
