#include "core/layout/fragment.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/support/check.h"

namespace tw::layout {

namespace {

using I = std::int64_t;

bool inOrder(const Digit& a, const Digit& b) { return a.axis != b.axis ? a.axis < b.axis : a.lower < b.lower; }

I ceilDiv(I a, I b) { return (a + b - 1) / b; }

I largestDivisor(I n, I atMost)
{
    for (I d = std::min(n, atMost); d > 1; --d)
        if (n % d == 0)
            return d;
    return 1;
}

// Copies for the threads that have nothing.
void fillThreads(Fragment& f)
{
    const I used = f.usedThreads();
    if (const I copies = f.threads / used; copies > 1)
        f.replicas.push_back({copies, used});
}

// Deals the axes out from the last to the first: `lanes` threads along each until they are used up, the rest in registers.
class Dealer {
public:
    Dealer(Fragment& f, I threads, I firstThread) : f_(f), free_(threads), thread_(firstThread) {}

    // `elements` of the axis from `lower` on: threads as far as they go, then registers.
    void spread(int axis, I lower, I elements)
    {
        const I threads = lanesFor(elements);
        if (threads > 1) {
            f_.digits.push_back({axis, lower, threads, true, thread_});
            thread_ *= threads;
            free_ /= threads;
        }
        hold(axis, lower * threads, ceilDiv(elements, threads));
    }
    void hold(int axis, I lower, I elements)
    {
        if (elements > 1)
            f_.digits.push_back({axis, lower, elements, false, register_});
        register_ *= std::max<I>(elements, 1);
    }

private:
    // As many threads as give the fewest rounds; among those the fewest, so that the others serve the next axis.
    I lanesFor(I elements) const
    {
        I best = 1;
        for (I n = 1; n <= std::min(elements, free_); ++n)
            if (free_ % n == 0 && ceilDiv(elements, n) < ceilDiv(elements, best))
                best = n;
        // A number that does not divide the free threads leaves some idle: only where that halves the rounds.
        const I all = std::min(elements, free_);
        if (2 * ceilDiv(elements, all) <= ceilDiv(elements, best))
            best = all;
        return best;
    }

