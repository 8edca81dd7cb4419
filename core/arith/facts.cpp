#include "core/arith/facts.h"

#include "core/arith/normalize.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/support/floor_division.h"

namespace tw::arith {

using ir::as;
using ir::BinaryOp;
using ir::Expr;

namespace {

Truth negate(Truth t)
{
    return t == Truth::kProved ? Truth::kRefuted : t == Truth::kRefuted ? Truth::kProved : t;
}

bool isComparison(BinaryOp op)
{
    return op >= BinaryOp::kEq;
}

BinaryOp opposite(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kEq: return BinaryOp::kNe;
    case BinaryOp::kNe: return BinaryOp::kEq;
    case BinaryOp::kLt: return BinaryOp::kGe;
    case BinaryOp::kLe: return BinaryOp::kGt;
    case BinaryOp::kGt: return BinaryOp::kLe;
    default: return BinaryOp::kLt;
    }
}

bool isInteger(const Expr& e)
{
    return e && e->dtype.isInteger() && e->dtype.lanes == 1;
}

}  // namespace

void Facts::bound(const Expr& e, const Interval& interval)
{
    bounds_.push_back({e, interval});
}

void Facts::divisible(const Expr& e, std::int64_t divisor)
{
    if (divisor > 1)
        divisors_.push_back({e, divisor});
}

Facts::Mark Facts::mark() const
{
    return {bounds_.size(), divisors_.size(), inequalities_.size(), conditions_.size()};
}

void Facts::rewind(const Mark& mark)
{
    bounds_.resize(mark.bounds);
    divisors_.resize(mark.divisors);
    inequalities_.resize(mark.inequalities);
    conditions_.resize(mark.conditions);
}

Affine Facts::normalize(const Expr& e) const
{
    return Normalizer(*this, Remainders::kAtoms).of(e);
}

void Facts::assume(const Expr& condition, bool holds)
{
    const auto* b = as<ir::Binary>(condition);
    if (const auto* u = as<ir::Unary>(condition); u && u->op == ir::UnaryOp::kNot)
        return assume(u->a, !holds);
    const auto* call = as<ir::Call>(condition);
    if (call && call->call.op == ir::OpId::kLikely && !call->call.operands.empty())
        return assume(std::get<Expr>(call->call.operands[0]), holds);
    if (b && b->op == (holds ? BinaryOp::kAnd : BinaryOp::kOr)) {
        assume(b->a, holds);
        return assume(b->b, holds);
    }
    if (b && isComparison(b->op) && isInteger(b->a))
        return assumeComparison(holds ? b->op : opposite(b->op), b->a, b->b);
    conditions_.push_back({condition, holds});
}

void Facts::assumeComparison(BinaryOp op, const Expr& a, const Expr& b)
{
    const Affine x = normalize(a), y = normalize(b);
    const auto difference = [](const Affine& p, const Affine& q, std::int64_t constant) {
        return addScaled(addScaled(p, q, -1), Affine::of(constant), 1);
    };
    switch (op) {
    case BinaryOp::kLt: return assumeNonNegative(difference(y, x, -1));
    case BinaryOp::kLe: return assumeNonNegative(difference(y, x, 0));
    case BinaryOp::kGt: return assumeNonNegative(difference(x, y, -1));
    case BinaryOp::kGe: return assumeNonNegative(difference(x, y, 0));
    case BinaryOp::kEq: {
        assumeNonNegative(difference(x, y, 0));
        assumeNonNegative(difference(y, x, 0));
        // x % d == 0
        const auto* mod = as<ir::Binary>(a);
        const auto* d = mod && mod->op == BinaryOp::kFloorMod && ir::isZero(b) ? ir::asInt(mod->b) : nullptr;
        if (d && *d > 1)
            divisible(mod->a, *d);
        return;
    }
    default: conditions_.push_back({ir::binary(op, a, b), true});
    }
}

void Facts::assumeNonNegative(const Affine& a)
{
    if (!a.valid || a.terms.empty())
        return;
    if (a.terms.size() == 1) {
        // c * atom + k >= 0 bounds the atom: atom >= ceil(-k / c), or atom <= floor(k / -c).
        const std::int64_t c = a.terms[0].coefficient, k = a.constant;
        if (c == INT64_MIN || k == INT64_MIN)
            return;
        if (c > 0)
            bound(a.terms[0].atom, {-floorDivide(k, c), {}});
        else
            bound(a.terms[0].atom, {{}, floorDivide(k, -c)});
        return;
    }
    inequalities_.push_back(a);
}

