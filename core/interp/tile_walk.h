// Walking two tiles together, row by row.
#pragma once

#include <vector>

#include "core/interp/machine.h"

namespace tw::interp {

struct PairAxis {
    std::int64_t extent = 1;
    TileAxis a, b;
};

// The axes that both tiles iterate, in order; axes of extent 1 do not count. Empty `ok`: they do not fit together.
struct PairAxes {
    std::vector<PairAxis> axes;
    bool fits = true;
};
// `aDecides`: the extents are a's (else b's).
[[nodiscard]] PairAxes pairAxes(const TileView& a, const TileView& b, bool aDecides);

// One row of two tiles: positions 0 … extent - 1 of the last axis, from element `base` on, `stride` apart. [low, high) is
// what lies inside the buffer.
struct Row {
    std::int64_t base = 0, stride = 0, low = 0, high = 0;
};
// Calls f(extent, rowOfA, rowOfB) for every row.
template <class F>
void forEachRow(const TileView& a, const TileView& b, const std::vector<PairAxis>& axes, F&& f)
{
    const std::size_t outer = axes.empty() ? 0 : axes.size() - 1;
    for (const PairAxis& axis : axes)
        if (axis.extent == 0)
            return;
    std::vector<std::int64_t> at(outer, 0);
    while (true) {
        Row ra{a.base, 0, 0, a.inside ? 1 : 0};
        Row rb{b.base, 0, 0, b.inside ? 1 : 0};
        std::int64_t extent = 1;
        if (!axes.empty()) {
            const PairAxis& last = axes.back();
            extent = last.extent;
            ra = {a.base, last.a.stride, last.a.low, a.inside ? last.a.high : last.a.low};
            rb = {b.base, last.b.stride, last.b.low, b.inside ? last.b.high : last.b.low};
        }
        for (std::size_t k = 0; k < outer; ++k) {
            ra.base += at[k] * axes[k].a.stride;
            rb.base += at[k] * axes[k].b.stride;
            if (at[k] < axes[k].a.low || at[k] >= axes[k].a.high)
                ra.high = ra.low;
            if (at[k] < axes[k].b.low || at[k] >= axes[k].b.high)
                rb.high = rb.low;
        }
        f(extent, ra, rb);
        std::size_t k = outer;
        while (k-- > 0) {
            if (++at[k] < axes[k].extent)
                break;
            at[k] = 0;
        }
        if (k == static_cast<std::size_t>(-1))
            return;
    }
}

inline void setValid(const TileView& v, std::int64_t element)
{
    if (v.valid)
        std::fill(v.valid + firstByte(v.type, element), v.valid + endByte(v.type, element), std::uint8_t{1});
}
[[nodiscard]] inline bool isValid(const TileView& v, std::int64_t element)
{
    return !v.valid || v.valid[firstByte(v.type, element)] != 0;
}

}  // namespace tw::interp
