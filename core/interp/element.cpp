#include "core/interp/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/ir/number.h"

namespace tw::interp {

namespace {

using ir::DType;
using ir::Scalar;

// Rounds to `mantissa` stored bits with smallest normal exponent `minExponent`; does not limit the range.
double roundMantissa(double value, int mantissa, int minExponent)
{
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>((bits >> 52U) & 0x7FFU) - 1023;
    if (exponent == 1024)
        return value;
    if (exponent < minExponent) {
        // Subnormal of the type: adding and taking away a big power of two leaves a multiple of the smallest step.
        const double big = std::ldexp(1.5, 52 + minExponent - mantissa);
        const double rounded = (std::fabs(value) + big) - big;
        return std::copysign(rounded, value);
    }
    const int drop = 52 - mantissa;
    const std::uint64_t half = (1ULL << (drop - 1)) - 1 + ((bits >> drop) & 1U);
    return std::bit_cast<double>((bits + half) & ~((1ULL << drop) - 1));
}

void roundHalf(Lane* lanes, std::size_t n)
{
    for (std::size_t k = 0; k < n; ++k) {
        const double r = roundMantissa(lanes[k].f, 10, -14);
        lanes[k].f = std::fabs(r) > 65504.0 ? std::copysign(HUGE_VAL, r) : r;
    }
}

void roundBrain(Lane* lanes, std::size_t n, int mantissa)
{
    for (std::size_t k = 0; k < n; ++k) {
        const double r = roundMantissa(lanes[k].f, mantissa, -126);
        lanes[k].f = std::fabs(r) > 3.4028234663852886e38 ? std::copysign(HUGE_VAL, r) : r;
    }
}

template <class Int>
void wrapAs(Lane* lanes, std::size_t n)
{
    for (std::size_t k = 0; k < n; ++k)
        lanes[k].i = static_cast<std::int64_t>(static_cast<Int>(lanes[k].i));
}

double halfToDouble(std::uint16_t h)
{
    std::uint32_t bits = static_cast<std::uint32_t>(h & 0x7FFFU) << 13U;
    if ((h & 0x7C00U) == 0x7C00U)
        bits |= 0x7F800000U;
    else
        bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) * 5.192296858534828e33F);  // 2^112
    bits |= static_cast<std::uint32_t>(h & 0x8000U) << 16U;
    return static_cast<double>(std::bit_cast<float>(bits));
}

// `value` is a half already.
std::uint16_t doubleToHalf(double value)
{
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude >= 0x7F800000U)
        return static_cast<std::uint16_t>(sign | 0x7C00U | ((magnitude & 0x7FFFFFU) >> 13U) |
                                          (magnitude > 0x7F800000U ? 0x200U : 0U));
    const float scaled = std::bit_cast<float>(magnitude) * 1.925929944387236e-34F;  // 2^-112
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) >> 13U));
}

struct HalfCodec {
    using Memory = std::uint16_t;
    static void load(Memory m, Lane& l) { l.f = halfToDouble(m); }
    static Memory store(Lane l) { return doubleToHalf(l.f); }
};
struct BrainCodec {
    using Memory = std::uint16_t;
    static void load(Memory m, Lane& l)
    {
        l.f = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(m) << 16U));
    }
    static Memory store(Lane l)
    {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(l.f));
        if (std::isnan(l.f))
            return static_cast<Memory>((bits >> 16U) | 0x40U);
        return static_cast<Memory>(bits >> 16U);
    }
};
struct FloatCodec {
    using Memory = float;
    static void load(Memory m, Lane& l) { l.f = static_cast<double>(m); }
    static Memory store(Lane l) { return static_cast<float>(l.f); }
};
struct DoubleCodec {
    using Memory = double;
    static void load(Memory m, Lane& l) { l.f = m; }
    static Memory store(Lane l) { return l.f; }
};
template <class Int>
struct IntCodec {
    using Memory = Int;
    static void load(Memory m, Lane& l) { l.i = static_cast<std::int64_t>(m); }
    static Memory store(Lane l) { return static_cast<Memory>(l.i); }
};

