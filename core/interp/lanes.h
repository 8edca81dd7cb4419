// Values of many lanes at once. A lane is a thread of a block, or an iteration of a parallel loop.
//
// Whatever its dtype, a lane holds a double (floats: exact for every type the language has) or a 64-bit integer (integers
// and bools, wrapped to their dtype; uint64 as its two's complement bits).
#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/dtype.h"

namespace tw::interp {

union Lane {
    std::int64_t i;
    double f;
};

// One register of a fiber. A uniform value holds `width` lanes, a varying one `width` times the lanes of the fiber,
// component by component (vector dtypes have width > 1).
struct Slot {
    std::vector<Lane> lanes;
    int width = 1;
    bool uniform = true;

    // Room for `count` lanes; the old content is kept as far as it fits.
    Lane* prepare(std::size_t count)
    {
        if (lanes.size() < count)
            lanes.resize(count);
        return lanes.data();
    }
    void setUniform(Lane value)
    {
        width = 1;
        uniform = true;
        prepare(1)[0] = value;
    }
    [[nodiscard]] const Lane* component(int k, int n) const
    {
        return lanes.data() + static_cast<std::size_t>(k) * (uniform ? 1U : static_cast<std::size_t>(n));
    }
};

// Which lanes execute. `all` saves looking at the bits.
struct Mask {
    std::vector<std::uint8_t> bits;
    int count = 0;
    bool all = true;

    static Mask full(int n)
    {
        Mask m;
        m.count = n;
        return m;
    }
    [[nodiscard]] bool on(int lane) const { return all || bits[static_cast<std::size_t>(lane)] != 0; }
    [[nodiscard]] bool none() const { return count == 0; }
    [[nodiscard]] int first(int n) const
    {
        for (int lane = 0; lane < n; ++lane)
            if (on(lane))
                return lane;
        return -1;
    }
    // Of these bits, which must be 0 or 1 for each of n lanes.
    static Mask of(std::vector<std::uint8_t> bits)
    {
        Mask m;
        m.count = 0;
        for (const std::uint8_t bit : bits)
            m.count += bit;
        m.all = m.count == static_cast<int>(bits.size());
        m.bits = std::move(bits);
        return m;
    }
};

// The lanes of `a` where `keep` holds (keep has one byte a lane).
[[nodiscard]] Mask restrict(const Mask& a, const std::vector<std::uint8_t>& keep);
// The lanes of `a` where `drop` does not hold; an empty `drop` drops nothing.
[[nodiscard]] Mask without(const Mask& a, const std::vector<std::uint8_t>& drop);

}  // namespace tw::interp
