// How a floating type rounds is a row of one table; the algorithm is the same for all of them.
//
// Normal numbers round on the bits of the double: half of the last kept place, minus one if that place is even, is added
// and the rest cut off (the carry runs into the exponent by itself). Subnormal numbers have a fixed quantum q; adding and
// subtracting 1.5 * 2^52 * q makes the processor round to it.
#include "core/ir/number.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/support/check.h"

namespace tw::ir {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kSignBit = 1ULL << 63;
constexpr std::uint64_t kDoubleMantissa = (1ULL << 52) - 1;
constexpr std::uint64_t kQuietNan = 0x7ff8ULL << 48;

// What a format does with its topmost and special patterns.
enum class Special : std::uint8_t {
    kIeee,      // infinities and NaNs under the highest exponent
    kFn,        // finite: one NaN pattern a sign (all ones), no infinity
    kFnuz,      // finite, and the pattern of -0 is the only NaN
    kNone,      // finite, no NaN at all (fp6, fp4)
    kExponent   // e8m0: no sign, no zero, 0xff is the NaN
};

struct Format {
    int exponentBits = 0;
    int mantissaBits = 0;
    int bias = 0;
    Special special = Special::kNone;
    bool saturates = false;
    double largest = 0;
    double minNormal = 0;
    double subnormalMagic = 0;  // 1.5 * 2^52 * quantum
    double overflow = 0;        // what lies beyond `largest`
};

constexpr double powerOfTwo(int exponent)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

constexpr Format makeFormat(int exponentBits, int mantissaBits, int bias, Special special, bool saturates)
{
    Format f{exponentBits, mantissaBits, bias, special, saturates};
    int topExponent = (1 << exponentBits) - 1 - bias;
    if (special == Special::kIeee || special == Special::kExponent)
        --topExponent;
    double mantissa = 2 - powerOfTwo(-mantissaBits);
    if (special == Special::kFn)
        mantissa -= powerOfTwo(-mantissaBits);  // all ones is the NaN
    f.largest = mantissa * powerOfTwo(topExponent);
    const int minExponent = special == Special::kExponent ? -bias : 1 - bias;
    f.minNormal = powerOfTwo(minExponent);
    f.subnormalMagic = 1.5 * powerOfTwo(52 + minExponent - mantissaBits);
    f.overflow = saturates ? f.largest : kInfinity;
    return f;
}

constexpr Format formatOf(Scalar scalar)
{
    switch (scalar) {
    case Scalar::kFloat16: return makeFormat(5, 10, 15, Special::kIeee, false);
    case Scalar::kBFloat16: return makeFormat(8, 7, 127, Special::kIeee, false);
    case Scalar::kFloat32: return makeFormat(8, 23, 127, Special::kIeee, false);
    case Scalar::kTFloat32: return makeFormat(8, 10, 127, Special::kIeee, false);
    case Scalar::kFloat8E4M3FN: return makeFormat(4, 3, 7, Special::kFn, true);
    case Scalar::kFloat8E5M2: return makeFormat(5, 2, 15, Special::kIeee, true);
    case Scalar::kFloat8E4M3FNUZ: return makeFormat(4, 3, 8, Special::kFnuz, true);
    case Scalar::kFloat8E5M2FNUZ: return makeFormat(5, 2, 16, Special::kFnuz, true);
    case Scalar::kFloat8E4M3B11FNUZ: return makeFormat(4, 3, 11, Special::kFnuz, true);
    case Scalar::kFloat8E3M4: return makeFormat(3, 4, 3, Special::kIeee, true);
    case Scalar::kFloat8E8M0FNU: return makeFormat(8, 0, 127, Special::kExponent, true);
    case Scalar::kFloat6E2M3FN: return makeFormat(2, 3, 1, Special::kNone, true);
    case Scalar::kFloat6E3M2FN: return makeFormat(3, 2, 3, Special::kNone, true);
    case Scalar::kFloat4E2M1FN:
    case Scalar::kFloat4E2M1Unpacked: return makeFormat(2, 1, 1, Special::kNone, true);
    default: return {};
    }
}

constexpr std::size_t kScalarCount = static_cast<std::size_t>(Scalar::kFloat4E2M1Unpacked) + 1;

constexpr std::array<Format, kScalarCount> makeFormats()
{
    std::array<Format, kScalarCount> formats{};
    for (std::size_t i = 0; i < kScalarCount; ++i)
        formats[i] = formatOf(static_cast<Scalar>(i));
    return formats;
}

constexpr std::array<Format, kScalarCount> kFormats = makeFormats();

const Format& format(DType type)
{
    return kFormats[static_cast<std::size_t>(type.scalar)];
}

// The payload's upper bits survive; one that would vanish becomes the quiet NaN.
double roundNan(const Format& f, double value)
{
    if (f.special == Special::kNone)
        return f.largest;
    if (f.special != Special::kIeee)
        return std::bit_cast<double>(kQuietNan | (std::bit_cast<std::uint64_t>(value) & kSignBit));
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t kept = bits & ~((1ULL << (52 - f.mantissaBits)) - 1);
    return std::bit_cast<double>((kept & kDoubleMantissa) ? kept : (kept | kQuietNan));
}

// Rounds |value| to the mantissa; exact for what lies beyond `largest`, which the caller cuts off.
double roundMagnitude(const Format& f, double magnitude)
{
    if (magnitude < f.minNormal)
        return (magnitude + f.subnormalMagic) - f.subnormalMagic;
    const int dropped = 52 - f.mantissaBits;
    std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude);
    bits += ((1ULL << (dropped - 1)) - 1) + ((bits >> dropped) & 1);
    bits &= ~((1ULL << dropped) - 1);
    return std::bit_cast<double>(bits);
}