template <class Codec>
void gatherAs(const std::uint8_t* memory, const std::int64_t* indices, const std::uint8_t* on, Lane* out, std::size_t n)
{
    using Memory = typename Codec::Memory;
    for (std::size_t k = 0; k < n; ++k) {
        if (on && !on[k]) {
            out[k].i = 0;
            continue;
        }
        Memory m;
        std::memcpy(&m, memory + indices[k] * static_cast<std::int64_t>(sizeof(Memory)), sizeof(Memory));
        Codec::load(m, out[k]);
    }
}

template <class Codec>
void scatterAs(std::uint8_t* memory, const std::int64_t* indices, const std::uint8_t* on, const Lane* in, std::size_t n)
{
    using Memory = typename Codec::Memory;
    for (std::size_t k = 0; k < n; ++k) {
        if (on && !on[k])
            continue;
        const Memory m = Codec::store(in[k]);
        std::memcpy(memory + indices[k] * static_cast<std::int64_t>(sizeof(Memory)), &m, sizeof(Memory));
    }
}

template <class Codec>
void loadRowAs(const std::uint8_t* memory, std::int64_t first, std::int64_t stride, Lane* out, std::size_t n)
{
    using Memory = typename Codec::Memory;
    const std::uint8_t* at = memory + first * static_cast<std::int64_t>(sizeof(Memory));
    const std::int64_t step = stride * static_cast<std::int64_t>(sizeof(Memory));
    for (std::size_t k = 0; k < n; ++k, at += step) {
        Memory m;
        std::memcpy(&m, at, sizeof(Memory));
        Codec::load(m, out[k]);
    }
}

template <class Codec>
void storeRowAs(std::uint8_t* memory, std::int64_t first, std::int64_t stride, const Lane* in, std::size_t n)
{
    using Memory = typename Codec::Memory;
    std::uint8_t* at = memory + first * static_cast<std::int64_t>(sizeof(Memory));
    const std::int64_t step = stride * static_cast<std::int64_t>(sizeof(Memory));
    for (std::size_t k = 0; k < n; ++k, at += step) {
        const Memory m = Codec::store(in[k]);
        std::memcpy(at, &m, sizeof(Memory));
    }
}

// Types of 4, 6 and 8 bits that have no machine type: bit fields of packed memory.
std::uint64_t readBits(const std::uint8_t* memory, std::int64_t bit, int bits)
{
    if (bits == 8)
        return memory[bit / 8];
    std::uint64_t word = memory[bit / 8];
    if (bit % 8 + bits > 8)
        word |= static_cast<std::uint64_t>(memory[bit / 8 + 1]) << 8U;
    return (word >> (bit % 8)) & ((1ULL << bits) - 1);
}

void writeBits(std::uint8_t* memory, std::int64_t bit, int bits, std::uint64_t value)
{
    for (int k = 0; k < bits; ++k, ++bit) {
        const auto m = static_cast<std::uint8_t>(1U << (bit % 8));
        const bool set = ((value >> k) & 1U) != 0;
        memory[bit / 8] = static_cast<std::uint8_t>(set ? memory[bit / 8] | m : memory[bit / 8] & ~m);
    }
}

Lane loadSmall(DType type, const std::uint8_t* memory, std::int64_t index)
{
    const int bits = type.bits();
    const std::uint64_t raw = readBits(memory, index * bits, bits);
    Lane lane{};
    if (type.isFloating())
        lane.f = ir::decodeFloat(type, raw);
    else
        lane.i = ir::wrapInt(type, static_cast<std::int64_t>(raw));
    return lane;
}

