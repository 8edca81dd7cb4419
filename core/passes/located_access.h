// One access taken apart into what is the same for all threads and what moves with thread and iteration.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/analysis/uniform.h"
#include "core/arith/evaluate.h"
#include "core/arith/facts.h"
#include "core/passes/thread_accesses.h"

namespace tw::passes {

// Where the threads of an access go: the moving part of its address for every value of its tried variables.
struct Points {
    std::vector<std::int64_t> keys;     // one an axis, point after point
    std::vector<std::int32_t> threads;  // one a point
    bool namesThreads = true;           // false: all threads come to every address
};
using PointsRef = std::shared_ptr<const Points>;

// What is known about a launch's variables.
struct LaunchFacts {
    const ir::Launch& launch;
    const analysis::Uniformity& uniformity;
    arith::Facts facts;
    std::unordered_map<const ir::ExprNode*, arith::Interval> ranges;  // of thread and loop variables
    std::set<const ir::BufferNode*> written;                          // storage that the launch writes

    // Loops are walked, and accesses compared, several times.
    struct PointsKey {
        const ir::StmtNode* statement;
        int ordinal;
        std::int64_t length;
        std::vector<const ir::ExprNode*> tried;
        auto operator<=>(const PointsKey&) const = default;
    };
    mutable std::map<PointsKey, PointsRef> points;
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

    // Empty if an index cannot be computed.
    [[nodiscard]] PointsRef points() const;

private:
    [[nodiscard]] PointsRef enumerate() const;
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

}  // namespace tw::passes
