// The numbers of T.rng_*: one counter a thread, hashed by splitmix64 (Steele, Lea, Flood 2014). It has the interface of CUDA's
// generators, not their numbers. The device prelude of CUDA holds the same functions.
#pragma once

#include <cmath>
#include <cstdint>

namespace tw::ir {

struct RandomCounter {
    std::uint64_t state = 0;
    bool started = false;

    // T.rng_init; threads with other sequences draw other numbers, `offset` skips as many.
    void start(std::int64_t seed, std::int64_t sequence, std::int64_t offset)
    {
        state = mix(static_cast<std::uint64_t>(seed) ^ mix(static_cast<std::uint64_t>(sequence))) + static_cast<std::uint64_t>(offset);
        started = true;
    }
    // 32 random bits.
    std::uint32_t bits() { return static_cast<std::uint32_t>(mix(state++) >> 32U); }
    // In (0, 1): a multiple of 2^-53.
    double uniform() { return unit(mix(state++)); }
    // Standard normal (Box and Muller); one number of the counter, too.
    double normal()
    {
        const std::uint64_t drawn = mix(state++);
        const double angle = static_cast<double>(mix(drawn) >> 12U) / 4503599627370496.0;
        return std::sqrt(-2.0 * std::log(unit(drawn))) * std::cos(6.283185307179586 * angle);
    }

    static std::uint64_t mix(std::uint64_t x)
    {
        x += 0x9E3779B97F4A7C15ULL;
        x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
        return x ^ (x >> 31U);
    }

private:
    static double unit(std::uint64_t drawn) { return (static_cast<double>(drawn >> 12U) + 0.5) / 4503599627370496.0; }
};

}  // namespace tw::ir