void storeSmall(DType type, std::uint8_t* memory, std::int64_t index, Lane value)
{
    const int bits = type.bits();
    std::uint64_t raw = static_cast<std::uint64_t>(value.i);
    if (type.isFloating())  // an infinity got here by choice: it is the casts that saturate
        raw = std::isinf(value.f) && ir::hasInfinity(type) ? ir::encodeExact(type, value.f) : ir::encodeFloat(type, value.f);
    if (bits == 8)
        memory[index] = static_cast<std::uint8_t>(raw);
    else
        writeBits(memory, index * bits, bits, raw);
}

// Calls f with the codec of `scalar`; false if it has none.
template <class F>
bool withCodec(Scalar scalar, F&& f)
{
    switch (scalar) {
    case Scalar::kBool: f(IntCodec<std::uint8_t>{}); return true;
    case Scalar::kInt8: f(IntCodec<std::int8_t>{}); return true;
    case Scalar::kInt16: f(IntCodec<std::int16_t>{}); return true;
    case Scalar::kInt32: f(IntCodec<std::int32_t>{}); return true;
    case Scalar::kInt64: case Scalar::kUInt64: case Scalar::kHandle: f(IntCodec<std::int64_t>{}); return true;
    case Scalar::kUInt8: f(IntCodec<std::uint8_t>{}); return true;
    case Scalar::kUInt16: f(IntCodec<std::uint16_t>{}); return true;
    case Scalar::kUInt32: f(IntCodec<std::uint32_t>{}); return true;
    case Scalar::kFloat16: f(HalfCodec{}); return true;
    case Scalar::kBFloat16: f(BrainCodec{}); return true;
    case Scalar::kFloat32: case Scalar::kTFloat32: f(FloatCodec{}); return true;
    case Scalar::kFloat64: f(DoubleCodec{}); return true;
    default: return false;
    }
}

std::int64_t floatToIntLane(DType to, double value)
{
    if (to.scalar == Scalar::kInt32 && std::fabs(value) < 2147483647.0)
        return static_cast<std::int32_t>(value);
    return ir::floatToInt(to, value);
}

double integerToFloat(DType from, DType to, std::int64_t value)
{
    if (from.scalar == Scalar::kUInt64) {
        const auto u = static_cast<std::uint64_t>(value);
        return to.scalar == Scalar::kFloat64 ? static_cast<double>(u) : static_cast<double>(static_cast<float>(u));
    }
    // Through float once only: through double first would round twice.
    return to.scalar == Scalar::kFloat32 ? static_cast<double>(static_cast<float>(value)) : static_cast<double>(value);
}

}  // namespace

void roundLanes(DType type, Lane* lanes, std::size_t n)
{
    switch (type.scalar) {
    case Scalar::kFloat64: return;
    case Scalar::kFloat32:
        for (std::size_t k = 0; k < n; ++k)
            lanes[k].f = static_cast<double>(static_cast<float>(lanes[k].f));
        return;
    case Scalar::kFloat16: roundHalf(lanes, n); return;
    case Scalar::kBFloat16: roundBrain(lanes, n, 7); return;
    case Scalar::kTFloat32: roundBrain(lanes, n, 10); return;
    default:
        for (std::size_t k = 0; k < n; ++k)
            lanes[k].f = ir::roundTo(type, lanes[k].f);
    }
}

void wrapLanes(DType type, Lane* lanes, std::size_t n)
{
    switch (type.scalar) {
    case Scalar::kInt64: case Scalar::kUInt64: case Scalar::kHandle: return;
    case Scalar::kInt32: wrapAs<std::int32_t>(lanes, n); return;
    case Scalar::kUInt32: wrapAs<std::uint32_t>(lanes, n); return;
    case Scalar::kInt16: wrapAs<std::int16_t>(lanes, n); return;
    case Scalar::kUInt16: wrapAs<std::uint16_t>(lanes, n); return;
    case Scalar::kInt8: wrapAs<std::int8_t>(lanes, n); return;
    case Scalar::kUInt8: wrapAs<std::uint8_t>(lanes, n); return;
    default:
        for (std::size_t k = 0; k < n; ++k)
            lanes[k].i = ir::wrapInt(type, lanes[k].i);
    }
}

