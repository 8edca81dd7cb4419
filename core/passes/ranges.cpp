#include "core/passes/ranges.h"

#include <algorithm>

#include "core/ir/number.h"
#include "core/support/floor_division.h"
#include "core/support/integer.h"

namespace tw::passes {

namespace {

using ir::BinaryOp;

// Empty where a bound leaves 62 bits: then arithmetic on it could wrap.
std::optional<Interval> checked(Integer low, Integer high)
{
    constexpr std::int64_t kLimit = 1LL << 62;
    if (low < -kLimit || high > kLimit)
        return {};
    return Interval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

// No unsigned value, not even one of 64 bits, is less than 0.
std::optional<bool> decideSign(const ir::Binary& comparison)
{
    if (!comparison.a->dtype.isUnsigned() || comparison.a->dtype.lanes != 1)
        return {};
    const auto isZero = [](const ir::Expr& e) {
        const auto* value = ir::asInt(e);
        return value && *value == 0;
    };
    if (isZero(comparison.b) && (comparison.op == BinaryOp::kGe || comparison.op == BinaryOp::kLt))
        return comparison.op == BinaryOp::kGe;
    if (isZero(comparison.a) && (comparison.op == BinaryOp::kLe || comparison.op == BinaryOp::kGt))
        return comparison.op == BinaryOp::kLe;
    return {};
}

}  // namespace

void Ranges::addSymbols(const ir::Function& function)
{
    for (const ir::Var& symbol : function.symbols)
        known_[symbol.get()] = {1, (1LL << 31) - 1};
}

void Ranges::add(const ir::For& loop)
{
    for (const ir::Axis& axis : loop.axes) {
        const auto begin = of(axis.begin);
        const auto end = of(axis.end);
        const auto* step = axis.step ? ir::asInt(axis.step) : nullptr;
        if (begin && end && (!axis.step || (step && *step > 0)) && end->high > begin->low)
            known_[axis.var.get()] = {begin->low, end->high - 1};
        else if (begin && end && step && *step < 0 && begin->high > end->low)
            known_[axis.var.get()] = {end->low + 1, begin->high};
    }
}

void Ranges::add(const ir::Launch& launch)
{
    for (std::size_t i = 0; i < launch.blockVars.size(); ++i) {
        const auto extent = of(launch.grid[i]);
        known_[launch.blockVars[i].get()] = {0, extent ? std::max<std::int64_t>(0, extent->high - 1) : (1LL << 31) - 1};
    }
    for (std::size_t i = 0; i < 3; ++i)
        if (launch.threadVars[i])
            known_[launch.threadVars[i].get()] = {0, launch.threads[i] - 1};
}

void Ranges::add(const ir::Bind& bind)
{
    if (const auto interval = bind.value->dtype.isInteger() ? of(bind.value) : std::nullopt)
        known_[bind.var.get()] = *interval;
}

std::optional<Interval> Ranges::ofBinary(const ir::Binary& e) const
{
    const auto a = of(e.a);
    const auto b = of(e.b);
    if (e.op == BinaryOp::kFloorMod && b && b->low > 0) {
        if (a && a->low >= 0 && a->high < b->low)
            return a;
        return Interval{0, b->high - 1};
    }
    if (e.op == BinaryOp::kBitAnd && ((a && a->low >= 0) || (b && b->low >= 0)))
        return Interval{0, a && a->low >= 0 ? (b && b->low >= 0 ? std::min(a->high, b->high) : a->high) : b->high};
    if (!a || !b)
        return {};
    switch (e.op) {
    case BinaryOp::kAdd: return checked(Integer(a->low) + b->low, Integer(a->high) + b->high);
    case BinaryOp::kSub: return checked(Integer(a->low) - b->high, Integer(a->high) - b->low);
    case BinaryOp::kMul: {
        const Integer corners[] = {Integer(a->low) * b->low, Integer(a->low) * b->high, Integer(a->high) * b->low, Integer(a->high) * b->high};
        return checked(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
    }
    case BinaryOp::kMin: return Interval{std::min(a->low, b->low), std::min(a->high, b->high)};
    case BinaryOp::kMax: return Interval{std::max(a->low, b->low), std::max(a->high, b->high)};
    case BinaryOp::kFloorDiv:
        if (b->low <= 0)
            return {};
        return Interval{std::min(floorDivide(a->low, b->low), floorDivide(a->low, b->high)), std::max(floorDivide(a->high, b->low), floorDivide(a->high, b->high))};
    case BinaryOp::kTruncDiv:
        if (b->low <= 0 || a->low < 0)
            return {};
        return Interval{a->low / b->high, a->high / b->low};
    case BinaryOp::kTruncMod:
        if (b->low <= 0 || a->low < 0)
            return {};
        return Interval{0, std::min(a->high, b->high - 1)};
    case BinaryOp::kShr:
        if (a->low < 0 || b->low < 0 || b->high > 62)
            return {};
        return Interval{a->low >> b->high, a->high >> b->low};
    case BinaryOp::kShl:
        if (a->low < 0 || b->low < 0 || b->high > 31)
            return {};
        return checked(Integer(a->low) << b->low, Integer(a->high) << b->high);
    default: return {};
    }
}

std::optional<Interval> Ranges::of(const ir::Expr& e) const
{
    if (const auto* value = ir::asInt(e); value && !(*value < 0 && e->dtype.isUnsigned()))  // the upper half of uint64 has no place here
        return Interval{*value, *value};
    if (!e->dtype.isInteger() || e->dtype.lanes != 1)
        return {};
    if (const auto found = known_.find(e.get()); found != known_.end())
        return found->second;
    std::optional<Interval> result;
    if (const auto* binary = ir::as<ir::Binary>(e))
        result = ofBinary(*binary);
    else if (const auto* cast = ir::as<ir::Cast>(e); cast && cast->value->dtype.isInteger())
        result = of(cast->value);
    else if (const auto* s = ir::as<ir::Select>(e)) {
        const auto a = of(s->then);
        const auto b = of(s->otherwise);
        if (a && b)
            result = Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
    }
    // Narrow types and casts wrap: what leaves them says nothing. (Signed 32- and 64-bit arithmetic on indices is exact.)
    const bool exact = e->dtype.isSigned() && e->dtype.bits() >= 32 && e->kind != ir::ExprKind::kCast;
    if (result && !exact && (result->low < ir::smallestInt(e->dtype) ||
                             (result->high >= 0 && static_cast<std::uint64_t>(result->high) > ir::largestInt(e->dtype))))
        result.reset();
    // Everything of these types lies between their ends, whatever computes it.
    if (!result && e->dtype.bits() <= 32 && (!exact || e->kind == ir::ExprKind::kLoad))
        return Interval{ir::smallestInt(e->dtype), static_cast<std::int64_t>(ir::largestInt(e->dtype))};
    return result;
}

std::optional<bool> Ranges::decide(const ir::Expr& condition) const
{
    if (const auto* value = ir::asInt(condition))
        return *value != 0;
    const auto* c = ir::as<ir::Binary>(condition);
    if (!c || c->op < BinaryOp::kEq || !c->a->dtype.isInteger())
        return {};
    if (const auto truth = decideSign(*c))
        return truth;
    const auto a = of(c->a);
    const auto b = of(c->b);
    if (!a || !b)
        return {};
    const auto less = [](const Interval& x, const Interval& y) -> std::optional<bool> {
        if (x.high < y.low)
            return true;
        return x.low >= y.high ? std::optional(false) : std::nullopt;
    };
    const auto negate = [](std::optional<bool> v) { return v ? std::optional(!*v) : v; };
    switch (c->op) {
    case BinaryOp::kLt: return less(*a, *b);
    case BinaryOp::kGt: return less(*b, *a);
    case BinaryOp::kGe: return negate(less(*a, *b));
    case BinaryOp::kLe: return negate(less(*b, *a));
    case BinaryOp::kEq:
    case BinaryOp::kNe: {
        const bool apart = a->high < b->low || b->high < a->low;
        const bool same = a->low == a->high && b->low == b->high && a->low == b->low;
        if (!apart && !same)
            return {};
        return (c->op == BinaryOp::kEq) == same;
    }
    default: return {};
    }
}

}  // namespace tw::passes
