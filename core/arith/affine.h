// c + c1 * atom1 + c2 * atom2 + …: the normal form of integer expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/expr.h"

namespace tw::arith {

struct Term {
    ir::Expr atom;  // a variable, or an expression that is not affine
    std::int64_t coefficient = 0;
};

// Terms have different atoms (structurally) and coefficients other than 0. `valid` is false once a coefficient has left 64
// bits: then nothing is known.
struct Affine {
    std::int64_t constant = 0;
    std::vector<Term> terms;
    bool valid = true;

    [[nodiscard]] static Affine of(std::int64_t constant) { return {constant, {}, true}; }
    [[nodiscard]] static Affine of(const ir::Expr& atom) { return {0, {{atom, 1}}, true}; }
    [[nodiscard]] static Affine unknown() { return {0, {}, false}; }

    [[nodiscard]] bool isConstant() const { return valid && terms.empty(); }
    [[nodiscard]] std::optional<std::int64_t> asConstant() const
    {
        return isConstant() ? std::optional<std::int64_t>(constant) : std::nullopt;
    }
    // The coefficient of a variable, 0 if it does not occur as a term of its own.
    [[nodiscard]] std::int64_t coefficientOf(const ir::ExprNode* var) const;
};

// a + factor * b.
[[nodiscard]] Affine addScaled(Affine a, const Affine& b, std::int64_t factor);
[[nodiscard]] Affine scale(Affine a, std::int64_t factor);
// As an expression of `type`: terms in their order, the constant last.
[[nodiscard]] ir::Expr toExpr(const Affine& a, ir::DType type);

}  // namespace tw::arith