    Fragment& f_;
    I free_, thread_, register_ = 1;
};

}  // namespace

I Fragment::registers() const
{
    I n = 1;
    for (const Digit& d : digits)
        n *= d.onThread ? 1 : d.extent;
    return n;
}

I Fragment::usedThreads() const
{
    I last = 0;
    for (const Digit& d : digits)
        last += d.onThread ? (d.extent - 1) * d.stride : 0;
    for (const Replica& r : replicas)
        last += (r.extent - 1) * r.stride;
    return last + 1;
}

I Fragment::copies() const
{
    I n = 1;
    for (const Replica& r : replicas)
        n *= r.extent;
    return n;
}

I Fragment::covered(int axis) const
{
    I n = 1;
    for (const Digit& d : digits)
        n *= d.axis == axis ? d.extent : 1;
    return n;
}

I Fragment::threadOf(std::span<const I> at) const
{
    I thread = 0;
    for (const Digit& d : digits)
        thread += d.onThread ? at[static_cast<std::size_t>(d.axis)] / d.lower % d.extent * d.stride : 0;
    return thread;
}

I Fragment::registerOf(std::span<const I> at) const
{
    I reg = 0;
    for (const Digit& d : digits)
        reg += d.onThread ? 0 : at[static_cast<std::size_t>(d.axis)] / d.lower % d.extent * d.stride;
    return reg;
}

I Fragment::threadSpan(I stride) const
{
    I next = threads;
    for (const Digit& d : digits)
        if (d.onThread && d.stride > stride)
            next = std::min(next, d.stride);
    for (const Replica& r : replicas)
        if (r.stride > stride)
            next = std::min(next, r.stride);
    return ceilDiv(next, stride);
}

bool Fragment::holds(I thread) const
{
    for (const Digit& d : digits)
        if (d.onThread && thread / d.stride % threadSpan(d.stride) >= d.extent)
            return false;
    for (const Replica& r : replicas)
        if (thread / r.stride % threadSpan(r.stride) >= r.extent)
            return false;
    return thread < threads;
}

bool Fragment::owns(I thread, std::span<const I> at) const
{
    if (!holds(thread))
        return false;
    for (const Digit& d : digits)
        if (d.onThread && thread / d.stride % threadSpan(d.stride) != at[static_cast<std::size_t>(d.axis)] / d.lower % d.extent)
            return false;
    return true;
}

std::vector<I> Fragment::at(I thread, I reg) const
{
    std::vector<I> result(shape.size(), 0);
    for (const Digit& d : digits)
        result[static_cast<std::size_t>(d.axis)] += (d.onThread ? thread / d.stride % threadSpan(d.stride) : reg / d.stride % d.extent) * d.lower;
    return result;
}

Fragment normalized(Fragment f)
{
    std::erase_if(f.digits, [](const Digit& d) { return d.extent == 1; });
    std::sort(f.digits.begin(), f.digits.end(), inOrder);
    std::vector<Digit> merged;
    for (const Digit& d : f.digits) {
        Digit* last = merged.empty() ? nullptr : &merged.back();
        if (last && last->axis == d.axis && last->onThread == d.onThread && d.lower == last->lower * last->extent &&
            d.stride == last->stride * last->extent)
            last->extent *= d.extent;
        else
            merged.push_back(d);
    }
    f.digits = std::move(merged);
    std::erase_if(f.replicas, [](const Replica& r) { return r.extent == 1; });
    std::sort(f.replicas.begin(), f.replicas.end(), [](const Replica& a, const Replica& b) { return a.stride < b.stride; });
    std::vector<Replica> copies;
    for (const Replica& r : f.replicas)
        if (!copies.empty() && r.stride == copies.back().stride * copies.back().extent)
            copies.back().extent *= r.extent;
        else
            copies.push_back(r);
    f.replicas = std::move(copies);
    return f;
}

Fragment replicated(std::vector<I> shape, I threads)
{
    Fragment f;
    f.shape = std::move(shape);
    f.threads = threads;
    I stride = 1;
    for (std::size_t axis = f.shape.size(); axis-- > 0;) {
        f.digits.push_back({static_cast<int>(axis), 1, f.shape[axis], false, stride});
        stride *= f.shape[axis];
    }
    f.replicas = {{threads, 1}};
    return normalized(std::move(f));
}

Fragment dealt(const std::vector<I>& shape, I threads, I vector)
{
    Fragment f;
    f.shape = shape;
    f.threads = threads;
    Dealer dealer(f, threads, 1);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const I run = axis + 1 == shape.size() ? largestDivisor(shape[axis], vector) : 1;
        dealer.hold(static_cast<int>(axis), 1, run);
        dealer.spread(static_cast<int>(axis), run, shape[axis] / run);
    }
    fillThreads(f);
    return normalized(std::move(f));
}

std::optional<Fragment> dealtInPatches(const std::vector<I>& shape, I threads, const Patches& patches)
{
    constexpr I kWarp = 32;
    std::vector<int> order = {patches.fast};  // axes, the one that warps walk along first in front
    for (int axis = static_cast<int>(shape.size()); axis-- > 0;)
        if (axis != patches.fast)
            order.push_back(axis);
    const I across = kWarp / patches.lanes;
    const I patch[] = {patches.vector * patches.lanes, across};
    if (order.size() < 2 || threads % kWarp != 0 || kWarp % patches.lanes != 0)
        return std::nullopt;
    for (std::size_t k = 0; k < 2; ++k)
        if (shape[static_cast<std::size_t>(order[k])] % patch[k] != 0)
            return std::nullopt;
    Fragment f;
    f.shape = shape;
    f.threads = threads;
    if (patches.vector > 1)
        f.digits.push_back({order[0], 1, patches.vector, false, 1});
    f.digits.push_back({order[0], patches.vector, patches.lanes, true, 1});
    f.digits.push_back({order[1], 1, across, true, patches.lanes});
    I warps = threads / kWarp, thread = kWarp, reg = patches.vector;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const I lower = k < 2 ? patch[k] : 1, rounds = shape[static_cast<std::size_t>(order[k])] / lower, here = std::gcd(rounds, warps);
        f.digits.push_back({order[k], lower, here, true, thread});
        f.digits.push_back({order[k], lower * here, rounds / here, false, reg});
        thread *= here;
        warps /= here;
        reg *= rounds / here;
    }
    return warps == 1 ? std::optional(normalized(std::move(f))) : std::nullopt;
}

