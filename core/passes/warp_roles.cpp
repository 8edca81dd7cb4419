#include "core/passes/warp_roles.h"

#include <fmt/format.h>

#include "core/analysis/thread_set.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/passes/hardware.h"

namespace tw::passes {

using ir::as;
using ir::OpId;
using ir::Stmt;

namespace {

constexpr int kGroupWarps = 4;  // of a wgmma

// Whether code below waits for other threads through memory, or changes its register budget: what threads do that have a
// program of their own.
bool isOwnProgram(const Stmt& s)
{
    return ir::anyCall(s, [](const ir::OpCall& call) {
        return call.op == OpId::kBarrierWait || call.op == OpId::kSetMaxNreg || (call.op == OpId::kSyncThreads && !call.operands.empty());
    });
}

struct Warp {
    std::vector<std::pair<const ir::StmtNode*, bool>> arms;  // of the conditions that part the block
    bool multiplies = false, usesWgmma = false, startsCopies = false;
};

class Warps final : public analysis::Walk {
public:
    std::vector<Warp> found;

protected:
    void enter(const Stmt& s) override
    {
        if (!launch())
            return;
        if (found.empty())
            found.resize(static_cast<std::size_t>((analysis::ThreadSet(*launch()).total() + kWarpSize - 1) / kWarpSize));
        if (const auto* branch = as<ir::If>(s))
            part(s, *branch);
        const auto* op = as<ir::OpStmt>(s);
        if (!op)
            return;
        const OpId id = op->call.op;
        if (const bool loads = id == OpId::kTmaLoad || id == OpId::kCpAsync; loads || ir::info(id).cls == ir::OpClass::kProduct)
            note(id == OpId::kWgmma, loads);
    }

private:
    analysis::ThreadSet here() const
    {
        analysis::ThreadSet threads(*launch());
        for (const analysis::Guard& guard : guards())
            threads.restrictTo(expand(guard.condition), guard.holds);
        return threads;
    }
    static bool any(const analysis::ThreadSet& threads, std::size_t warp) { return count(threads, warp) > 0; }
    static std::int64_t count(const analysis::ThreadSet& threads, std::size_t warp)
    {
        std::int64_t n = 0;
        for (std::int64_t t = static_cast<std::int64_t>(warp) * kWarpSize; t < std::min<std::int64_t>(threads.total(), static_cast<std::int64_t>(warp + 1) * kWarpSize); ++t)
            n += threads.contains(t) ? 1 : 0;
        return n;
    }

    void part(const Stmt& s, const ir::If& branch)
    {
        const analysis::ThreadSet all = here();
        analysis::ThreadSet then = all, otherwise = all;
        then.restrictTo(expand(branch.condition), true);
        otherwise.restrictTo(expand(branch.condition), false);
        if (then.count() == 0 || otherwise.count() == 0 || !then.isDisjoint(otherwise) || (!isOwnProgram(branch.then) && !isOwnProgram(branch.otherwise)))
            return;
        for (std::size_t w = 0; w < found.size(); ++w)
            if (any(then, w) && any(otherwise, w))
                return;  // parts of a warp
        for (std::size_t w = 0; w < found.size(); ++w)
            if (any(all, w))
                found[w].arms.emplace_back(&*s, any(then, w));
    }

    void note(bool wgmma, bool loads)
    {
        const analysis::ThreadSet threads = here();
        for (std::size_t w = 0; w < found.size(); ++w) {
            if (!any(threads, w))
                continue;
            found[w].multiplies |= !loads;
            found[w].usesWgmma |= wgmma;
            found[w].startsCopies |= loads;
        }
    }
};

std::vector<WarpRole> ranges(const std::vector<Warp>& warps)
{
    std::vector<WarpRole> roles;
    for (std::size_t w = 0; w < warps.size(); ++w) {
        const bool same = !roles.empty() && warps[w].arms == warps[w - 1].arms;
        if (!same || (warps[w].usesWgmma && !warps[w].arms.empty() && roles.back().warps == kGroupWarps))
            roles.push_back({"", static_cast<int>(w), 0});
        ++roles.back().warps;
    }
    return roles;
}

}  // namespace

std::vector<WarpRole> warpRoles(const ir::Launch& launch)
{
    Warps warps;
    static_cast<ir::Visitor&>(warps).visit(std::make_shared<ir::Launch>(launch));
    std::vector<WarpRole> roles = ranges(warps.found);
    if (roles.size() == 1) {
        roles[0].name = "block";
        return roles;
    }
    const auto kindOf = [&](const WarpRole& role) {
        const Warp& warp = warps.found[static_cast<std::size_t>(role.firstWarp)];
        return warp.multiplies ? "consumer" : warp.startsCopies ? "producer" : "";
    };
    std::map<std::string, int> total, number;
    for (const WarpRole& role : roles)
        ++total[kindOf(role)];
    for (WarpRole& role : roles) {
        const std::string kind = kindOf(role);
        role.name = kind.empty()       ? fmt::format("warps {}-{}", role.firstWarp, role.firstWarp + role.warps - 1)
                    : total[kind] == 1 ? kind
                                       : fmt::format("{} {}", kind, ++number[kind]);
    }
    return roles;
}

}  // namespace tw::passes