void castLanes(DType from, DType to, const Lane* in, Lane* out, std::size_t n, bool saturates)
{
    if (!saturates && from.isFloating() && to.isFloating() && to.bits() <= 8) {
        for (std::size_t k = 0; k < n; ++k)
            out[k].f = ir::roundUnsaturated(to, in[k].f);
    } else if (from.isFloating() && to.isFloating()) {
        if (in != out)
            std::copy_n(in, n, out);
        if (from.scalar != to.scalar)
            roundLanes(to, out, n);
    } else if (from.isFloating()) {
        if (to.isBool())
            for (std::size_t k = 0; k < n; ++k)
                out[k].i = in[k].f != 0.0 ? 1 : 0;
        else
            for (std::size_t k = 0; k < n; ++k)
                out[k].i = floatToIntLane(to, in[k].f);
    } else if (to.isFloating()) {
        for (std::size_t k = 0; k < n; ++k)
            out[k].f = integerToFloat(from, to, in[k].i);
        roundLanes(to, out, n);
    } else {
        if (in != out)
            std::copy_n(in, n, out);
        wrapLanes(to, out, n);
    }
}

Lane loadElement(DType type, const std::uint8_t* memory, std::int64_t index)
{
    Lane lane{};
    loadRow(type, memory, index, 1, &lane, 1);
    return lane;
}

void storeElement(DType type, std::uint8_t* memory, std::int64_t index, Lane value)
{
    storeRow(type, memory, index, 1, &value, 1);
}

void gather(DType type, const std::uint8_t* memory, const std::int64_t* indices, const std::uint8_t* on, Lane* out,
            std::size_t n)
{
    if (withCodec(type.scalar, [&](auto codec) { gatherAs<decltype(codec)>(memory, indices, on, out, n); }))
        return;
    for (std::size_t k = 0; k < n; ++k)
        out[k] = !on || on[k] ? loadSmall(type, memory, indices[k]) : Lane{};
}

void scatter(DType type, std::uint8_t* memory, const std::int64_t* indices, const std::uint8_t* on, const Lane* in,
             std::size_t n)
{
    if (withCodec(type.scalar, [&](auto codec) { scatterAs<decltype(codec)>(memory, indices, on, in, n); }))
        return;
    for (std::size_t k = 0; k < n; ++k)
        if (!on || on[k])
            storeSmall(type, memory, indices[k], in[k]);
}

void loadRow(DType type, const std::uint8_t* memory, std::int64_t first, std::int64_t stride, Lane* out, std::size_t n)
{
    if (withCodec(type.scalar, [&](auto codec) { loadRowAs<decltype(codec)>(memory, first, stride, out, n); }))
        return;
    for (std::size_t k = 0; k < n; ++k)
        out[k] = loadSmall(type, memory, first + static_cast<std::int64_t>(k) * stride);
}

void storeRow(DType type, std::uint8_t* memory, std::int64_t first, std::int64_t stride, const Lane* in, std::size_t n)
{
    if (withCodec(type.scalar, [&](auto codec) { storeRowAs<decltype(codec)>(memory, first, stride, in, n); }))
        return;
    for (std::size_t k = 0; k < n; ++k)
        storeSmall(type, memory, first + static_cast<std::int64_t>(k) * stride, in[k]);
}

double ulpOf(DType type, double value)
{
    if (!std::isfinite(value))
        return 0.0;
    const int bias = (1 << (type.exponentBits() - 1)) - 1;
    int exponent = 0;
    std::frexp(value, &exponent);
    return std::ldexp(1.0, std::max(exponent - 1, 1 - bias) - type.mantissaBits());
}

}  // namespace tw::interp