std::string describe(const Fragment& f)
{
    std::string text;
    for (std::size_t axis = 0; axis < f.shape.size(); ++axis) {
        std::string digits;
        for (std::size_t k = f.digits.size(); k-- > 0;)
            if (const Digit& d = f.digits[k]; d.axis == static_cast<int>(axis))
                digits += fmt::format("{}{} {}{}", digits.empty() ? "" : " × ", d.extent, d.onThread ? "thread" : "register", d.extent == 1 ? "" : "s");
        text += fmt::format("{}axis {}: {}", axis == 0 ? "" : "; ", axis, digits.empty() ? "1" : digits);
    }
    return f.copies() > 1 ? fmt::format("{}; {} copies", text, f.copies()) : text;
}

Fragment rowwise(const std::vector<I>& shape, int axis, I threads, I lanes, I vector)
{
    TW_CHECK(threads % lanes == 0, "a group of lanes that does not divide the threads");
    Fragment f;
    f.shape = shape;
    f.threads = threads;
    const I extent = shape[static_cast<std::size_t>(axis)];
    const I run = largestDivisor(extent, vector);
    Dealer along(f, lanes, 1);
    along.hold(axis, 1, run);
    along.spread(axis, run, extent / run);
    const I used = f.usedThreads();
    if (used < lanes && lanes % used == 0)
        f.replicas.push_back({lanes / used, used});
    I reg = f.registers();
    Dealer rows(f, threads / lanes, lanes);
    for (std::size_t k = shape.size(); k-- > 0;)
        if (static_cast<int>(k) != axis)
            rows.spread(static_cast<int>(k), 1, shape[k]);
    // The rows' registers come above those of a row.
    for (Digit& d : f.digits)
        if (!d.onThread && d.axis != axis)
            d.stride *= reg;
    I groups = 1;  // of lanes that hold rows
    for (const Digit& d : f.digits)
        groups *= d.onThread && d.axis != axis ? d.extent : 1;
    if (const I copies = threads / (lanes * groups); copies > 1)
        f.replicas.push_back({copies, lanes * groups});
    return normalized(std::move(f));
}

Fragment select(const Fragment& f, const std::vector<int>& from)
{
    Fragment result;
    result.threads = f.threads;
    result.firstThread = f.firstThread;
    result.replicas = f.replicas;
    std::vector<int> to(f.shape.size(), -1);
    for (std::size_t k = 0; k < from.size(); ++k) {
        result.shape.push_back(from[k] < 0 ? 1 : f.shape[static_cast<std::size_t>(from[k])]);
        if (from[k] >= 0)
            to[static_cast<std::size_t>(from[k])] = static_cast<int>(k);
    }
    std::vector<Digit> registers;
    for (Digit d : f.digits) {
        const int axis = to[static_cast<std::size_t>(d.axis)];
        if (axis < 0) {
            if (d.onThread)
                result.replicas.push_back({d.extent, d.stride});
            continue;
        }
        d.axis = axis;
        (d.onThread ? result.digits : registers).push_back(d);
    }
    // Registers are numbered without gaps.
    std::sort(registers.begin(), registers.end(), [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
    I stride = 1;
    for (Digit& d : registers) {
        d.stride = stride;
        stride *= d.extent;
        result.digits.push_back(d);
    }
    return normalized(std::move(result));
}

}  // namespace tw::layout
