// What is known about integer expressions at one place of a program, and what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "core/arith/affine.h"

namespace tw::arith {

enum class Truth : std::uint8_t { kProved, kRefuted, kUnknown };

// Both ends inclusive; an absent end is unbounded. Empty intervals (low > high) mean that the place is never reached.
struct Interval {
    std::optional<std::int64_t> low, high;

    [[nodiscard]] static Interval point(std::int64_t value) { return {value, value}; }
    [[nodiscard]] bool isPoint() const { return low && high && *low == *high; }
    bool operator==(const Interval&) const = default;
};
[[nodiscard]] Interval intersect(const Interval& a, const Interval& b);
[[nodiscard]] Interval unite(const Interval& a, const Interval& b);

class Facts {
public:
    // The range of a variable or of any other expression (`buf[i]`), kept together with what is known already.
    void bound(const ir::Expr& e, const Interval& interval);
    // `e` is a multiple of `divisor` (> 0).
    void divisible(const ir::Expr& e, std::int64_t divisor);
    // A condition that holds here: comparisons, conjunctions and negations are understood, others are remembered as they are.
    void assume(const ir::Expr& condition, bool holds = true);

    // Facts made after `mark` are forgotten by `rewind`.
    struct Mark {
        std::size_t bounds, divisors, inequalities, conditions;
    };
    [[nodiscard]] Mark mark() const;
    void rewind(const Mark& mark);

    [[nodiscard]] Affine normalize(const ir::Expr& e) const;
    [[nodiscard]] Interval bounds(const ir::Expr& e) const;
    [[nodiscard]] Interval bounds(const Affine& a) const;
    // The largest known d > 0 with e % d == 0; 0 for the constant 0.
    [[nodiscard]] std::int64_t divisor(const ir::Expr& e) const;

    [[nodiscard]] Truth prove(const ir::Expr& condition) const;
    [[nodiscard]] Truth equal(const ir::Expr& a, const ir::Expr& b) const;
    [[nodiscard]] Truth lessEqual(const ir::Expr& a, const ir::Expr& b) const;

    // An equal expression in normal form; integer expressions only, others come back as they are.
    [[nodiscard]] ir::Expr simplify(const ir::Expr& e) const;

private:
    friend class Normalizer;

    [[nodiscard]] Interval atomBounds(const ir::Expr& atom) const;
    [[nodiscard]] Interval knownBounds(const ir::Expr& e) const;
    [[nodiscard]] std::int64_t atomDivisor(const ir::Expr& atom) const;
    [[nodiscard]] std::int64_t divisor(const Affine& a) const;
    [[nodiscard]] Truth nonNegative(const Affine& a) const;
    [[nodiscard]] Truth zero(const ir::Expr& a, const ir::Expr& b) const;
    [[nodiscard]] Truth compare(ir::BinaryOp op, const ir::Expr& a, const ir::Expr& b) const;
    void assumeComparison(ir::BinaryOp op, const ir::Expr& a, const ir::Expr& b);
    void assumeNonNegative(const Affine& a);

    struct Bound {
        ir::Expr e;
        Interval interval;
    };
    struct Divisor {
        ir::Expr e;
        std::int64_t divisor;
    };
    struct Condition {
        ir::Expr e;
        bool holds;
    };
    std::vector<Bound> bounds_;
    std::vector<Divisor> divisors_;
    std::vector<Affine> inequalities_;  // each is >= 0
    std::vector<Condition> conditions_;
};

}  // namespace tw::arith
