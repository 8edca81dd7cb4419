#include "profiler/tune/answers.h"

#include <atomic>
#include <cmath>

#include <fmt/core.h>

#include "profiler/device/chunks.h"

namespace tw::tune {
namespace {

// Four units of the type's last place, and never less than what accumulating in another order moves in single precision.
double toleranceOf(ir::DType type) { return std::max(4 * std::ldexp(1.0, -type.mantissaBits()), 1e-3); }

double rootMeanSquare(const interp::Tensor& t)
{
    struct Part {
        double sum = 0;
        std::int64_t count = 0;
    };
    std::vector<Part> parts(static_cast<std::size_t>((t.elementCount() + device::kChunk - 1) / device::kChunk));
    device::inChunks(t.elementCount(), [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        Part& part = parts[static_cast<std::size_t>(chunk)];
        for (std::int64_t i = begin; i < end; ++i) {
            const double value = t.floatAt(i);
            if (!std::isfinite(value))
                continue;
            part.sum += value * value;
            ++part.count;
        }
    });
    Part all;
    for (const Part& part : parts) {
        all.sum += part.sum;
        all.count += part.count;
    }
    return all.count > 0 ? std::sqrt(all.sum / static_cast<double>(all.count)) : 0;
}

// The first element in [begin, end) that differs by too much; `end` if none does.
std::int64_t firstDifference(const interp::Tensor& want, const interp::Tensor& got, double typical, std::int64_t begin, std::int64_t end)
{
    const bool isReal = want.dtype.isFloating();
    const double rtol = isReal ? toleranceOf(want.dtype) : 0;
    for (std::int64_t i = begin; i < end; ++i) {
        if (!isReal) {
            if (want.intAt(i) != got.intAt(i))
                return i;
            continue;
        }
        const double a = want.floatAt(i), b = got.floatAt(i);
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        if (!(std::abs(a - b) <= rtol * std::max(std::abs(a), typical)))
            return i;
    }
    return end;
}

std::string compare(const std::string& name, const interp::Tensor& want, const interp::Tensor& got)
{
    if (want.shape != got.shape || want.dtype != got.dtype)
        return fmt::format("{} has another shape or type than in the reference", name);
    const bool isReal = want.dtype.isFloating();
    const double typical = isReal ? rootMeanSquare(want) : 0;
    const std::int64_t n = want.elementCount();
    std::atomic<std::int64_t> first = n;
    device::inChunks(n, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        if (begin > first)
            return;
        const std::int64_t found = firstDifference(want, got, typical, begin, end);
        for (std::int64_t known = first; found < end && found < known && !first.compare_exchange_weak(known, found);) {
        }
    });
    if (first == n)
        return {};
    if (!isReal)
        return fmt::format("{} is {} instead of {} at element {}", name, got.intAt(first), want.intAt(first), first.load());
    return fmt::format("{} is {:.6g} instead of {:.6g} at element {}", name, got.floatAt(first), want.floatAt(first), first.load());
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