double roundExponentOnly(const Format& f, double value)
{
    if (std::isnan(value) || std::signbit(value))
        return value == 0 ? f.minNormal : std::numeric_limits<double>::quiet_NaN();
    if (value <= f.minNormal)
        return f.minNormal;
    const double rounded = value > f.largest ? f.largest : roundMagnitude(f, value);
    return rounded > f.largest ? f.largest : rounded;
}

double roundGeneric(const Format& f, double value)
{
    if (f.special == Special::kExponent)
        return roundExponentOnly(f, value);
    if (std::isnan(value)) [[unlikely]]
        return roundNan(f, value);
    const double magnitude = std::fabs(value);
    double rounded = magnitude > 2 * f.largest ? f.overflow : roundMagnitude(f, magnitude);
    if (rounded > f.largest)
        rounded = f.overflow;
    if (rounded == 0 && f.special == Special::kFnuz)
        return 0;
    return std::copysign(rounded, value);
}

std::uint64_t nanBits(const Format& f, double value, std::uint64_t sign)
{
    switch (f.special) {
    case Special::kFnuz: return 1ULL << (f.exponentBits + f.mantissaBits);
    case Special::kExponent: return 0xff;
    case Special::kFn: return sign | ((1ULL << (f.exponentBits + f.mantissaBits)) - 1);
    default: break;
    }
    const std::uint64_t payload = (std::bit_cast<std::uint64_t>(value) & kDoubleMantissa) >> (52 - f.mantissaBits);
    return sign | (((1ULL << f.exponentBits) - 1) << f.mantissaBits) | payload;
}

// `value` has the format's precision already.
std::uint64_t encodeRounded(const Format& f, double value)
{
    const std::uint64_t raw = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t sign = (raw >> 63) << (f.exponentBits + f.mantissaBits);
    if (std::isnan(value))
        return nanBits(f, value, sign);
    if (std::isinf(value))
        return sign | (((1ULL << f.exponentBits) - 1) << f.mantissaBits);
    const double magnitude = std::fabs(value);
    if (magnitude < f.minNormal) {
        const double quantum = f.minNormal * powerOfTwo(-f.mantissaBits);
        return sign | static_cast<std::uint64_t>(magnitude / quantum);
    }
    const std::uint64_t exponent = ((raw >> 52) & 0x7ff) - 1023 + static_cast<std::uint64_t>(f.bias);
    return sign | (exponent << f.mantissaBits) | ((raw & kDoubleMantissa) >> (52 - f.mantissaBits));
}

