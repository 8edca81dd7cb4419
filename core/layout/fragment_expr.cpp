// Coordinates and registers as expressions of the thread.
#include <algorithm>
#include <numeric>

#include "core/ir/build.h"
#include "core/layout/fragment.h"
#include "core/support/check.h"

namespace tw::layout {

namespace {

using I = std::int64_t;
using ir::Expr;

Expr times(Expr value, I factor) { return factor == 1 ? value : ir::mul(std::move(value), ir::intImm(factor)); }
Expr over(Expr value, I divisor) { return divisor == 1 ? value : ir::floorDiv(std::move(value), ir::intImm(divisor)); }
Expr plus(Expr a, Expr b)
{
    if (!a || ir::isZero(a))
        return b;
    return !b || ir::isZero(b) ? a : ir::add(std::move(a), std::move(b));
}

}  // namespace

// Without the remainder where it is the highest.
Expr threadDigit(const Fragment& f, const Expr& thread, I stride)
{
    const Expr high = over(f.firstThread == 0 ? thread : ir::sub(thread, ir::intImm(f.firstThread)), stride);
    const I span = f.threadSpan(stride);
    return stride * span >= f.threads ? high : ir::floorMod(high, ir::intImm(span));
}

std::vector<int> registerDigits(const Fragment& f)
{
    std::vector<int> result;
    for (int k = 0; k < static_cast<int>(f.digits.size()); ++k)
        if (!f.digits[static_cast<std::size_t>(k)].onThread)
            result.push_back(k);
    std::sort(result.begin(), result.end(), [&](int a, int b) {
        return f.digits[static_cast<std::size_t>(a)].stride > f.digits[static_cast<std::size_t>(b)].stride;
    });
    return result;
}

std::vector<DigitValue> coordinate(const Fragment& f, int axis, const Expr& thread, const std::vector<Expr>& registers)
{
    const std::vector<int> order = registerDigits(f);
    TW_CHECK(order.size() == registers.size(), "one expression for each register digit");
    std::vector<DigitValue> result;
    for (int k = 0; k < static_cast<int>(f.digits.size()); ++k) {
        const Digit& d = f.digits[static_cast<std::size_t>(k)];
        if (d.axis != axis)
            continue;
        const auto place = std::find(order.begin(), order.end(), k) - order.begin();
        Expr value = d.onThread ? threadDigit(f, thread, d.stride) : registers[static_cast<std::size_t>(place)];
        result.push_back({std::move(value), d.lower, d.extent, d.onThread});
    }
    return result;
}

Expr valueOf(const std::vector<DigitValue>& digits)
{
    Expr sum;
    for (std::size_t k = digits.size(); k-- > 0;)
        sum = plus(sum, times(digits[k].value, digits[k].lower));
    return sum ? sum : ir::intImm(0);
}

Expr slice(const std::vector<DigitValue>& digits, I lower, I extent)
{
    // Digits that end below `lower` or begin at or above lower * extent have no part in it; one that straddles a border is cut.
    const I upper = lower * extent;
    Expr sum;
    for (std::size_t k = digits.size(); k-- > 0;) {
        const DigitValue& d = digits[k];
        const I end = d.lower * d.extent;
        if (end <= lower || d.lower >= upper)
            continue;
        if ((d.lower < lower && lower % d.lower != 0) || (d.lower >= lower && d.lower % lower != 0) || (end > upper && upper % d.lower != 0)) {
            // No common border: by arithmetic on the whole coordinate.
            return ir::floorMod(over(valueOf(digits), lower), ir::intImm(extent));
        }
        Expr part = d.value;
        if (end > upper)
            part = ir::floorMod(part, ir::intImm(upper / d.lower));
        if (d.lower < lower)
            part = over(part, lower / d.lower);
        sum = plus(sum, d.lower <= lower ? part : times(part, d.lower / lower));
    }
    return sum ? sum : ir::intImm(0);
}

Expr registerExpr(const Fragment& f, const std::vector<std::vector<DigitValue>>& at)
{
    Expr sum;
    for (const int k : registerDigits(f)) {
        const Digit& d = f.digits[static_cast<std::size_t>(k)];
        sum = plus(sum, times(slice(at[static_cast<std::size_t>(d.axis)], d.lower, d.extent), d.stride));
    }
    return sum ? sum : ir::intImm(0);
}

Expr firstCopy(const Fragment& f, const Expr& thread)
{
    Expr all;
    for (const Replica& r : f.replicas)
        all = ir::logicalAnd(all, ir::binary(ir::BinaryOp::kEq, threadDigit(f, thread, r.stride), ir::intImm(0)));
    return all;
}

Expr holdsAny(const Fragment& f, const Expr& thread)
{
    Expr all;
    const auto below = [&](I stride, I extent) {
        if (f.threadSpan(stride) > extent)
            all = ir::logicalAnd(all, ir::less(threadDigit(f, thread, stride), ir::intImm(extent)));
    };
    bool lowest = f.threads == 1;
    for (const Digit& d : f.digits)
        if (d.onThread) {
            below(d.stride, d.extent);
            lowest = lowest || d.stride == 1;
        }
    for (const Replica& r : f.replicas) {
        below(r.stride, r.extent);
        lowest = lowest || r.stride == 1;
    }
    TW_CHECK(lowest, "a layout without a digit for neighbouring threads");
    return all;
}

Expr holdsElement(const Fragment& f, const Expr& thread, const std::vector<std::vector<DigitValue>>& at)
{
    Expr all = holdsAny(f, thread);
    for (const Digit& d : f.digits)
        if (d.onThread)
            all = ir::logicalAnd(all, ir::binary(ir::BinaryOp::kEq, threadDigit(f, thread, d.stride),
                                                 slice(at[static_cast<std::size_t>(d.axis)], d.lower, d.extent)));
    return all;
}

}  // namespace tw::layout
