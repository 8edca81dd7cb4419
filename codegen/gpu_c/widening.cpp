#include "codegen/gpu_c/widening.h"

#include <fmt/format.h>

namespace tw::gpu {

using ir::DType;
using ir::Scalar;

std::string smallIntegerFunction(const arith::Facts& facts, DType to, const ir::Expr& e)
{
    const bool isHalf = to.scalar == Scalar::kFloat16;
    if ((!isHalf && to.scalar != Scalar::kBFloat16) || !e->dtype.isInteger() || e->dtype.bits() > 32)
        return {};
    arith::Interval range = facts.bounds(e);
    if (e->dtype.bits() <= 8) {
        const std::int64_t half = std::int64_t{1} << (e->dtype.bits() - 1);
        range = arith::intersect(range, e->dtype.isSigned() ? arith::Interval{-half, half - 1} : arith::Interval{0, 2 * half - 1});
    }
    // Integers that the type holds and that fit beside the large number that the functions add to them.
    const std::int64_t low = isHalf ? -512 : -256, high = isHalf ? 511 : 256;
    if (!range.low || !range.high || *range.low < low || *range.high > high)
        return {};
    return isHalf ? "tw_small_half" : "tw_small_bf16";
}

std::string widenFunction(DType from, DType to, std::int64_t count)
{
    const bool isHalf = to.scalar == Scalar::kFloat16;
    if ((!isHalf && to.scalar != Scalar::kBFloat16) || to.lanes != 1 || from.lanes != 1 || count * from.bits() < 16)
        return {};
    const char* type = isHalf ? "half" : "bf16";
    if (from.isInteger() && (from.bits() == 8 || from.bits() == 4))
        return fmt::format("tw_widen_int<{}, {}, {}, {}>", type, count, from.bits(), from.isSigned());
    switch (from.scalar) {
    case Scalar::kFloat8E4M3FN: return fmt::format("tw_widen_e4m3<{}, {}>", type, count);
    case Scalar::kFloat8E5M2: return fmt::format("tw_widen_e5m2<{}, {}>", type, count);
    case Scalar::kFloat4E2M1FN: return fmt::format("tw_widen_e2m1<{}, {}>", type, count);
    default: return {};
    }
}

}  // namespace tw::gpu
