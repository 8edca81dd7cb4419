// Intervals and divisors of expressions.
#include <numeric>

#include "core/arith/normalize.h"
#include "core/ir/number.h"
#include "core/ir/visit.h"
#include "core/support/floor_division.h"

namespace tw::arith {

using ir::as;
using ir::BinaryOp;
using ir::Expr;

namespace {

using Bound = std::optional<std::int64_t>;

Bound addBounds(const Bound& a, const Bound& b)
{
    std::int64_t sum = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &sum))
        return {};
    return sum;
}

Bound scaleBound(const Bound& a, std::int64_t factor)
{
    std::int64_t product = 0;
    if (!a || __builtin_mul_overflow(*a, factor, &product))
        return {};
    return product;
}

Interval scaled(const Interval& a, std::int64_t factor)
{
    Interval result{scaleBound(a.low, factor), scaleBound(a.high, factor)};
    if (factor < 0)
        std::swap(result.low, result.high);
    return result;
}

Interval multiply(const Interval& a, const Interval& b)
{
    if (!a.low || !a.high || !b.low || !b.high) {
        const bool nonNegative = a.low && *a.low >= 0 && b.low && *b.low >= 0;
        return nonNegative ? Interval{scaleBound(a.low, *b.low), {}} : Interval{};
    }
    Interval result;
    for (const std::int64_t x : {*a.low, *a.high})
        for (const std::int64_t y : {*b.low, *b.high}) {
            const Bound p = scaleBound(x, y);
            if (!p)
                return {};
            result.low = result.low ? std::min(*result.low, *p) : *p;
            result.high = result.high ? std::max(*result.high, *p) : *p;
        }
    return result;
}

Interval divide(const Interval& a, std::int64_t d)
{
    Interval result;
    if (a.low)
        result.low = floorDivide(*a.low, d);
    if (a.high)
        result.high = floorDivide(*a.high, d);
    return result;
}

Interval minimum(const Interval& a, const Interval& b)
{
    Interval result;
    if (a.low && b.low)
        result.low = std::min(*a.low, *b.low);
    result.high = a.high && b.high ? std::min(*a.high, *b.high) : a.high ? a.high : b.high;
    return result;
}

Interval maximum(const Interval& a, const Interval& b)
{
    Interval result;
    if (a.high && b.high)
        result.high = std::max(*a.high, *b.high);
    result.low = a.low && b.low ? std::max(*a.low, *b.low) : a.low ? a.low : b.low;
    return result;
}

// The smallest 2^n - 1 that is not below `value` (>= 0).
std::int64_t allOnes(std::int64_t value)
{
    std::int64_t ones = 0;
    while (ones < value)
        ones = ones * 2 + 1;
    return ones;
}

Interval bitwise(BinaryOp op, const Interval& a, const Interval& b)
{
    const bool aPositive = a.low && *a.low >= 0, bPositive = b.low && *b.low >= 0;
    if (op == BinaryOp::kBitAnd) {
        if (!aPositive && !bPositive)
            return {};
        if (aPositive && bPositive)
            return {0, minimum(a, b).high};
        return {0, aPositive ? a.high : b.high};
    }
    if (!aPositive || !bPositive)
        return {};
    const std::int64_t low = op == BinaryOp::kBitOr ? std::max(*a.low, *b.low) : 0;
    if (!a.high || !b.high)
        return {low, {}};
    return {low, allOnes(std::max(*a.high, *b.high))};
}

// What the type alone says. 64-bit types say nothing: index arithmetic is exact.
Interval typeBounds(ir::DType type)
{
    if (type.isBool())
        return {0, 1};
    if (!type.isInteger())
        return {};
    if (type.bits() < 32)
        return {ir::smallestInt(type), static_cast<std::int64_t>(ir::largestInt(type))};
    return type.isUnsigned() ? Interval{0, {}} : Interval{};
}

}  // namespace

Interval intersect(const Interval& a, const Interval& b)
{
    Interval result;
    result.low = a.low && b.low ? std::max(*a.low, *b.low) : a.low ? a.low : b.low;
    result.high = a.high && b.high ? std::min(*a.high, *b.high) : a.high ? a.high : b.high;
    return result;
}

