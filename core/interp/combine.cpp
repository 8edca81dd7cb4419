#include "core/interp/combine.h"

#include <cmath>
#include <limits>

#include "core/ir/number.h"

namespace tw::interp {

using ir::Combiner;
using ir::DType;

Lane identityOf(Combiner how, DType type)
{
    Lane lane{};
    const double infinity =
        type.isFloating() && !ir::hasInfinity(type) ? ir::largestFinite(type) : std::numeric_limits<double>::infinity();
    switch (how) {
    case Combiner::kMax:
        if (type.isFloating())
            lane.f = -infinity;
        else
            lane.i = type.isBool() ? 0 : ir::smallestInt(type);
        break;
    case Combiner::kMin:
        if (type.isFloating())
            lane.f = infinity;
        else
            lane.i = type.isBool() ? 1 : static_cast<std::int64_t>(ir::largestInt(type));
        break;
    case Combiner::kBitAnd: lane.i = type.isUnsigned() ? static_cast<std::int64_t>(ir::largestInt(type)) : type.isBool() ? 1 : -1; break;
    case Combiner::kProduct:
        if (type.isFloating())
            lane.f = 1.0;
        else
            lane.i = 1;
        break;
    default:
        if (type.isFloating())
            lane.f = 0.0;
        break;
    }
    return lane;
}

Lane combine(Combiner how, DType type, Lane acc, Lane value, bool nanWins)
{
    if (type.isFloating()) {
        switch (how) {
        case Combiner::kSum: acc.f += value.f; break;
        case Combiner::kAbsSum: acc.f += std::fabs(value.f); break;
        case Combiner::kProduct: acc.f *= value.f; break;
        case Combiner::kAbsMax: value.f = std::fabs(value.f); [[fallthrough]];
        case Combiner::kMax:
            if (nanWins && (std::isnan(acc.f) || std::isnan(value.f)))
                acc.f = std::numeric_limits<double>::quiet_NaN();
            else if (value.f > acc.f || std::isnan(acc.f))
                acc.f = value.f;
            break;
        case Combiner::kMin:
            if (nanWins && (std::isnan(acc.f) || std::isnan(value.f)))
                acc.f = std::numeric_limits<double>::quiet_NaN();
            else if (value.f < acc.f || std::isnan(acc.f))
                acc.f = value.f;
            break;
        default: break;
        }
        return acc;
    }
    const bool wide = type.scalar == ir::Scalar::kUInt64;
    const auto less = [&](std::int64_t a, std::int64_t b) {
        return wide ? static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b) : a < b;
    };
    const auto magnitude = [&](std::int64_t v) {
        return wide || v >= 0 ? v : static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(v));
    };
    const auto add = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    };
    switch (how) {
    case Combiner::kSum: acc.i = type.isBool() ? acc.i | value.i : add(acc.i, value.i); break;
    case Combiner::kAbsSum: acc.i = add(acc.i, magnitude(value.i)); break;
    case Combiner::kAbsMax: value.i = magnitude(value.i); [[fallthrough]];
    case Combiner::kMax: acc.i = less(acc.i, value.i) ? value.i : acc.i; break;
    case Combiner::kMin: acc.i = less(value.i, acc.i) ? value.i : acc.i; break;
    case Combiner::kBitAnd: acc.i &= value.i; break;
    case Combiner::kBitOr: acc.i |= value.i; break;
    case Combiner::kBitXor: acc.i ^= value.i; break;
    case Combiner::kProduct:
        acc.i = static_cast<std::int64_t>(static_cast<std::uint64_t>(acc.i) * static_cast<std::uint64_t>(value.i));
        break;
    }
    return acc;
}

DType accumulatorOf(Combiner how, DType type)
{
    const bool adds = how == Combiner::kSum || how == Combiner::kAbsSum || how == Combiner::kProduct;
    return adds && type.isFloating() && type.bits() < 32 ? ir::kFloat32 : type;
}

}  // namespace tw::interp
