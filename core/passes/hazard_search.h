// Hazards between lists of accesses.
#pragma once

#include <map>

#include "core/passes/hazards.h"

namespace tw::passes {

struct FoundHazard {
    Hazard worst = Hazard::kNone;
    const MemoryAccess *earlier = nullptr, *later = nullptr;
    explicit operator bool() const { return worst != Hazard::kNone; }
};

class HazardSearch {
public:
    explicit HazardSearch(const Hazards& hazards) : hazards_(hazards) {}

    // The worst hazard between what is pending and what comes now.
    [[nodiscard]] FoundHazard find(const std::vector<MemoryAccess>& pending, const std::vector<MemoryAccess>& now) const;
    // Whether the accesses of one statement (loops and branches included) need nothing in between.
    [[nodiscard]] bool isQuiet(const std::vector<MemoryAccess>& all) const;

private:
    [[nodiscard]] Hazard between(const MemoryAccess& a, const MemoryAccess& b) const;
    // Loops are walked several times: the same two accesses meet again. (A statement is the same place each time.)
    struct Pair {
        const ir::StmtNode *earlier, *later;
        int earlierOrdinal, laterOrdinal;
        std::map<const ir::ExprNode*, int> ago;
        std::size_t outerLoops;  // of the earlier one
        auto operator<=>(const Pair&) const = default;
    };
    const Hazards& hazards_;
    mutable std::map<Pair, Hazard> known_;
};

}  // namespace tw::passes
