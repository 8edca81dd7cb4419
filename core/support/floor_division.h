// Division that rounds down, and its remainder, which has the divisor's sign: Python's // and % on 64 bits.
#pragma once

#include <cstdint>

namespace tw {

// `b` is not 0. -2^63 // -1 wraps to -2^63.
[[nodiscard]] constexpr std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    if (b == -1)
        return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// `b` is not 0. In [0, b) or (b, 0].
[[nodiscard]] constexpr std::int64_t floorRemainder(std::int64_t a, std::int64_t b)
{
    if (b == -1)
        return 0;
    const std::int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace tw
