#include "core/passes/hazard_search.h"

#include <algorithm>

namespace tw::passes {

namespace {

constexpr int kMostPairs = 512;  // that are compared to see that a statement needs no barrier inside

int rank(Hazard h)
{
    switch (h) {
    case Hazard::kNone: return 0;
    case Hazard::kWarp: return 1;
    case Hazard::kUnknown: return 2;
    case Hazard::kBlock: return 3;
    }
    return 0;
}

// Whether the loops of the access's own are those of its tile operation: a nest, whose iterations are independent.
bool standsInItsNest(const MemoryAccess& a)
{
    return a.where.op != 0 && std::all_of(a.loopOps.begin() + static_cast<std::ptrdiff_t>(a.outerLoops), a.loopOps.end(),
                                          [&](std::uint32_t op) { return op == a.where.op; });
}

bool hasOwnLoops(const MemoryAccess& a)
{
    return a.loops.size() > a.outerLoops;
}

}  // namespace

// What cannot be told about two iterations of one nest is no hazard.
Hazard HazardSearch::between(const MemoryAccess& a, const MemoryAccess& b) const
{
    const Pair pair{a.statement, b.statement, a.ordinal, b.ordinal, a.ago, a.outerLoops};
    const auto [at, fresh] = known_.try_emplace(pair, Hazard::kNone);
    if (fresh)
        at->second = hazards_.between(a, b);
    const Hazard h = at->second;
    if (h == Hazard::kUnknown && a.where.op == b.where.op && a.ago.empty() && standsInItsNest(a) && standsInItsNest(b))
        return Hazard::kNone;
    return h == Hazard::kWarp && a.warpSynced ? Hazard::kNone : h;
}

FoundHazard HazardSearch::find(const std::vector<MemoryAccess>& pending, const std::vector<MemoryAccess>& now) const
{
    FoundHazard found;
    for (const MemoryAccess& b : now)
        for (const MemoryAccess& a : pending) {
            if (!a.writes && !b.writes)
                continue;
            const Hazard h = between(a, b);
            if (rank(h) > rank(found.worst))
                found = {h, &a, &b};
            if (found.worst == Hazard::kBlock)
                return found;
        }
    return found;
}

bool HazardSearch::isQuiet(const std::vector<MemoryAccess>& all) const
{
    int pairs = 0;
    for (std::size_t j = 0; j < all.size(); ++j)
        for (std::size_t i = 0; i <= j; ++i) {
            const MemoryAccess &a = all[i], &b = all[j];
            // In one statement no barrier can stand, unless a loop comes back to it.
            const bool oneMoment = a.statement == b.statement && (!hasOwnLoops(a) || standsInItsNest(a));
            if ((!a.writes && !b.writes) || oneMoment || !hazards_.mayOverlap(a, b))
                continue;
            if (++pairs > kMostPairs || between(a, b) != Hazard::kNone)
                return false;
        }
    return true;
}

}  // namespace tw::passes
