// Whether two accesses of different threads may touch the same bytes, so that something must keep them in order.
#pragma once

#include "core/passes/located_access.h"

namespace tw::passes {

// Who has to meet between two accesses.
enum class Hazard : std::uint8_t {
    kNone,   // different bytes, or each thread its own
    kWarp,   // threads of one warp
    kBlock,  // threads of several warps
    kUnknown // cannot be told: as kBlock
};

class Hazards {
public:
    Hazards(const ir::Launch& launch, const analysis::Uniformity& uniformity);

    // `earlier` and `later` in program order, one of them a write. Answers for one iteration distance: see MemoryAccess::ago.
    [[nodiscard]] Hazard between(const MemoryAccess& earlier, const MemoryAccess& later) const;
    // Whether they may touch the same bytes at all, whatever the thread.
    [[nodiscard]] bool mayOverlap(const MemoryAccess& a, const MemoryAccess& b) const;

private:
    [[nodiscard]] std::vector<ir::Expr> addresses(const MemoryAccess& a, const std::map<const ir::ExprNode*, ir::Expr>& then, std::int64_t unit) const;
    [[nodiscard]] bool apart(const arith::Affine& difference, const arith::Interval& a, const arith::Interval& b) const;
    [[nodiscard]] Hazard compare(LocatedAccess& a, LocatedAccess& b) const;

    LaunchFacts world_;
};

}  // namespace tw::passes
