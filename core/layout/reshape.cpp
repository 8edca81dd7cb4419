#include "core/layout/reshape.h"

#include <algorithm>

namespace tw::layout {

namespace {

using I = std::int64_t;

// The digits of the row-major number of an element, the lowest first. Empty where they leave gaps.
std::vector<Digit> rowMajorDigits(const Fragment& f)
{
    std::vector<Digit> digits;
    I below = 1;
    for (int axis = static_cast<int>(f.shape.size()); axis-- > 0;) {
        std::vector<Digit> own;
        for (const Digit& d : f.digits)
            if (d.axis == axis)
                own.push_back(d);
        std::ranges::sort(own, {}, &Digit::lower);
        for (Digit d : own) {
            d.lower *= below;
            digits.push_back(d);
        }
        below *= f.shape[static_cast<std::size_t>(axis)];
    }
    return digits;
}

}  // namespace

std::optional<Fragment> reshaped(const Fragment& f, const std::vector<I>& shape)
{
    I have = 1, want = 1;
    for (std::size_t axis = 0; axis < f.shape.size(); ++axis) {
        if (f.covered(static_cast<int>(axis)) != f.shape[axis])
            return std::nullopt;
        have *= f.shape[axis];
    }
    for (const I extent : shape)
        want *= extent;
    if (have != want)
        return std::nullopt;
    std::vector<Digit> digits = rowMajorDigits(f);
    Fragment result = f;
    result.shape = shape;
    result.digits.clear();
    std::size_t next = 0;
    for (int axis = static_cast<int>(shape.size()); axis-- > 0;)
        for (I lower = 1, left = shape[static_cast<std::size_t>(axis)]; left > 1;) {
            Digit& d = digits[next];
            const I take = left % d.extent == 0 ? d.extent : d.extent % left == 0 ? left : 0;
            if (take == 0)
                return std::nullopt;
            result.digits.push_back({axis, lower, take, d.onThread, d.stride});
            lower *= take;
            left /= take;
            d.extent /= take;
            d.stride *= take;
            next += d.extent == 1 ? 1 : 0;
        }
    return normalized(std::move(result));
}

}  // namespace tw::layout
