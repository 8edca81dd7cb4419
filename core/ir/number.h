// Exact numbers of every element type: rounding, bit patterns, limits. The one place that knows the formats.
#pragma once

#include <cstdint>

#include "core/ir/dtype.h"

namespace tw::ir {

// `value` rounded to nearest even in a floating `type` (lanes ignored), as a double. fp16, bf16, fp32 overflow to infinity,
// fp8, fp6 and fp4 saturate to the largest finite value (language.md g.2b); NaN stays NaN where the type has one and else
// becomes the largest value. tf32 rounds the mantissa to 10 bits.
[[nodiscard]] double roundTo(DType type, double value);
// The same without saturation (T.cast with sat=False): beyond the largest finite value lies the type's infinity, or its NaN
// where it has no infinity. Types with neither saturate all the same.
[[nodiscard]] double roundUnsaturated(DType type, double value);

// Stochastic rounding (T.cast with round="rs"): one of the two neighbours of a float32 `value` among the numbers with the precision
// of `type`, but without its largest one: round the result with roundTo or roundUnsaturated. `random` is added below the last
// place that stays: 23 minus the mantissa's bits of it, the rest is cut off.
[[nodiscard]] double roundStochastic(DType type, double value, std::uint32_t random);

// Bits of one element, in the low `type.bits()` bits. `encodeFloat` rounds as roundTo does.
[[nodiscard]] std::uint64_t encodeFloat(DType type, double value);
// The bits of a value that the type holds exactly; an infinity stays one where the type has it.
[[nodiscard]] std::uint64_t encodeExact(DType type, double value);
[[nodiscard]] double decodeFloat(DType type, std::uint64_t bits);

// `value` wrapped to an integer or bool type (two's complement); bool is value != 0.
[[nodiscard]] std::int64_t wrapInt(DType type, std::int64_t value);
// Float to integer: truncates, saturates at the type's limits, NaN gives 0 (what CUDA's cvt does).
[[nodiscard]] std::int64_t floatToInt(DType type, double value);

// An integer of type `from` (uint64 as its two's complement bits), rounded once to the floating type `to`.
[[nodiscard]] double intToFloat(DType from, DType to, std::int64_t value);

// The finite limits of a type (bfloat16 uses its own, not float32's) and whether it can hold infinities.
[[nodiscard]] double largestFinite(DType type);
[[nodiscard]] bool hasInfinity(DType type);
[[nodiscard]] std::int64_t smallestInt(DType type);   // of an integer type
[[nodiscard]] std::uint64_t largestInt(DType type);   // of an integer type

}  // namespace tw::ir
