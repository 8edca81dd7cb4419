// Arithmetic on the integers of staging Python. Everything that can leave 128 bits gives an empty result instead.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/integer.h"

namespace tw::staging {

__extension__ typedef unsigned __int128 Unsigned128;

inline constexpr Integer kIntegerMax = static_cast<Integer>((~static_cast<Unsigned128>(0)) >> 1);
inline constexpr Integer kIntegerMin = -kIntegerMax - 1;

[[nodiscard]] std::optional<Integer> addIntegers(Integer a, Integer b);
[[nodiscard]] std::optional<Integer> subIntegers(Integer a, Integer b);
[[nodiscard]] std::optional<Integer> mulIntegers(Integer a, Integer b);
// Python's signs; `b` is not zero.
[[nodiscard]] std::optional<Integer> floorDivIntegers(Integer a, Integer b);
[[nodiscard]] std::optional<Integer> floorModIntegers(Integer a, Integer b);
[[nodiscard]] std::optional<Integer> powIntegers(Integer base, Integer exponent);  // exponent ≥ 0
[[nodiscard]] std::optional<Integer> shiftLeft(Integer a, Integer bits);            // bits ≥ 0
[[nodiscard]] Integer shiftRight(Integer a, Integer bits);                          // bits ≥ 0
// Truncates towards zero; empty for NaN, infinities and values outside 128 bits.
[[nodiscard]] std::optional<Integer> toInteger(double value);

[[nodiscard]] std::string integerText(Integer value, int base = 10);
// As int(text, base): optional sign, "0x" prefixes where base is 0 or fits, underscores between digits.
[[nodiscard]] std::optional<Integer> parseInteger(std::string_view text, int base = 10);

[[nodiscard]] inline bool fits64(Integer value)
{
    return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace tw::staging
