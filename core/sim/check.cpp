// Every access against the ones before it.
#include <algorithm>
#include <cstring>

#include "core/sim/watcher.h"

namespace tw::sim {

using interp::Engine;
using interp::Touch;

namespace {

bool isAsyncProxy(Engine engine) { return engine == Engine::kBulkLoad || engine == Engine::kBulkStore || engine == Engine::kWgmma; }

const char* verb(Touch::Kind kind)
{
    return kind == Touch::Kind::kRead ? "reads" : kind == Touch::Kind::kWrite ? "writes" : "updates";
}

}  // namespace

void Watcher::checkAlignment(const Touch& touch, const Counters::Whole& whole)
{
    // Strided tensors lie contiguous on the host: where their elements lie on a device, only the device knows.
    if (!touch.shared && !touch.buffer->strides.empty())
        return;
    const bool isPowerOfTwo = (whole.width & (whole.width - 1)) == 0;
    for (std::size_t k = 0; isPowerOfTwo && whole.width > 1 && k < whole.at.size(); ++k) {
        if (whole.at[k] % whole.width == 0)
            continue;
        if (findings_.isKnown(FindingKind::kMisaligned, touch.act.site, touch.act.site))
            return;
        Finding f;
        f.buffer = touch.buffer->name;
        f.firstByte = whole.at[k];
        f.bytes = whole.width;
        f.later = {touch.act.where->range, touch.act.where->op, threadName(touch.act.block, touch.act.threads[k]), verb(touch.kind)};
        findings_.add(FindingKind::kMisaligned, touch.act.site, touch.act.site, std::move(f));
        return;
    }
}

// The agent and epoch of what the touch does for this thread.
Entry Watcher::entryOf(const Touch& touch, Resident& by, int thread)
{
    Order& order = by.team->order;
    Entry e;
    e.site = static_cast<std::uint32_t>(touch.act.site);
    e.block = static_cast<std::uint32_t>(touch.act.block);
    e.stamp = stamp_;
    const auto engine = [&](AgentKind kind, int index) {
        e.agent = agents_.of(by.rank, kind, index);
        e.epoch = order.start(by.rank, thread, kind);
    };
    switch (touch.engine) {
    case Engine::kThread:
        e.agent = agents_.of(by.rank, AgentKind::kThread, thread);
        e.epoch = order.now(by.rank, thread);
        break;
    case Engine::kCpAsync: engine(AgentKind::kCopies, thread); break;
    case Engine::kBulkStore: engine(touch.shared ? AgentKind::kStoreReads : AgentKind::kStoreWrites, thread); break;
    case Engine::kWgmma: engine(AgentKind::kWgmma, thread / 128); break;
    case Engine::kBulkLoad: {
        const int rank = residentOf(touch.completes.block).rank;
        e.agent = agents_.of(rank, AgentKind::kBarrier, touch.completes.index);
        e.epoch = order.arrival(rank, touch.completes.index);
        break;
    }
    }
    return e;
}

void Watcher::check(const Touch& touch)
{
    if (!touch.shared && !shape_.global[static_cast<std::size_t>(touch.storage)].written)
        return;
    Resident& by = residentOf(touch.act.block);
    if (!touch.shared && touch.kind == Touch::Kind::kAtomic)
        synchronizeThroughAtomics(touch, by);
    Shadow& shadow = touch.shared ? residentOf(touch.owner).shared[static_cast<std::size_t>(touch.storage)]
                                  : global_[static_cast<std::size_t>(touch.storage)];
    Visit v{.touch = touch, .by = by, .thread = -1, .self = {}, .granule = shadow.granule()};
    for (std::size_t k = 0; k < touch.at.size(); ++k) {
        v.index = k;
        if (touch.act.threads[k] != v.thread) {
            v.thread = touch.act.threads[k];
            v.self = entryOf(touch, by, v.thread);
        }
        const int perByte = shadow.perByte();
        const std::int64_t first = touch.at[k] * perByte + (touch.halves.empty() ? 0 : touch.halves[k]);
        const std::int64_t last = first + (touch.halves.empty() ? std::int64_t{touch.width} * perByte : 1) - 1;
        for (std::int64_t cell = first / v.granule; cell <= last / v.granule; ++cell) {
            v.byte = cell * v.granule / perByte;
            v.mask = perByte == 1 ? 0xff : cell % 2 == 0 ? 0x0f : 0xf0;
            visit(v, shadow.at(cell));
        }
    }
}

bool Watcher::isOrdered(const Visit& v, const Entry& earlier)
{
    if (earlier.agent == v.self.agent && earlier.epoch == v.self.epoch && earlier.block == v.self.block)
        return true;
    const int team = v.by.team->number;
    const int other = teamOf_[earlier.block];
    if (other == team)
        return v.by.team->order.knows(v.by.rank, v.thread, earlier.agent, earlier.epoch);
    if (earlier.stamp <= gridStamp_)
        return true;
    const auto known = v.by.team->knows.find(other);
    return known != v.by.team->knows.end() && known->second >= earlier.stamp;
}

// Several lanes may store one value to one place.
bool Watcher::writesTheSame(const Visit& v, const Entry& earlier)
{
    const Touch& t = v.touch;
    if (t.values.empty())
        return false;
    const Agents::Name other = agents_.name(earlier.agent);
    for (std::size_t k = 0; k < t.at.size(); ++k)
        if (t.act.threads[k] == other.index && t.at[k] == t.at[v.index] && (t.halves.empty() || t.halves[k] == t.halves[v.index]) &&
            t.values[k] == t.values[v.index])
            return true;
    return false;
}

void Watcher::visit(Visit& v, Cell& cell)
{
    const Touch& t = v.touch;
    const bool atomic = t.kind == Touch::Kind::kAtomic;
    if (cell.write.epoch != 0 && !(atomic && cell.atomic)) {
        if (!isOrdered(v, cell.write))
            conflict(v, cell.write, true);
        else if (t.kind == Touch::Kind::kRead && t.shared && isAsyncProxy(t.engine) && teamOf_[cell.write.block] == v.by.team->number) {
            const AgentKind kind = agents_.name(cell.write.agent).kind;
            const bool generic = kind == AgentKind::kThread || kind == AgentKind::kCopies;
            if (generic && !v.by.team->order.knowsFenced(v.by.rank, v.thread, cell.write.agent, cell.write.epoch))
                addFinding(FindingKind::kMissingFence, cell.write, "writes", v.self, verb(t.kind), t.buffer, v.byte, v.granule);
        }
    }
    if (t.kind == Touch::Kind::kRead) {
        noteRead(v, cell);
        return;
    }
    visitReads(v, cell);
    cell.write = v.self;
    cell.atomic = atomic;
    cell.reads[0].epoch = cell.reads[1].epoch = 0;
}

void Watcher::visitReads(Visit& v, Cell& cell)
{
    for (const Entry& read : cell.reads)
        if (read.epoch != 0 && !isOrdered(v, read))
            conflict(v, read, false);
}

void Watcher::noteRead(Visit& v, Cell& cell)
{
    for (Entry& read : cell.reads)
        if (read.epoch == 0 || read.agent == v.self.agent) {
            read = v.self;
            return;
        }
    for (Entry& read : cell.reads)
        if (isOrdered(v, read)) {
            read = v.self;
            return;
        }
    cell.reads[1] = v.self;
}

void Watcher::conflict(const Visit& v, const Entry& earlier, bool earlierWrites)
{
    const Touch& t = v.touch;
    const AgentKind kind = agents_.name(earlier.agent).kind;
    const bool plain = kind == AgentKind::kThread && t.engine == Engine::kThread;
    if (plain && earlierWrites && t.kind == Touch::Kind::kWrite) {
        if (earlier.stamp == stamp_) {
            if (writesTheSame(v, earlier))
                return;
        } else {
            Suspect& s = suspects_.emplace_back();
            s.earlier = earlier;
            s.later = v.self;
            s.bytes = t.bytes + v.byte;
            s.size = std::min(v.granule, 16);
            s.mask = v.mask;
            std::memcpy(s.before, s.bytes, static_cast<std::size_t>(s.size));
            s.byte = v.byte;
            s.buffer = t.buffer;
            return;
        }
    }
    // An engine that nobody has waited for yet, or accesses that no barrier stands between.
    bool inFlight = kind != AgentKind::kThread;
    if (inFlight && teamOf_[earlier.block] == v.by.team->number && kind != AgentKind::kBarrier) {
        const Agents::Name name = agents_.name(earlier.agent);
        const int owner = kind == AgentKind::kWgmma ? name.index * 128 : name.index;
        inFlight = !v.by.team->order.knows(name.rank, owner, earlier.agent, earlier.epoch);
    }
    addFinding(inFlight ? FindingKind::kInFlight : FindingKind::kRace, earlier, earlierWrites ? "writes" : "reads", v.self, verb(t.kind),
               t.buffer, v.byte, v.granule);
}

void Watcher::addFinding(FindingKind kind, const Entry& earlier, const char* earlierDoes, const Entry& later, const char* laterDoes,
                         const ir::BufferNode* buffer, std::int64_t byte, std::int64_t bytes)
{
    const int a = static_cast<int>(earlier.site);
    const int b = static_cast<int>(later.site);
    if (findings_.isKnown(kind, a, b))
        return;
    Finding f;
    f.buffer = buffer->name;
    f.firstByte = byte;
    f.bytes = bytes;
    f.earlier = witness(earlier, earlierDoes);
    f.later = witness(later, laterDoes);
    findings_.add(kind, a, b, std::move(f));
}

void Watcher::written()
{
    const auto changed = [](const Suspect& s) {
        const auto* before = reinterpret_cast<const std::uint8_t*>(s.before);
        return !std::equal(before, before + s.size, s.bytes, [&](std::uint8_t a, std::uint8_t b) { return ((a ^ b) & s.mask) == 0; });
    };
    for (const Suspect& s : suspects_)
        if (changed(s))
            addFinding(FindingKind::kRace, s.earlier, "writes", s.later, "writes", s.buffer, s.byte, s.size);
    suspects_.clear();
}

// An atomic update orders what its block did before with what the blocks do that come to the same place later: more than the
// hardware promises without fences, so what is found is certain, and what depends on fences is left open.
void Watcher::synchronizeThroughAtomics(const Touch& touch, Resident& by)
{
    Team& team = *by.team;
    for (const std::int64_t at : touch.at) {
        std::map<int, std::uint32_t>& flag = flags_[{touch.storage, at}];
        for (const auto& [other, stamp] : flag)
            if (other != team.number) {
                std::uint32_t& known = team.knows[other];
                known = std::max(known, stamp);
                unknown_.insert("whether atomics between blocks have the fences that order other accesses");
            }
        for (const auto& [other, stamp] : team.knows)
            flag[other] = std::max(flag[other], stamp);
        flag[team.number] = stamp_;
    }
}

}  // namespace tw::sim
