#include "core/passes/concurrent_arms.h"

#include "core/analysis/thread_set.h"
#include "core/analysis/walk.h"
#include "core/passes/meetings.h"

namespace tw::passes {

namespace {

class ArmWalk final : public analysis::Walk {
public:
    explicit ArmWalk(const ir::Launch& launch) : meetings_(launch) {}

    std::map<std::pair<const ir::StmtNode*, bool>, int> roles;
    std::vector<analysis::ThreadSet> threads;  // of each role

protected:
    void enter(const ir::Stmt& s) override
    {
        const auto* branch = ir::as<ir::If>(s);
        if (!branch || !launch())
            return;
        analysis::ThreadSet here(*launch());
        for (const analysis::Guard& guard : guards())
            here.restrictTo(expand(guard.condition), guard.holds);
        for (const bool holds : {true, false}) {
            const ir::Stmt& arm = holds ? branch->then : branch->otherwise;
            analysis::ThreadSet some = here;
            some.restrictTo(expand(branch->condition), holds);
            if (arm && !(some == here) && meetings_.waitsForRoles(arm))
                roles[{&*s, holds}] = numberOf(some);
        }
    }

private:
    int numberOf(const analysis::ThreadSet& set)
    {
        for (std::size_t k = 0; k < threads.size(); ++k)
            if (threads[k] == set)
                return static_cast<int>(k);
        threads.push_back(set);
        return static_cast<int>(threads.size()) - 1;
    }

    Meetings meetings_;
};

}  // namespace

ConcurrentArms::ConcurrentArms(const ir::Launch& launch)
{
    ArmWalk walk(launch);
    static_cast<ir::Visitor&>(walk).visit(std::make_shared<ir::Launch>(launch));
    roles_ = std::move(walk.roles);
    for (const analysis::ThreadSet& a : walk.threads) {
        std::vector<bool>& row = disjoint_.emplace_back();
        for (const analysis::ThreadSet& b : walk.threads)
            row.push_back(a.isDisjoint(b));
    }
}

int ConcurrentArms::roleOf(const ir::StmtNode* branch, bool then) const
{
    const auto found = roles_.find({branch, then});
    return found == roles_.end() ? kNoRole : found->second;
}

bool ConcurrentArms::overtake(const RoleUses& earlier, const RoleUses& later) const
{
    for (const auto& [p, before] : earlier)
        for (const auto& [r, after] : later) {
            const bool concurrent = disjoint_[static_cast<std::size_t>(p)][static_cast<std::size_t>(r)];
            if (concurrent && before.lastSection >= after.firstSection && (before.reads || !earlier.contains(r)))
                return true;
        }
    return false;
}

}  // namespace tw::passes
