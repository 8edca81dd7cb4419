// How expressions change along a vector: a loop variable v in [0, width), width a power of two.
#pragma once

#include <optional>

#include "core/arith/facts.h"

namespace tw::passes {

enum class Along : std::uint8_t {
    kSame,   // the same for every v
    kRun,    // width * q + v with q the same for every v: aligned and contiguous
    kOther
};

// Beside affine forms it follows shifts, masks and exclusive or, of which the swizzles of shared memory are made: they keep runs
// whose bits they do not touch. `facts` must outlive it and bound v.
class VectorRuns {
public:
    VectorRuns(const arith::Facts& facts, ir::Var v, std::int64_t width) : facts_(facts), v_(std::move(v)), width_(width) {}

    // `e`: immutable variables expanded.
    [[nodiscard]] Along of(const ir::Expr& e) const;
    // The coefficient of v in an integer expression; empty where v occurs in any other way.
    [[nodiscard]] std::optional<std::int64_t> slope(const ir::Expr& e) const;
    // A condition without v that implies `condition` for every v, and is implied by it holding for every v; empty if none is found.
    [[nodiscard]] ir::Expr forAll(const ir::Expr& condition) const;
    [[nodiscard]] bool isMultiple(const ir::Expr& e) const;  // of the width
    [[nodiscard]] ir::Expr at(const ir::Expr& e, std::int64_t v) const;  // e with v = a number

private:
    [[nodiscard]] Along ofBinary(const ir::Expr& e, const ir::Binary& b) const;
    [[nodiscard]] Along ofComparison(const ir::Binary& b) const;
    [[nodiscard]] Along affine(const ir::Expr& e) const;

    const arith::Facts& facts_;
    ir::Var v_;
    std::int64_t width_;
};

}  // namespace tw::passes
