#include "core/passes/vector_runs.h"

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::passes {

using ir::BinaryOp;
using ir::Expr;

namespace {

bool isConstantMultiple(const Expr& e, std::int64_t of)
{
    const auto* n = ir::asInt(e);
    return n && *n > 0 && *n % of == 0;
}

bool reversed(BinaryOp op) { return op == BinaryOp::kGt || op == BinaryOp::kGe; }

}  // namespace

bool VectorRuns::isMultiple(const Expr& e) const
{
    if (width_ == 1 || facts_.divisor(e) % width_ == 0)
        return true;
    if (const auto* cast = ir::as<ir::Cast>(e))
        return cast->value->dtype.isInteger() && isMultiple(cast->value);
    if (const auto* s = ir::as<ir::Select>(e))
        return isMultiple(s->then) && isMultiple(s->otherwise);
    const auto* b = ir::as<ir::Binary>(e);
    if (!b || !e->dtype.isInteger())
        return false;
    switch (b->op) {
    case BinaryOp::kAdd: case BinaryOp::kSub: case BinaryOp::kBitXor: case BinaryOp::kBitOr: case BinaryOp::kMin: case BinaryOp::kMax:
        return isMultiple(b->a) && isMultiple(b->b);
    case BinaryOp::kMul: case BinaryOp::kBitAnd: return isMultiple(b->a) || isMultiple(b->b);
    case BinaryOp::kShl: {
        const auto* bits = ir::asInt(b->b);
        return isMultiple(b->a) || (bits && *bits >= 0 && *bits < 32 && (1LL << *bits) % width_ == 0);
    }
    case BinaryOp::kFloorMod: return isMultiple(b->a) && isMultiple(b->b);
    default: return false;
    }
}

Expr VectorRuns::at(const Expr& e, std::int64_t v) const
{
    return ir::substitute(e, {{v_.get(), ir::intImm(v, v_->dtype)}});
}

std::optional<std::int64_t> VectorRuns::slope(const Expr& e) const
{
    if (!ir::mentions(e, v_.get()))
        return 0;
    const arith::Affine a = facts_.normalize(e);
    if (!a.valid || !e->dtype.isInteger())
        return {};
    for (const arith::Term& term : a.terms)
        if (term.atom.get() != v_.get() && ir::mentions(term.atom, v_.get()))
            return {};
    return a.coefficientOf(v_.get());
}

Along VectorRuns::affine(const Expr& e) const
{
    const auto s = slope(e);
    if (!s || (*s != 0 && *s != 1))
        return Along::kOther;
    if (*s == 0)
        return Along::kSame;
    arith::Affine rest = facts_.normalize(e);
    std::erase_if(rest.terms, [&](const arith::Term& t) { return t.atom.get() == v_.get(); });
    return isMultiple(arith::toExpr(rest, e->dtype)) ? Along::kRun : Along::kOther;
}

// With d = a - b a run, d < 0 and d >= 0 do not change along it.
Along VectorRuns::ofComparison(const ir::Binary& b) const
{
    if (!b.a->dtype.isInteger())
        return Along::kOther;
    const Expr one = ir::constant(b.a->dtype, std::int64_t{1});
    const Expr x = reversed(b.op) ? b.b : b.a, y = reversed(b.op) ? b.a : b.b;
    const auto runs = [&](const Expr& d) { return affine(d) != Along::kOther; };
    switch (b.op) {
    case BinaryOp::kLt: case BinaryOp::kGt: return runs(ir::sub(x, y)) || runs(ir::sub(ir::sub(y, x), one)) ? Along::kSame : Along::kOther;
    case BinaryOp::kLe: case BinaryOp::kGe: return runs(ir::sub(y, x)) || runs(ir::sub(ir::sub(x, y), one)) ? Along::kSame : Along::kOther;
    default: return Along::kOther;
    }
}

Along VectorRuns::ofBinary(const Expr& e, const ir::Binary& b) const
{
    const Along a = of(b.a), c = of(b.b);
    if (a == Along::kSame && c == Along::kSame)
        return Along::kSame;
    if (b.op >= BinaryOp::kEq)
        return ofComparison(b);
    if (!e->dtype.isInteger())
        return Along::kOther;
    const bool run = a == Along::kRun && c == Along::kSame;
    const bool runOnRight = c == Along::kRun && a == Along::kSame;
    const auto* n = ir::asInt(b.b);
    switch (b.op) {
    case BinaryOp::kAdd: case BinaryOp::kBitXor: case BinaryOp::kBitOr:
        if ((run && isMultiple(b.b)) || (runOnRight && isMultiple(b.a)))
            return Along::kRun;
        break;
    case BinaryOp::kSub:
        if (run && isMultiple(b.b))
            return Along::kRun;
        break;
    case BinaryOp::kFloorDiv:
        if (run && isConstantMultiple(b.b, width_))
            return Along::kSame;
        break;
    case BinaryOp::kFloorMod:
        if (run && isConstantMultiple(b.b, width_))
            return Along::kRun;
        break;
    case BinaryOp::kShr:
        if (run && n && *n >= 0 && *n < 32 && (1LL << *n) % width_ == 0)
            return Along::kSame;
        break;
    case BinaryOp::kBitAnd:
        if (run && n && *n >= 0)
            return *n % width_ == 0 ? Along::kSame : (*n & (width_ - 1)) == width_ - 1 ? Along::kRun : Along::kOther;
        break;
    default: break;
    }
    return affine(e);
}

Along VectorRuns::of(const Expr& e) const
{
    if (!e || !ir::mentions(e, v_.get()))
        return Along::kSame;
    if (e.get() == v_.get())
        return Along::kRun;
    const auto same = [&](const Expr& x) { return of(x) == Along::kSame; };
    switch (e->kind) {
    case ir::ExprKind::kBinary: return ofBinary(e, static_cast<const ir::Binary&>(*e));
    case ir::ExprKind::kCast: {
        const auto& value = static_cast<const ir::Cast&>(*e).value;
        const bool keepsInteger = e->dtype.isInteger() && value->dtype.isInteger() && e->dtype.bits() >= value->dtype.bits();
        const Along inner = of(value);
        return inner == Along::kSame || keepsInteger ? inner : Along::kOther;
    }
    case ir::ExprKind::kUnary: return same(static_cast<const ir::Unary&>(*e).a) ? Along::kSame : Along::kOther;
    case ir::ExprKind::kSelect: {
        const auto& s = static_cast<const ir::Select&>(*e);
        return same(s.condition) && same(s.then) && same(s.otherwise) ? Along::kSame : Along::kOther;
    }
    case ir::ExprKind::kLoad: {
        const auto& indices = static_cast<const ir::Load&>(*e).indices;
        return std::all_of(indices.begin(), indices.end(), same) ? Along::kSame : Along::kOther;
    }
    default: return Along::kOther;
    }
}

Expr VectorRuns::forAll(const Expr& condition) const
{
    if (of(condition) == Along::kSame)
        return at(condition, 0);
    const auto* b = ir::as<ir::Binary>(condition);
    if (!b)
        return {};
    if (b->op == BinaryOp::kAnd) {
        const Expr x = forAll(b->a), y = forAll(b->b);
        return x && y ? ir::logicalAnd(x, y) : Expr{};
    }
    if (b->op < BinaryOp::kLt || !b->a->dtype.isInteger())
        return {};
    // The hardest v of x < y or x <= y is the last one if x - y grows, else the first one.
    const auto s = slope(reversed(b->op) ? ir::sub(b->b, b->a) : ir::sub(b->a, b->b));
    return s ? at(condition, *s > 0 ? width_ - 1 : 0) : Expr{};
}

}  // namespace tw::passes