// a >= 0, from the bounds of its terms or as a known inequality plus something that is not negative.
Truth Facts::nonNegative(const Affine& a) const
{
    if (!a.valid)
        return Truth::kUnknown;
    const Interval interval = bounds(a);
    if (interval.low && *interval.low >= 0)
        return Truth::kProved;
    if (interval.high && *interval.high < 0)
        return Truth::kRefuted;
    const Affine negative = addScaled(Affine::of(-1), a, -1);  // -a - 1 >= 0 refutes
    const auto holdsWith = [&](const Affine& goal, std::size_t i) {
        const Interval rest = bounds(addScaled(goal, inequalities_[i], -1));
        return rest.low && *rest.low >= 0;
    };
    for (std::size_t i = 0; i < inequalities_.size(); ++i) {
        if (holdsWith(a, i))
            return Truth::kProved;
        if (holdsWith(negative, i))
            return Truth::kRefuted;
        for (std::size_t j = 0; j < i; ++j) {
            if (holdsWith(addScaled(a, inequalities_[j], -1), i))
                return Truth::kProved;
            if (holdsWith(addScaled(negative, inequalities_[j], -1), i))
                return Truth::kRefuted;
        }
    }
    return Truth::kUnknown;
}

Truth Facts::zero(const Expr& a, const Expr& b) const
{
    const Affine difference = addScaled(normalize(a), normalize(b), -1);
    if (const auto constant = difference.asConstant())
        return *constant == 0 ? Truth::kProved : Truth::kRefuted;
    Normalizer expanding(*this, Remainders::kExpanded);
    const Affine expanded = addScaled(expanding.of(a), expanding.of(b), -1);
    if (const auto constant = expanded.asConstant())
        return *constant == 0 ? Truth::kProved : Truth::kRefuted;
    const Truth atLeast = nonNegative(difference), atMost = nonNegative(scale(difference, -1));
    if (atLeast == Truth::kRefuted || atMost == Truth::kRefuted)
        return Truth::kRefuted;
    if (atLeast == Truth::kProved && atMost == Truth::kProved)
        return Truth::kProved;
    // d divides everything but the constant: the sum cannot be 0.
    Affine variable = difference;
    variable.constant = 0;
    const std::int64_t d = divisor(variable);
    if (difference.valid && d > 1 && difference.constant % d != 0)
        return Truth::kRefuted;
    return Truth::kUnknown;
}

Truth Facts::compare(BinaryOp op, const Expr& a, const Expr& b) const
{
    const auto difference = [&](const Expr& p, const Expr& q, std::int64_t constant) {
        return addScaled(addScaled(normalize(p), normalize(q), -1), Affine::of(constant), 1);
    };
    switch (op) {
    case BinaryOp::kEq: return zero(a, b);
    case BinaryOp::kNe: return negate(zero(a, b));
    case BinaryOp::kLt: return nonNegative(difference(b, a, -1));
    case BinaryOp::kLe: return nonNegative(difference(b, a, 0));
    case BinaryOp::kGt: return nonNegative(difference(a, b, -1));
    default: return nonNegative(difference(a, b, 0));
    }
}

Truth Facts::prove(const Expr& condition) const
{
    if (const auto* value = ir::asInt(condition))
        return *value ? Truth::kProved : Truth::kRefuted;
    for (const Condition& known : conditions_)
        if (ir::equal(known.e, condition))
            return known.holds ? Truth::kProved : Truth::kRefuted;
    if (const auto* u = as<ir::Unary>(condition); u && u->op == ir::UnaryOp::kNot)
        return negate(prove(u->a));
    const auto* b = as<ir::Binary>(condition);
    if (!b)
        return Truth::kUnknown;
    if (b->op == BinaryOp::kAnd || b->op == BinaryOp::kOr) {
        const Truth decides = b->op == BinaryOp::kAnd ? Truth::kRefuted : Truth::kProved;
        const Truth left = prove(b->a), right = prove(b->b);
        if (left == decides || right == decides)
            return decides;
        return left == right ? left : Truth::kUnknown;
    }
    return isComparison(b->op) && isInteger(b->a) ? compare(b->op, b->a, b->b) : Truth::kUnknown;
}

Truth Facts::equal(const Expr& a, const Expr& b) const
{
    return zero(a, b);
}

Truth Facts::lessEqual(const Expr& a, const Expr& b) const
{
    return compare(BinaryOp::kLe, a, b);
}

Expr Facts::simplify(const Expr& e) const
{
    if (!isInteger(e))
        return e;
    const Affine a = normalize(e);
    return a.valid ? toExpr(a, e->dtype) : e;
}

}  // namespace tw::arith
