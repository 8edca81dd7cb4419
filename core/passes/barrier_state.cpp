#include "core/passes/barrier_state.h"

#include <algorithm>

#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::passes {

namespace {

void ageAll(std::vector<MemoryAccess>& list, const ir::ExprNode* own, const std::set<const ir::ExprNode*>& inner, int passed)
{
    std::vector<MemoryAccess> old = std::move(list);
    list.clear();
    for (MemoryAccess& a : old) {
        if (own) {
            int& ago = a.ago[own];
            ago = std::min(kManyIterationsAgo, ago + passed);
        }
        for (const ir::ExprNode* v : inner)
            a.ago[v] = kManyIterationsAgo;
        addAccess(list, a);
    }
}

}  // namespace

void addAccess(std::vector<MemoryAccess>& list, const MemoryAccess& a)
{
    const auto same = std::ranges::find_if(list, [&](const MemoryAccess& b) {
        return b.statement == a.statement && b.ordinal == a.ordinal && b.engine == a.engine && b.ago == a.ago;
    });
    if (same == list.end())
        list.push_back(a);
    else
        same->warpSynced = same->warpSynced && a.warpSynced;
}

void addAll(std::vector<MemoryAccess>& list, const std::vector<MemoryAccess>& more)
{
    for (const MemoryAccess& a : more)
        addAccess(list, a);
}

void BarrierState::note(const MemoryAccess& a)
{
    if (!met)
        addAccess(front, a);
    if (a.engine == Engine::kBulkLoad)
        return;  // its readers wait on the barrier that it signals
    const bool shared = a.storage->scope == ir::MemoryScope::kShared;
    if (a.engine != Engine::kNone && shared) {
        addAccess(inFlight, a);
        if (a.engine != Engine::kGroups)
            return;
    }
    if (a.engine == Engine::kNone || !shared)
        addAccess(pending, a);
    if (shared && a.writes)
        addAccess(unfenced, a);
}

void BarrierState::waited(Engine engine, bool all)
{
    for (MemoryAccess a : inFlight)
        if (a.engine == engine) {
            a.engine = Engine::kNone;
            addAccess(pending, a);
        }
    if (all)
        std::erase_if(inFlight, [&](const MemoryAccess& a) { return a.engine == engine; });
}

void BarrierState::meet()
{
    pending.clear();
    met = true;
}

void BarrierState::syncWarps()
{
    for (MemoryAccess& a : pending)
        a.warpSynced = true;
}

void BarrierState::join(const BarrierState& other)
{
    addAll(pending, other.pending);
    addAll(inFlight, other.inFlight);
    addAll(unfenced, other.unfenced);
    addAll(front, other.front);
    met = met && other.met;
}

void BarrierState::age(const ir::ExprNode* own, const std::set<const ir::ExprNode*>& inner)
{
    for (auto* list : {&pending, &inFlight, &unfenced})
        ageAll(*list, own, inner, 1);
}

void BarrierState::leave(const ir::ExprNode* own, const std::set<const ir::ExprNode*>& inner)
{
    for (auto* list : {&pending, &inFlight, &unfenced, &front})
        ageAll(*list, own, inner, kManyIterationsAgo);
}

std::set<const ir::ExprNode*> variablesBoundIn(const ir::Stmt& s)
{
    std::set<const ir::ExprNode*> vars;
    ir::forEachStmt(s, [&](const ir::Stmt& stmt) {
        if (const auto* loop = ir::as<ir::For>(stmt))
            for (const ir::Axis& axis : loop->axes)
                vars.insert(axis.var.get());
        if (const auto* bind = ir::as<ir::Bind>(stmt))
            vars.insert(bind->var.get());
    });
    return vars;
}

}  // namespace tw::passes
