#include "profiler/cuda/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/core.h>

namespace tw::cuda {
namespace {

__extension__ typedef unsigned __int128 Wide;
using State = std::array<std::uint32_t, 8>;
constexpr std::size_t kBlockBytes = 64;

// The standard's constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes (section
// 4.2.2) and of the square roots of the first 8 (5.3.3): the bits of a root are found one by one.
constexpr std::uint32_t rootFraction(std::uint64_t prime, int power)
{
    // The largest r with r^power ≤ prime · 2^(32·power); r < 2^36, so that products need 128 bits at most.
    std::uint64_t r = 0;
    for (int bit = 36; bit >= 0; --bit) {
        const std::uint64_t candidate = r | (std::uint64_t{1} << bit);
        Wide value = static_cast<Wide>(candidate) * candidate;
        bool fits = false;
        if (power == 2) {
            fits = value <= (static_cast<Wide>(prime) << 64);
        } else {
            // candidate³ ≤ prime · 2^96, compared as candidate² ≤ prime · 2^96 / candidate.
            const Wide scaled = static_cast<Wide>(prime) << 96;
            fits = value <= scaled / candidate;
        }
        if (fits)
            r = candidate;
    }
    return static_cast<std::uint32_t>(r);
}

struct Constants {
    std::array<std::uint32_t, 64> round{};
    State start{};
};

Constants makeConstants()
{
    Constants out;
    std::size_t count = 0;
    for (std::uint64_t n = 2; count < out.round.size(); ++n) {
        bool isPrime = true;
        for (std::uint64_t d = 2; d * d <= n; ++d)
            isPrime = isPrime && n % d != 0;
        if (!isPrime)
            continue;
        if (count < out.start.size())
            out.start[count] = rootFraction(n, 2);
        out.round[count++] = rootFraction(n, 3);
    }
    return out;
}

void addBlock(State& state, const unsigned char* block, const std::array<std::uint32_t, 64>& constants)
{
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i)
        w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 | std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t first = h + sum1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t second = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const State added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += added[i];
}

}  // namespace

std::string sha256(std::string_view bytes)
{
    static const Constants kConstants = makeConstants();
    State state = kConstants.start;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t at = 0;
    for (; bytes.size() - at >= kBlockBytes; at += kBlockBytes)
        addBlock(state, data + at, kConstants.round);
    // The rest, a one bit, zeros, and the length in bits.
    std::string tail(bytes.substr(at));
    tail += '\x80';
    while (tail.size() % kBlockBytes != kBlockBytes - 8)
        tail += '\0';
    for (int shift = 56; shift >= 0; shift -= 8)
        tail += static_cast<char>((std::uint64_t{bytes.size()} * 8) >> shift & 0xFF);
    for (std::size_t i = 0; i < tail.size(); i += kBlockBytes)
        addBlock(state, reinterpret_cast<const unsigned char*>(tail.data()) + i, kConstants.round);
    std::string out;
    for (const std::uint32_t word : state)
        out += fmt::format("{:08x}", word);
    return out;
}

}  // namespace tw::cuda
