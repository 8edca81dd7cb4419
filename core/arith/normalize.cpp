#include "core/arith/normalize.h"

#include "core/ir/build.h"
#include "core/support/floor_division.h"

namespace tw::arith {

using ir::as;
using ir::BinaryOp;
using ir::Expr;

namespace {

constexpr int kMaxDepth = 200;

// The single atom of 1 * atom + 0 if it is a division or remainder `op` by a positive constant.
const ir::Binary* singleAtom(const Affine& x, BinaryOp op)
{
    if (x.terms.size() != 1 || x.terms[0].coefficient != 1)
        return nullptr;
    const auto* b = as<ir::Binary>(x.terms[0].atom);
    const auto* divisor = b && b->op == op ? ir::asInt(b->b) : nullptr;
    return divisor && *divisor > 0 ? b : nullptr;
}

}  // namespace

bool Normalizer::isWithin(const Affine& x, std::int64_t below) const
{
    const Interval interval = facts_.bounds(x);
    return interval.low && *interval.low >= 0 && interval.high && *interval.high < below;
}

// x // d for d > 0: what d divides comes out; the rest stays a quotient unless it lies in [0, d).
Affine Normalizer::quotient(const Affine& x, std::int64_t d, ir::DType type)
{
    if (!x.valid)
        return Affine::unknown();
    if (d == 1)
        return x;
    Affine whole = Affine::of(floorDivide(x.constant, d));
    Affine rest = Affine::of(floorRemainder(x.constant, d));
    for (const Term& term : x.terms) {
        const std::int64_t quotientOfTerm = floorDivide(term.coefficient, d);
        const bool divides = term.coefficient % d == 0;
        (divides ? whole : rest).terms.push_back({term.atom, divides ? quotientOfTerm : term.coefficient});
    }
    if (rest.terms.empty() || isWithin(rest, d))
        return whole;
    std::int64_t product = 0;
    const std::int64_t constant = rest.constant;
    Affine plain = rest;
    plain.constant = 0;
    if (const auto* inner = singleAtom(plain, BinaryOp::kFloorDiv);
        inner && !__builtin_mul_overflow(*ir::asInt(inner->b), d, &product) && constant < (1LL << 31)) {
        // (y // a + k) // d = (y + k * a) // (a * d)
        const Affine y = addScaled(of(inner->a), Affine::of(constant), *ir::asInt(inner->b));
        return addScaled(whole, quotient(y, product, type), 1);
    }
    if (const auto* inner = singleAtom(rest, BinaryOp::kFloorMod); inner && *ir::asInt(inner->b) % d == 0 && constant == 0) {
        // (y % (d * n)) // d = (y // d) % n
        const Affine y = quotient(of(inner->a), d, type);
        return addScaled(whole, remainder(y, *ir::asInt(inner->b) / d, type), 1);
    }
    const Expr atom = ir::binary(BinaryOp::kFloorDiv, toExpr(rest, type), ir::intImm(d, type));
    return addScaled(whole, Affine::of(atom), 1);
}

// x % d for d > 0: multiples of d vanish, remainders by multiples of d open up.
Affine Normalizer::remainder(const Affine& x, std::int64_t d, ir::DType type)
{
    if (!x.valid)
        return Affine::unknown();
    if (d == 1)
        return Affine::of(0);
    Affine rest = Affine::of(floorRemainder(x.constant, d));
    for (const Term& term : x.terms) {
        const std::int64_t coefficient = floorRemainder(term.coefficient, d);
        if (coefficient == 0)
            continue;
        const auto* inner = as<ir::Binary>(term.atom);
        const auto* m = inner && inner->op == BinaryOp::kFloorMod ? ir::asInt(inner->b) : nullptr;
        if (m && *m > 0 && *m % d == 0)
            rest = addScaled(rest, of(inner->a), coefficient);
        else
            rest = addScaled(rest, Affine::of(term.atom), coefficient);
    }
    if (!rest.valid)
        return Affine::unknown();
    // Opening a remainder may have brought in multiples of d again.
    rest.constant = floorRemainder(rest.constant, d);
    std::erase_if(rest.terms, [&](const Term& term) { return term.coefficient % d == 0; });
    if (rest.terms.empty() || isWithin(rest, d))
        return rest;
    if (remainders_ == Remainders::kExpanded)
        return addScaled(rest, quotient(rest, d, type), -d);
    return Affine::of(ir::binary(BinaryOp::kFloorMod, toExpr(rest, type), ir::intImm(d, type)));
}

Affine Normalizer::product(const Expr& e, const Affine& a, const Affine& b)
{
    if (const auto constant = a.asConstant())
        return scale(b, *constant);
    if (const auto constant = b.asConstant())
        return scale(a, *constant);
    return Affine::of(e);
}

// C's division equals Python's where neither side is negative.
Affine Normalizer::truncated(const Expr& e, const ir::Binary& b)
{
    const auto* d = ir::asInt(b.b);
    const Affine x = of(b.a);
    const Interval interval = facts_.bounds(x);
    if (!d || *d <= 0 || !interval.low || *interval.low < 0)
        return Affine::of(e);
    return b.op == BinaryOp::kTruncDiv ? quotient(x, *d, e->dtype) : remainder(x, *d, e->dtype);
}

Affine Normalizer::ofBinary(const Expr& e, const ir::Binary& b)
{
    switch (b.op) {
    case BinaryOp::kAdd: return addScaled(of(b.a), of(b.b), 1);
    case BinaryOp::kSub: return addScaled(of(b.a), of(b.b), -1);
    case BinaryOp::kMul: return product(e, of(b.a), of(b.b));
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod: {
        const auto d = of(b.b).asConstant();
        if (!d || *d <= 0)
            return Affine::of(e);
        return b.op == BinaryOp::kFloorDiv ? quotient(of(b.a), *d, e->dtype) : remainder(of(b.a), *d, e->dtype);
    }
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod: return truncated(e, b);
    case BinaryOp::kShl: {
        const auto* amount = ir::asInt(b.b);
        return amount && *amount >= 0 && *amount < 62 ? scale(of(b.a), 1LL << *amount) : Affine::of(e);
    }
    case BinaryOp::kShr: {
        const auto* amount = ir::asInt(b.b);
        return amount && *amount >= 0 && *amount < 62 ? quotient(of(b.a), 1LL << *amount, e->dtype) : Affine::of(e);
    }
    case BinaryOp::kMin:
    case BinaryOp::kMax: {
        // One side may always win.
        const Affine left = of(b.a), right = of(b.b);
        const Interval difference = facts_.bounds(addScaled(left, right, -1));
        const bool leftAtMost = difference.high && *difference.high <= 0;
        const bool leftAtLeast = difference.low && *difference.low >= 0;
        if (leftAtMost || leftAtLeast)
            return leftAtMost == (b.op == BinaryOp::kMin) ? left : right;
        return Affine::of(e);
    }
    default: return Affine::of(e);
    }
}

Affine Normalizer::of(const Expr& e)
{
    if (!e || ++depth_ > kMaxDepth) {
        --depth_;
        return e ? Affine::of(e) : Affine::unknown();
    }
    Affine result = Affine::of(e);
    if (const auto* value = ir::asInt(e))
        result = e->dtype.scalar == ir::Scalar::kUInt64 && *value < 0 ? Affine::unknown() : Affine::of(*value);
    else if (const auto* b = as<ir::Binary>(e); b && e->dtype.isInteger() && e->dtype.lanes == 1)
        result = ofBinary(e, *b);
    else if (const auto* u = as<ir::Unary>(e); u && u->op == ir::UnaryOp::kNegate && e->dtype.isInteger())
        result = scale(of(u->a), -1);
    else if (const auto* c = as<ir::Cast>(e); c && e->dtype.isInteger() && e->dtype.bits() >= 32 && c->value->dtype.isInteger() &&
                                              e->dtype.bits() >= c->value->dtype.bits())
        result = of(c->value);
    --depth_;
    return result;
}

}  // namespace tw::arith