bool isNanPattern(const Format& f, std::uint64_t magnitude, bool sign)
{
    const std::uint64_t allOnes = (1ULL << (f.exponentBits + f.mantissaBits)) - 1;
    switch (f.special) {
    case Special::kFn: return magnitude == allOnes;
    case Special::kFnuz: return sign && magnitude == 0;
    case Special::kExponent: return magnitude == 0xff;
    default: return false;
    }
}

double decodeGeneric(const Format& f, std::uint64_t bits)
{
    const bool hasSign = f.special != Special::kExponent;
    const bool sign = hasSign && ((bits >> (f.exponentBits + f.mantissaBits)) & 1);
    const std::uint64_t magnitude = bits & ((1ULL << (f.exponentBits + f.mantissaBits)) - 1);
    const std::uint64_t signBits = sign ? kSignBit : 0;
    if (isNanPattern(f, magnitude, sign))
        return std::bit_cast<double>(kQuietNan | (f.special == Special::kFnuz ? 0 : signBits));
    const std::uint64_t exponent = magnitude >> f.mantissaBits;
    const std::uint64_t mantissa = magnitude & ((1ULL << f.mantissaBits) - 1);
    if (f.special == Special::kIeee && exponent == (1ULL << f.exponentBits) - 1)
        return std::bit_cast<double>(signBits | (0x7ffULL << 52) | (mantissa << (52 - f.mantissaBits)));
    if (exponent == 0 && hasSign) {
        const double quantum = f.minNormal * powerOfTwo(-f.mantissaBits);
        return std::copysign(static_cast<double>(mantissa) * quantum, sign ? -1.0 : 1.0);
    }
    const std::uint64_t raw = (exponent + 1023 - static_cast<std::uint64_t>(f.bias)) << 52;
    return std::bit_cast<double>(signBits | raw | (mantissa << (52 - f.mantissaBits)));
}

// A TF32 number is stored as a float32.
const Format& storedFormat(DType type)
{
    return type.scalar == Scalar::kTFloat32 ? kFormats[static_cast<std::size_t>(Scalar::kFloat32)] : format(type);
}

}  // namespace

double roundTo(DType type, double value)
{
    if (type.scalar == Scalar::kFloat32) {
        if (std::isnan(value)) [[unlikely]]
            return roundNan(format(type), value);
        return static_cast<double>(static_cast<float>(value));
    }
    if (type.scalar == Scalar::kFloat64)
        return value;
    const Format& f = format(type);
    TW_CHECK(f.exponentBits != 0, "rounding to a type that is no float");
    return roundGeneric(f, value);
}

