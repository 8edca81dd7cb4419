// Branches, and the roles of a warp specialisation.
#include "core/passes/barrier_inserter.h"

#include "core/ir/build.h"

namespace tw::passes {

using ir::as;
using ir::Expr;
using ir::Stmt;

void Inserter::stepBranch(const Stmt& s, const ir::If& branch, Out& out)
{
    handle(eventsOf(branch.condition, s, place()), s, out);
    const Expr condition = expanded(branch.condition, bindings_);
    if (uniformity_.isUniform(condition)) {
        const BarrierState before = state_;
        Stmt then = walk(branch.then);
        BarrierState after = std::move(state_);
        state_ = before;
        Stmt otherwise = branch.otherwise ? walk(branch.otherwise) : Stmt{};
        state_.join(after);
        out.push_back(std::make_shared<ir::If>(branch.condition, std::move(then), std::move(otherwise), branch.where));
        return;
    }
    const Crew crew = crew_;
    const auto divided = [&](const Stmt& arm, bool holds) {
        crew_ = {restricted(*crew.threads, condition, holds), crew.known && !crew.threads->values(condition).empty()};
        Stmt result = arm ? stepArm(s, arm, crew, out) : arm;
        crew_ = crew;
        return result;
    };
    Stmt then = divided(branch.then, true);
    Stmt otherwise = divided(branch.otherwise, false);
    out.push_back(std::make_shared<ir::If>(branch.condition, std::move(then), std::move(otherwise), branch.where));
}

bool Inserter::isRoles(const Stmt& s) const
{
    const auto* branch = as<ir::If>(s);
    return branch && (meetings_.waitsForRoles(branch->then) || (branch->otherwise && meetings_.waitsForRoles(branch->otherwise))) &&
           !uniformity_.isUniform(expanded(branch->condition, bindings_));
}

void Inserter::meetBeforeRoles(const std::vector<Stmt>& list, std::size_t first, Out& out)
{
    const Crew crew = crew_;
    for (std::size_t i = first; i < list.size() && (i == first || meetings_.of(list[i]) != Meeting::kAll || isRoles(list[i])); ++i) {
        if (!isRoles(list[i]))
            continue;
        const auto& branch = *as<ir::If>(list[i]);
        const Expr condition = expanded(branch.condition, bindings_);
        for (const bool holds : {true, false}) {
            const Stmt& arm = holds ? branch.then : branch.otherwise;
            crew_ = {restricted(*crew.threads, condition, holds), false};
            const std::vector<MemoryAccess> all = arm ? accessesIn(eventsOf(arm, place())) : std::vector<MemoryAccess>{};
            const std::vector<MemoryAccess> pending = notOfOtherRoles();
            const FoundHazard found = search_.find(pending, all);
            crew_ = crew;
            if (found)
                return separate(found, {}, all, list[first], out);
        }
    }
}

std::vector<MemoryAccess> Inserter::notOfOtherRoles() const
{
    std::vector<MemoryAccess> pending = state_.pending;
    std::erase_if(pending, [&](const MemoryAccess& a) { return a.ofRole && a.threads->isDisjoint(*crew_.threads); });
    return pending;
}

Stmt Inserter::stepArm(const Stmt& branch, const Stmt& arm, const Crew& outside, Out& out)
{
    std::vector<MemoryAccess> all = accessesIn(eventsOf(arm, place()));
    const bool isRole = meetings_.waitsForRoles(arm);
    const std::vector<MemoryAccess> pending = isRole ? notOfOtherRoles() : state_.pending;
    if (const FoundHazard found = search_.find(pending, all)) {
        const Crew inside = crew_;
        crew_ = outside;
        separate(found, {}, all, branch, out);
        crew_ = inside;
    }
    BarrierState before = std::move(state_);
    state_ = {};
    state_.inFlight = before.inFlight;
    state_.unfenced = before.unfenced;
    Stmt result = walk(arm);
    addAll(before.inFlight, state_.inFlight);
    before.unfenced = state_.unfenced;
    BarrierState inside = std::move(state_);
    state_ = std::move(before);
    for (auto* list : {&all, &inside.pending})
        for (MemoryAccess& a : *list)
            a.ofRole |= isRole;
    for (const MemoryAccess& a : all)
        if (a.engine == Engine::kNone) {
            addAccess(state_.pending, a);
            if (!state_.met)
                addAccess(state_.front, a);
        }
    addAll(state_.pending, inside.pending);
    return result;
}

}  // namespace tw::passes
