// Expressions to normal forms; private to core/arith.
#pragma once

#include "core/arith/facts.h"

namespace tw::arith {

// How a remainder x % m enters the form: as an atom, whose bounds are known, or as x - m * (x // m), by which it cancels
// against the quotient.
enum class Remainders : std::uint8_t { kAtoms, kExpanded };

class Normalizer {
public:
    Normalizer(const Facts& facts, Remainders remainders) : facts_(facts), remainders_(remainders) {}

    [[nodiscard]] Affine of(const ir::Expr& e);

private:
    [[nodiscard]] Affine ofBinary(const ir::Expr& e, const ir::Binary& b);
    [[nodiscard]] Affine product(const ir::Expr& e, const Affine& a, const Affine& b);
    [[nodiscard]] Affine quotient(const Affine& x, std::int64_t divisor, ir::DType type);
    [[nodiscard]] Affine remainder(const Affine& x, std::int64_t divisor, ir::DType type);
    [[nodiscard]] Affine truncated(const ir::Expr& e, const ir::Binary& b);
    [[nodiscard]] bool isWithin(const Affine& x, std::int64_t below) const;

    const Facts& facts_;
    Remainders remainders_;
    int depth_ = 0;
};

}  // namespace tw::arith
