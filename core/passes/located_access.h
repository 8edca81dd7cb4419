// One access taken apart into what is the same for all threads and what moves with thread and iteration.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/analysis/uniform.h"
#include "core/arith/evaluate.h"
#include "core/arith/facts.h"
#include "core/passes/thread_accesses.h"

namespace tw::passes {

// What is known about a launch's variables.
struct LaunchFacts {
    const ir::Launch& launch;
    const analysis::Uniformity& uniformity;
    arith::Facts facts;
    std::unordered_map<const ir::ExprNode*, arith::Interval> ranges;  // of thread and loop variables
    std::set<const ir::BufferNode*> written;                          // storage that the launch writes
};

[[nodiscard]] std::map<const ir::ExprNode*, ir::Expr> variablesOf(const ir::Expr& e);

// Along each axis an address is `fixed` plus `moving`, which depends on variables that are tried out.
class LocatedAccess {
public:
    LocatedAccess(const LaunchFacts& world, const MemoryAccess& access) : world_(world), access_(access) {}

    std::vector<arith::Affine> all;         // by axis
    std::set<const ir::ExprNode*> tried;    // variables that take all their values
    std::int64_t length = 1;                // consecutive units along the last axis

    // False if a term mixes both, a fixed one differs between threads or changes, or there is too much to try.
    [[nodiscard]] bool split();
    [[nodiscard]] const std::vector<arith::Affine>& fixed() const { return fixed_; }
    // The range of what moves along an axis, as far as arithmetic tells; and exactly, by trying (swizzles).
    [[nodiscard]] arith::Interval boundsOf(std::size_t axis) const;
    [[nodiscard]] arith::Interval triedBoundsOf(std::size_t axis) const;

private:
    friend class Enumeration;
    [[nodiscard]] bool isFixed(const ir::Expr& atom) const;
    [[nodiscard]] ir::Expr slotFor(const ir::Expr& atom);
    [[nodiscard]] std::optional<arith::Interval> rangeOf(const ir::ExprNode* v) const;

    const LaunchFacts& world_;
    const MemoryAccess& access_;
    std::vector<arith::Affine> fixed_, moving_;
    std::vector<const ir::ExprNode*> order_;
    std::map<const ir::ExprNode*, arith::Interval> slots_;  // stand for x % s of an x without bounds: any of 0 … s - 1
    std::vector<ir::Expr> slotVars_;
};

// All values of an access's tried variables.
class Enumeration {
public:
    explicit Enumeration(const LocatedAccess& a);
    [[nodiscard]] bool valid() const { return valid_; }
    // Whether a value names its thread. Otherwise all threads come to every address.
    [[nodiscard]] bool coversThreads() const;

    // f(key, thread) until it returns false; a key is the moving part of each axis.
    template <class F>
    bool each(F&& f)
    {
        std::vector<std::int64_t> at = low_;
        std::vector<std::int64_t> key(axes_.size());
        const bool covers = coversThreads();
        while (true) {
            const std::int64_t thread = threadAt(at);
            if (!covers || a_.access_.threads->contains(thread)) {
                if (!evaluate(at, key) || !f(key, thread))
                    return false;
            }
            std::size_t k = 0;
            for (; k < at.size() && ++at[k] > high_[k]; ++k)
                at[k] = low_[k];
            if (k == at.size())
                return true;
        }
    }

private:
    [[nodiscard]] std::int64_t threadAt(const std::vector<std::int64_t>& at) const;
    [[nodiscard]] bool evaluate(const std::vector<std::int64_t>& at, std::vector<std::int64_t>& key);

    const LocatedAccess& a_;
    std::vector<std::int64_t> low_, high_;
    std::array<int, 3> threadAxes_{};  // positions in the order of the variables, -1: not there
    std::vector<arith::Evaluation> axes_;
    bool valid_ = true;
};

}  // namespace tw::passes