double roundUnsaturated(DType type, double value)
{
    const double rounded = roundTo(type, value);
    const Format& f = format(type);
    if (!f.saturates || f.special == Special::kNone || std::isnan(rounded) || std::fabs(rounded) < f.largest)
        return rounded;
    const double magnitude = std::fabs(value);
    if (magnitude <= 2 * f.largest && roundMagnitude(f, magnitude) <= f.largest)
        return rounded;
    return f.special == Special::kIeee ? std::copysign(kInfinity, value) : std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t encodeExact(DType type, double value) { return encodeRounded(storedFormat(type), value); }

double roundStochastic(DType type, double value, std::uint32_t random)
{
    const Format& f = format(type);
    const int dropped = 23 - f.mantissaBits;
    if (dropped <= 0 || f.special == Special::kExponent || value == 0 || !std::isfinite(value))
        return value;
    const double place = std::ldexp(1.0, std::max(std::ilogb(value), std::ilogb(f.minNormal)) - f.mantissaBits);
    const double part = std::ldexp(static_cast<double>(random & ((1U << dropped) - 1)), -dropped);
    return std::copysign(std::floor(std::abs(value) / place + part) * place, value);
}

std::uint64_t encodeFloat(DType type, double value)
{
    if (type.scalar == Scalar::kFloat64)
        return std::bit_cast<std::uint64_t>(value);
    const double rounded = roundTo(type, value);
    if (type.scalar == Scalar::kFloat32 && !std::isnan(rounded))
        return std::bit_cast<std::uint32_t>(static_cast<float>(rounded));
    return encodeRounded(storedFormat(type), rounded);
}

double decodeFloat(DType type, std::uint64_t bits)
{
    if (type.scalar == Scalar::kFloat64)
        return std::bit_cast<double>(bits);
    if (type.bits() == 32) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (!std::isnan(value))
            return static_cast<double>(value);
    }
    const Format& f = storedFormat(type);
    TW_CHECK(f.exponentBits != 0, "decoding a type that is no float");
    return decodeGeneric(f, bits);
}

std::int64_t wrapInt(DType type, std::int64_t value)
{
    if (type.isBool())
        return value != 0;
    const int shift = 64 - type.bits();
    if (shift <= 0)
        return value;
    const std::uint64_t raised = static_cast<std::uint64_t>(value) << shift;
    if (type.isUnsigned())
        return static_cast<std::int64_t>(raised >> shift);
    return static_cast<std::int64_t>(raised) >> shift;
}

std::int64_t floatToInt(DType type, double value)
{
    if (type.isBool())
        return value != 0;
    if (std::isnan(value))
        return 0;
    const double truncated = std::trunc(value);
    const double least = static_cast<double>(smallestInt(type));
    // 2^n, the first value above the range: exact, which the largest 64-bit integer is not.
    const double above = std::ldexp(1.0, type.isSigned() ? type.bits() - 1 : type.bits());
    if (truncated <= least)
        return smallestInt(type);
    if (truncated >= above)
        return static_cast<std::int64_t>(largestInt(type));
    if (type.isUnsigned())
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(truncated));
    return static_cast<std::int64_t>(truncated);
}

double intToFloat(DType from, DType to, std::int64_t value)
{
    const bool isUnsigned = !from.isSigned();
    const bool negative = !isUnsigned && value < 0;
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if (negative)
        magnitude = 0 - magnitude;
    if (to.scalar == Scalar::kFloat64)
        return negative ? static_cast<double>(value) : static_cast<double>(magnitude);
    // Rounding twice is harmless if the first step keeps a sticky bit (round to odd).
    const int width = std::bit_width(magnitude);
    if (width > 53) {
        const int dropped = width - 53;
        const bool sticky = (magnitude & ((1ULL << dropped) - 1)) != 0;
        magnitude = ((magnitude >> dropped) | (sticky ? 1 : 0)) << dropped;
    }
    const double exact = static_cast<double>(magnitude);
    return roundTo(to, negative ? -exact : exact);
}

double largestFinite(DType type)
{
    if (type.scalar == Scalar::kFloat64)
        return std::numeric_limits<double>::max();
    TW_CHECK(type.isFloating(), "largestFinite of a type that is no float");
    return format(type).largest;
}

bool hasInfinity(DType type)
{
    return type.scalar == Scalar::kFloat64 || (type.isFloating() && format(type).special == Special::kIeee);
}

std::int64_t smallestInt(DType type)
{
    if (!type.isSigned())
        return 0;
    return static_cast<std::int64_t>(~0ULL << (type.bits() - 1));
}

std::uint64_t largestInt(DType type)
{
    if (type.isBool())
        return 1;
    const int bits = type.isSigned() ? type.bits() - 1 : type.bits();
    return bits == 64 ? ~0ULL : (1ULL << bits) - 1;
}

}  // namespace tw::ir