Interval unite(const Interval& a, const Interval& b)
{
    Interval result;
    if (a.low && b.low)
        result.low = std::min(*a.low, *b.low);
    if (a.high && b.high)
        result.high = std::max(*a.high, *b.high);
    return result;
}

Interval Facts::knownBounds(const Expr& e) const
{
    Interval result;
    for (const Bound& known : bounds_)
        if (known.e == e || ir::equal(known.e, e))
            result = intersect(result, known.interval);
    return result;
}

Interval Facts::atomBounds(const Expr& atom) const
{
    Interval result = intersect(knownBounds(atom), atom->kind == ir::ExprKind::kVar || atom->kind == ir::ExprKind::kLoad
                                                       ? typeBounds(atom->dtype)
                                                       : Interval{});
    if (const auto* s = as<ir::Select>(atom))
        return intersect(result, unite(bounds(s->then), bounds(s->otherwise)));
    const auto* b = as<ir::Binary>(atom);
    if (!b || !atom->dtype.isInteger())
        return atom->dtype.isBool() ? intersect(result, {0, 1}) : result;
    const auto* d = ir::asInt(b->b);
    switch (b->op) {
    case BinaryOp::kMul: return intersect(result, multiply(bounds(b->a), bounds(b->b)));
    case BinaryOp::kFloorDiv: return d && *d > 0 ? intersect(result, divide(bounds(b->a), *d)) : result;
    case BinaryOp::kFloorMod: {
        if (d && *d > 0)
            return intersect(result, {0, *d - 1});
        const Interval divisorBounds = bounds(b->b);
        if (divisorBounds.low && *divisorBounds.low > 0)
            return intersect(result, {0, addBounds(divisorBounds.high, -1)});
        return result;
    }
    case BinaryOp::kMin: return intersect(result, minimum(bounds(b->a), bounds(b->b)));
    case BinaryOp::kMax: return intersect(result, maximum(bounds(b->a), bounds(b->b)));
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor: return intersect(result, bitwise(b->op, bounds(b->a), bounds(b->b)));
    default: return result;
    }
}

Interval Facts::bounds(const Affine& a) const
{
    if (!a.valid)
        return {};
    Interval result = Interval::point(a.constant);
    for (const Term& term : a.terms) {
        const Interval part = scaled(atomBounds(term.atom), term.coefficient);
        result = {addBounds(result.low, part.low), addBounds(result.high, part.high)};
    }
    return result;
}

Interval Facts::bounds(const Expr& e) const
{
    Interval result = bounds(normalize(e));
    if (!e)
        return result;
    result = intersect(result, knownBounds(e));
    return e->kind == ir::ExprKind::kBinary || e->kind == ir::ExprKind::kSelect ? intersect(result, atomBounds(e)) : result;
}

std::int64_t Facts::atomDivisor(const Expr& atom) const
{
    std::int64_t result = 1;
    for (const Divisor& known : divisors_)
        if (known.e == atom || ir::equal(known.e, atom))
            result = std::lcm(result, known.divisor);
    const auto* b = as<ir::Binary>(atom);
    if (b && b->op == BinaryOp::kMul) {
        std::int64_t product = 0;
        if (!__builtin_mul_overflow(divisor(b->a), divisor(b->b), &product) && product > 0)
            result = std::lcm(result, product);
    }
    if (b && (b->op == BinaryOp::kMin || b->op == BinaryOp::kMax))
        result = std::lcm(result, std::max<std::int64_t>(1, std::gcd(divisor(b->a), divisor(b->b))));
    if (b && b->op == BinaryOp::kFloorMod)
        result = std::lcm(result, std::max<std::int64_t>(1, std::gcd(divisor(b->a), divisor(b->b))));
    return result;
}

std::int64_t Facts::divisor(const Affine& a) const
{
    if (!a.valid)
        return 1;
    std::int64_t result = a.constant == INT64_MIN ? 1 : std::abs(a.constant);
    for (const Term& term : a.terms) {
        std::int64_t part = 0;
        const bool fits = term.coefficient != INT64_MIN &&
                          !__builtin_mul_overflow(std::abs(term.coefficient), atomDivisor(term.atom), &part);
        result = std::gcd(result, fits ? part : 1);
    }
    return result;
}

std::int64_t Facts::divisor(const Expr& e) const
{
    return divisor(normalize(e));
}

}  // namespace tw::arith
