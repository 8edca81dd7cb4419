#include "core/arith/affine.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::arith {

std::int64_t Affine::coefficientOf(const ir::ExprNode* var) const
{
    for (const Term& term : terms)
        if (term.atom.get() == var)
            return term.coefficient;
    return 0;
}

Affine addScaled(Affine a, const Affine& b, std::int64_t factor)
{
    if (!a.valid || !b.valid)
        return Affine::unknown();
    const auto accumulate = [&](std::int64_t& sum, std::int64_t value) {
        std::int64_t product = 0;
        a.valid &= !__builtin_mul_overflow(value, factor, &product) && !__builtin_add_overflow(sum, product, &sum);
    };
    accumulate(a.constant, b.constant);
    for (const Term& term : b.terms) {
        const auto same = std::ranges::find_if(
            a.terms, [&](const Term& t) { return t.atom == term.atom || ir::equal(t.atom, term.atom); });
        if (same != a.terms.end())
            accumulate(same->coefficient, term.coefficient);
        else {
            a.terms.push_back({term.atom, 0});
            accumulate(a.terms.back().coefficient, term.coefficient);
        }
    }
    std::erase_if(a.terms, [](const Term& t) { return t.coefficient == 0; });
    return a.valid ? a : Affine::unknown();
}

Affine scale(Affine a, std::int64_t factor)
{
    return addScaled(Affine::of(0), a, factor);
}

ir::Expr toExpr(const Affine& a, ir::DType type)
{
    ir::Expr sum;
    const auto append = [&](const ir::Expr& e, bool negative) {
        if (!sum)
            sum = negative ? ir::unary(ir::UnaryOp::kNegate, e) : e;
        else
            sum = ir::binary(negative ? ir::BinaryOp::kSub : ir::BinaryOp::kAdd, sum, e);
    };
    for (const Term& term : a.terms) {
        const ir::Expr atom = ir::cast(type, term.atom);
        // The most negative coefficient has no positive counterpart.
        const bool negative = term.coefficient < 0 && term.coefficient != INT64_MIN;
        const std::int64_t magnitude = negative ? -term.coefficient : term.coefficient;
        append(ir::binary(ir::BinaryOp::kMul, atom, ir::intImm(magnitude, type)), negative);
    }
    if (!sum)
        return ir::intImm(a.constant, type);
    if (a.constant != 0) {
        const bool negative = a.constant < 0 && a.constant != INT64_MIN;
        append(ir::intImm(negative ? -a.constant : a.constant, type), negative);
    }
    return sum;
}

}  // namespace tw::arith
