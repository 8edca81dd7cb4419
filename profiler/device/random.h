// Reproducible random numbers: the same seed gives the same inputs on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace tw::device {

// SplitMix64: one 64-bit state, every seed is good.
class Random {
public:
    // Every stream of one seed is independent, so adding a tensor does not change the others.
    Random(std::uint64_t seed, std::string_view stream) : state_(seed)
    {
        for (const char c : stream)
            state_ = next() ^ static_cast<unsigned char>(c);
    }

    std::uint64_t next()
    {
        state_ += kStep;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    // As after `n` calls of next().
    void skip(std::uint64_t n) { state_ += n * kStep; }
    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // Uniform in [low, high]; high ≥ low.
    std::int64_t integer(std::int64_t low, std::int64_t high)
    {
        const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        return low + static_cast<std::int64_t>(span == 0 ? next() : next() % span);
    }
    // Standard normal (Box and Muller): two calls of next().
    double normal()
    {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

private:
    static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
    std::uint64_t state_;
};

}  // namespace tw::device
