#include "profiler/device/verify.h"

#include <cmath>
#include <limits>

#include "core/support/check.h"

namespace tw::device {
namespace {

// The perturbed run moves each operation by at most one unit roundoff in a random direction. Another order of summation or
// another exp (4 ulp, which is 8 half ulps) can go further the same way; errors of independent operations grow with the
// square root of their number, so a small factor covers the linear bound of the language for all sizes we run.
constexpr double kSpreadFactor = 16;

double valueAt(const interp::Tensor& t, std::int64_t i) { return t.dtype.isFloating() ? t.floatAt(i) : static_cast<double>(t.intAt(i)); }

bool sameValue(const interp::Tensor& a, const interp::Tensor& b, std::int64_t i)
{
    if (!a.dtype.isFloating())
        return a.intAt(i) == b.intAt(i);
    const double x = a.floatAt(i), y = b.floatAt(i);
    return x == y || (std::isnan(x) && std::isnan(y));
}

// The spacing of the type's numbers at `value`.
double ulpAt(ir::DType type, double value)
{
    if (!type.isFloating() || !std::isfinite(value))
        return 0;
    const int smallestExponent = 2 - (1 << (type.exponentBits() - 1));  // of normal numbers
    const int exponent = value == 0 ? smallestExponent : std::max(std::ilogb(value), smallestExponent);
    return std::ldexp(1.0, exponent - type.mantissaBits());
}

std::vector<std::int64_t> unravel(std::int64_t linear, const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = linear % shape[axis];
        linear /= shape[axis];
    }
    return index;
}

}  // namespace

std::vector<double> errorBounds(const interp::Tensor& reference, const interp::Tensor& perturbed)
{
    const std::int64_t n = reference.elementCount();
    std::vector<double> bounds(static_cast<std::size_t>(n), 0.0);
    double sumOfSquares = 0;
    std::int64_t moved = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const double spread = std::abs(valueAt(perturbed, i) - valueAt(reference, i));
        if (sameValue(reference, perturbed, i))
            continue;
        bounds[static_cast<std::size_t>(i)] = std::isfinite(spread) ? spread : std::numeric_limits<double>::infinity();
        if (std::isfinite(spread)) {
            sumOfSquares += spread * spread;
            ++moved;
        }
    }
    if (moved == 0)
        return bounds;
    // One random run can leave an element still by chance: every element gets at least the typical spread of those that it moved (the
    // others may be exact, and say nothing of how far rounding goes), and the rounding of the result itself.
    const double typical = std::sqrt(sumOfSquares / static_cast<double>(moved));
    for (std::int64_t i = 0; i < n; ++i) {
        double& bound = bounds[static_cast<std::size_t>(i)];
        bound = kSpreadFactor * std::max(bound, typical) + ulpAt(reference.dtype, valueAt(reference, i));
    }
    return bounds;
}

protocol::Comparison compareAnswers(const std::string& name, const Answers& answers, const Tolerance& tolerance)
{
    const interp::Tensor& want = answers.reference;
    const interp::Tensor& got = answers.device;
    TW_CHECK(want.shape == got.shape, "both runs have the same arguments");
    protocol::Comparison result;
    result.name = name;
    result.total = want.elementCount();
    const bool isOverridden = tolerance.rtol || tolerance.atol;
    const std::vector<double> bounds = errorBounds(want, answers.perturbed);
    for (std::int64_t i = 0; i < result.total; ++i) {
        const bool dependsOnOrder = !sameValue(want, answers.reversed, i);
        result.orderDependent += dependsOnOrder;
        if (sameValue(want, got, i))
            continue;
        const double expected = valueAt(want, i), value = valueAt(got, i);
        const double error = std::abs(value - expected);
        if (!dependsOnOrder && std::isfinite(error)) {
            result.maxAbs = std::max(result.maxAbs, error);
            if (expected != 0)
                result.maxRel = std::max(result.maxRel, error / std::abs(expected));
        }
        const double bound = isOverridden ? tolerance.atol.value_or(0) + tolerance.rtol.value_or(0) * std::abs(expected)
                                          : bounds[static_cast<std::size_t>(i)];
        const bool isUnstable = !isOverridden && std::isinf(bound);  // the perturbed run gave NaN or infinity here
        if (dependsOnOrder || isUnstable || error <= bound)
            continue;
        ++result.wrong;
        if (!result.firstWrong) {
            result.firstWrong = unravel(i, want.shape);
            result.expected = expected;
            result.got = value;
        }
    }
    return result;
}

void merge(protocol::Comparison& into, const protocol::Comparison& other)
{
    into.maxAbs = std::max(into.maxAbs, other.maxAbs);
    into.maxRel = std::max(into.maxRel, other.maxRel);
    if (!into.firstWrong && other.firstWrong) {
        into.firstWrong = other.firstWrong;
        into.expected = other.expected;
        into.got = other.got;
    }
    into.wrong += other.wrong;
    into.total += other.total;
    into.orderDependent += other.orderDependent;
}

}  // namespace tw::device
