// What happens in a run, handed on to the order of threads, the counters and the check of accesses (check.cpp).
#include "core/sim/watcher.h"

#include <fmt/format.h>

namespace tw::sim {

using interp::Act;
using interp::Engine;
using interp::Meeting;

void Watcher::launchBegins(const interp::LaunchShape& shape)
{
    shape_ = shape;
    agents_ = Agents(shape);
    residents_.clear();
    teams_.clear();
    teamOf_.assign(static_cast<std::size_t>(shape.grid[0] * shape.grid[1] * shape.grid[2]), -1);
    flags_.clear();
    sites_.clear();
    gridStamp_ = stamp_;
    global_.clear();
    for (const interp::StorageShape& s : shape.global)
        global_.emplace_back(s.written ? s.bytes : 0, s.granule, s.halves);
    counters_.launchBegins(shape);
}

void Watcher::blockBegins(int block, int cluster, int rank)
{
    std::shared_ptr<Team> team = teams_[cluster].lock();
    if (!team) {
        team = std::make_shared<Team>(shape_, agents_, cluster);
        teams_[cluster] = team;
    }
    Resident& r = residents_[block];
    r.team = std::move(team);
    r.rank = rank;
    for (const interp::StorageShape& s : shape_.shared)
        r.shared.emplace_back(s.bytes, s.granule, s.halves);
    r.gone.assign(static_cast<std::size_t>(shape_.threads), 0);
    teamOf_[static_cast<std::size_t>(block)] = cluster;
}

void Watcher::blockEnds(int block)
{
    const auto found = residents_.find(block);
    if (found == residents_.end())
        return;
    const int team = found->second.team->number;
    held_ -= found->second.held.size();
    residents_.erase(found);
    if (teams_[team].expired())
        teams_.erase(team);
}

void Watcher::noteSite(const Act& act) { sites_.try_emplace(act.site, *act.where); }

void Watcher::touches(const interp::Touch& touch)
{
    ++stamp_;
    noteSite(touch.act);
    checkAlignment(touch, counters_.add(touch));
    if (options_.findRaces)
        check(touch);
}

void Watcher::release(const Meeting& meeting, const Act& act)
{
    noteSite(act);
    Resident& r = residentOf(act.block);
    r.team->order.release(meeting, r.rank, act.threads);
    if (meeting.kind != Meeting::Kind::kBlock && meeting.kind != Meeting::Kind::kNamed)
        return;
    // Threads of one warp come to a barrier together.
    for (std::size_t first = 0; first < act.threads.size();) {
        const int warp = act.threads[first] / 32;
        std::size_t end = first;
        int missing = -1;
        for (int t = warp * 32; t < std::min(warp * 32 + 32, shape_.threads); ++t) {
            if (end < act.threads.size() && act.threads[end] == t)
                ++end;
            else if (r.gone[static_cast<std::size_t>(t)] == 0)
                missing = t;
        }
        if (missing >= 0 && !findings_.isKnown(FindingKind::kDivergentBarrier, act.site, act.site)) {
            Finding f;
            f.later = {act.where->range, act.where->op, threadName(act.block, act.threads[first]), "waits"};
            f.earlier.who = fmt::format("thread {}", missing);
            findings_.add(FindingKind::kDivergentBarrier, act.site, act.site, std::move(f));
        }
        first = end;
    }
}

void Watcher::completes(const Meeting& meeting)
{
    if (meeting.kind == Meeting::Kind::kGrid) {
        gridStamp_ = stamp_;
        for (auto& [number, team] : teams_)
            if (const auto alive = team.lock())
                alive->order.completes(meeting, 0);
        return;
    }
    Resident& r = residentOf(meeting.block);
    r.team->order.completes(meeting, r.rank);
}

void Watcher::acquire(const Meeting& meeting, const Act& act)
{
    Resident& r = residentOf(act.block);
    r.team->order.acquire(meeting, r.rank, act.threads);
}

void Watcher::releaseCopies(const Meeting& meeting, const Act& act)
{
    Resident& r = residentOf(act.block);
    r.team->order.releaseCopies(meeting, r.rank, act.threads);
}

namespace {

std::set<int> groupsOf(const Act& act)
{
    std::set<int> groups;
    for (const int thread : act.threads)
        groups.insert(thread / 128);
    return groups;
}

}  // namespace

void Watcher::commits(Engine engine, const Act& act)
{
    Resident& r = residentOf(act.block);
    Order& order = r.team->order;
    if (engine == Engine::kCpAsync && shape_.usesCpAsync)
        order.commits(AgentKind::kCopies, r.rank, act.threads);
    if (engine == Engine::kWgmma && shape_.usesWgmma) {
        order.commits(AgentKind::kWgmma, r.rank, act.threads);
        for (const int group : groupsOf(act))
            ++r.batches[group];
    }
    if (engine == Engine::kBulkStore && shape_.usesBulk) {
        order.commits(AgentKind::kStoreReads, r.rank, act.threads);
        order.commits(AgentKind::kStoreWrites, r.rank, act.threads);
    }
}

void Watcher::waits(Engine engine, std::int64_t pending, bool readsOnly, const Act& act)
{
    Resident& r = residentOf(act.block);
    Order& order = r.team->order;
    if (engine == Engine::kCpAsync && shape_.usesCpAsync)
        order.waits(AgentKind::kCopies, pending, r.rank, act.threads);
    if (engine == Engine::kWgmma && shape_.usesWgmma) {
        order.waits(AgentKind::kWgmma, pending, r.rank, act.threads);
        for (const int group : groupsOf(act))
            letGo(r, group, pending);
    }
    if (engine == Engine::kBulkStore && shape_.usesBulk) {
        order.waits(AgentKind::kStoreReads, pending, r.rank, act.threads);
        if (!readsOnly)
            order.waits(AgentKind::kStoreWrites, pending, r.rank, act.threads);
    }
}

void Watcher::fences(const Act& act)
{
    Resident& r = residentOf(act.block);
    r.team->order.fences(r.rank, act.threads);
}

void Watcher::leaves(const Act& act)
{
    Resident& r = residentOf(act.block);
    for (const int t : act.threads)
        r.gone[static_cast<std::size_t>(t)] = 1;
}

void Watcher::branches(const Act& act, const std::vector<std::uint8_t>& taken) { counters_.branches(act, taken); }

std::string Watcher::threadName(int block, int thread) const
{
    const std::int64_t x = block % shape_.grid[0];
    const std::int64_t y = block / shape_.grid[0] % shape_.grid[1];
    const std::int64_t z = block / (shape_.grid[0] * shape_.grid[1]);
    return fmt::format("thread {} of block ({}, {}, {})", thread, x, y, z);
}

Witness Watcher::witness(const Entry& entry, const char* does) const
{
    const Agents::Name name = agents_.name(entry.agent);
    const ir::Provenance& where = sites_.at(static_cast<int>(entry.site));
    const std::string thread = threadName(static_cast<int>(entry.block), name.index);
    std::string who;
    switch (name.kind) {
    case AgentKind::kThread: who = thread; break;
    case AgentKind::kCopies: who = "the cp.async of " + thread; break;
    case AgentKind::kStoreReads: case AgentKind::kStoreWrites: who = "the bulk store of " + thread; break;
    case AgentKind::kWgmma: who = fmt::format("the wgmma of threads {} to {}", name.index * 128, name.index * 128 + 127); break;
    case AgentKind::kBarrier: who = "the bulk load that arrives on " + shape_.barrierNames[static_cast<std::size_t>(name.index)]; break;
    }
    return {where.range, where.op, std::move(who), does};
}

void Watcher::report(DiagnosticSink& sink, Report& out) const
{
    findings_.report(sink, out);
    counters_.report(out);
    out.unknown.assign(unknown_.begin(), unknown_.end());
}

}  // namespace tw::sim
