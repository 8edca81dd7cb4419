// Barriers: of the block, named, transaction barriers, of the cluster, of the grid. A fiber that has to wait says for what;
// the scheduler asks `ready` and goes on with it.
#include <fmt/format.h>

#include "core/interp/machine.h"

namespace tw::interp {

using ir::OpId;

void Machine::barrierOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    switch (record.op) {
    case OpId::kSyncThreads:
        if (record.at(0).present())
            namedSync(f, in, record, true);
        else
            blockSync(f, in, record);
        break;
    case OpId::kNamedBarrierArrive: namedSync(f, in, record, false); break;
    case OpId::kSyncCount: case OpId::kSyncAnd: case OpId::kSyncOr: blockSync(f, in, record); break;
    case OpId::kSyncGrid: case OpId::kSyncGlobal: gridSync(f, in); break;
    case OpId::kBarrierWait: barrierWait(f, in, record); break;
    case OpId::kBarrierArrive: case OpId::kBarrierExpectTx: case OpId::kBarrierArriveExpectTx: case OpId::kCpAsyncBarrier:
        barrierArrive(f, in, record);
        break;
    case OpId::kClusterSync: clusterSync(f, in, record, true, true); break;
    case OpId::kClusterArrive: case OpId::kClusterArriveRelaxed: clusterSync(f, in, record, true, false); break;
    case OpId::kClusterWait: clusterSync(f, in, record, false, true); break;
    case OpId::kBarrierInit: barrierInit(f, in, record); break;
    case OpId::kSyncWarp: warpSync(f, in); break;
    case OpId::kFenceProxyAsync:
        if (options_.observer && launch_)
            options_.observer->fences(actOf(f, in));
        break;
    case OpId::kTileEnter: {  // the fiber is those who come; its first thread runs the operation
        if (in.dst < 0)
            break;
        Slot& dst = slot(f, in.dst);
        Lane* lanes = dst.prepare(static_cast<std::size_t>(f.n));
        for (int lane = 0; lane < f.n; ++lane)
            lanes[lane].i = lane == f.mask.first(f.n) ? 1 : 0;
        dst.uniform = f.n == 1;
        dst.width = 1;
        break;
    }
    default: break;  // a warp's lanes run in step; fences order what is in order already
    }
}

void Machine::storeSyncResult(Fiber& f, int dst, OpId op)
{
    if (dst < 0)
        return;
    const Block& block = *f.block;
    Lane lane{};
    lane.i = op == OpId::kSyncCount ? block.lastTrueCount
             : op == OpId::kSyncAnd ? block.lastTrueCount == block.lastArrived
                                    : block.lastTrueCount > 0;
    slot(f, dst).setUniform(lane);
}

void Machine::blockSync(Fiber& f, const Instr& in, const OpRecord& record)
{
    Block& block = *f.block;
    if (record.op != OpId::kSyncThreads) {
        const Slot& p = slot(f, record.at(0).slot);
        for (int lane = 0; lane < f.n; ++lane)
            if (f.mask.on(lane) && p.lanes[p.uniform ? 0 : static_cast<std::size_t>(lane)].i != 0)
                ++block.trueCount;
    }
    block.arrived += f.mask.count;
    tellRelease(f, in, {Meeting::Kind::kBlock, static_cast<int>(block.linear), 0});
    f.wait = {.kind = Wait::Kind::kBlock, .generation = block.generation, .dst = in.dst, .op = record.op,
              .where = in.where.range};
    checkBlockBarrier(block);
    if (ready(f))
        resume(f);
}

// Threads that have left the launch are not waited for.
void Machine::checkBlockBarrier(Block& block)
{
    if (block.arrived > 0 && block.arrived >= block.live) {
        block.lastArrived = block.arrived;
        block.lastTrueCount = block.trueCount;
        block.arrived = 0;
        block.trueCount = 0;
        ++block.generation;
        tellCompletion({Meeting::Kind::kBlock, static_cast<int>(block.linear), 0});
    }
    checkWideBarriers(block);
}

void Machine::checkWideBarriers(Block& block)
{
    if (block.cluster && block.cluster->arrived > 0) {
        std::int64_t live = 0;
        for (const Block* other : block.cluster->blocks)
            live += other->live;
        if (block.cluster->arrived >= live) {
            block.cluster->arrived = 0;
            ++block.cluster->generation;
            tellCompletion({Meeting::Kind::kCluster, static_cast<int>(block.cluster->blocks.front()->linear), 0});
        }
    }
    if (gridArrived_ > 0) {
        std::int64_t live = 0;
        for (const std::unique_ptr<Block>& other : blocks_)
            live += other->live;
        if (gridArrived_ >= live) {
            gridArrived_ = 0;
            ++gridGeneration_;
            tellCompletion({Meeting::Kind::kGrid, 0, 0});
        }
    }
}

void Machine::namedSync(Fiber& f, const Instr& in, const OpRecord& record, bool wait)
{
    const std::int64_t id = scalarOf(f, record.at(0).slot, 0);
    NamedBarrier& barrier = f.block->named[id];
    barrier.expected = record.at(1).present() ? scalarOf(f, record.at(1).slot, threadCount_) : f.block->live;
    barrier.arrived += f.mask.count;
    const Meeting meeting{Meeting::Kind::kNamed, static_cast<int>(f.block->linear), static_cast<int>(id)};
    tellRelease(f, in, meeting);
    if (wait)
        f.wait = {.kind = Wait::Kind::kNamed, .generation = barrier.generation, .element = static_cast<int>(id),
                  .where = in.where.range};
    if (barrier.arrived >= barrier.expected) {
        barrier.arrived -= barrier.expected;
        ++barrier.generation;
        tellCompletion(meeting);
    }
    if (wait && ready(f))
        resume(f);
}

BarrierState* Machine::barrierAt(Fiber& f, const RegionRecord& region, int lane, const SourceRange& where, Wait* place,
                                 Block* block)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(region.buffer)];
    if (info.space != Space::kBarrier) {
        error(Code::kScopeIllegal, where, fmt::format("{} is no array of barriers", info.node->name));
        return nullptr;
    }
    std::int64_t element = 0;
    for (std::size_t axis = 0; axis < region.mins.size(); ++axis) {
        const std::int64_t index = numberOf(f, {0, region.mins[axis]}, lane);
        const std::int64_t extent = numberOf(f, info.shape[axis], lane);
        if (index < 0 || index >= extent) {
            reportOutside(info, axis, index, extent, where);
            return nullptr;
        }
        element += index * numberOf(f, info.strides[axis], lane);
    }
    if (place) {
        place->storage = info.storage;
        place->element = static_cast<int>(element);
    }
    std::vector<BarrierState>& barriers = (block ? block : f.block)->barriers[static_cast<std::size_t>(info.storage)];
    return &barriers[static_cast<std::size_t>(element)];
}

void Machine::completePhase(BarrierState& barrier, const Meeting& meeting)
{
    if (barrier.pending <= 0 && barrier.bytes == 0) {
        ++barrier.phase;
        barrier.pending = barrier.expected;
        tellCompletion(meeting);
    }
}

// A wait with parity p passes once the phase with that parity is over: a fresh barrier passes parity 1.
void Machine::barrierWait(Fiber& f, const Instr& in, const OpRecord& record)
{
    const int lane = f.mask.first(f.n);
    Wait wait{.kind = Wait::Kind::kBarrier, .where = in.where.range};
    const BarrierState* barrier = barrierAt(f, record.at(0).region, lane, in.where.range, &wait);
    if (!barrier)
        return;
    wait.parity = scalarOf(f, record.at(1).slot, 0) & 1;
    wait.generation = barrier->phase;
    if ((barrier->phase & 1) != wait.parity) {
        tellAcquire(f, in, barrierMeeting(*f.block, wait.storage, wait.element));
        return;
    }
    f.wait = wait;
}

void Machine::barrierArrive(Fiber& f, const Instr& in, const OpRecord& record)
{
    Block* target = nullptr;
    if (record.op == OpId::kBarrierArrive && record.at(1).present()) {
        const std::int64_t rank = scalarOf(f, record.at(1).slot, 0);
        if (!f.block->cluster || rank < 0 || rank >= static_cast<std::int64_t>(f.block->cluster->blocks.size())) {
            error(Code::kOutOfBounds, in.where.range, fmt::format("the cluster has no block {}", rank));
            return;
        }
        target = f.block->cluster->blocks[static_cast<std::size_t>(rank)];
    }
    const bool expects = record.op == OpId::kBarrierExpectTx || record.op == OpId::kBarrierArriveExpectTx;
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        Wait place;
        BarrierState* barrier = barrierAt(f, record.at(0).region, lane, in.where.range, &place, target);
        if (!barrier)
            return;
        const Meeting meeting = barrierMeeting(target ? *target : *f.block, place.storage, place.element);
        if (options_.observer && record.op != OpId::kBarrierExpectTx)
            tellArrival(f, in, record.op, lane, meeting);
        if (expects) {
            const Slot& bytes = slot(f, record.at(1).slot);
            barrier->bytes += bytes.lanes[bytes.uniform ? 0 : static_cast<std::size_t>(lane)].i;
        }
        if (record.op != OpId::kBarrierExpectTx)
            --barrier->pending;
        completePhase(*barrier, meeting);
    }
}

void Machine::tellArrival(Fiber& f, const Instr& in, ir::OpId op, int lane, const Meeting& meeting)
{
    actOf(f, in);
    act_.threads.assign(1, f.threads[static_cast<std::size_t>(lane)]);
    if (op == OpId::kCpAsyncBarrier)
        options_.observer->releaseCopies(meeting, act_);
    else
        options_.observer->release(meeting, act_);
}

// Lanes of a warp run in step here; only the observer has to know that they have met.
void Machine::warpSync(Fiber& f, const Instr& in)
{
    if (!options_.observer || !launch_)
        return;
    const std::vector<int> all = actOf(f, in).threads;
    for (std::size_t first = 0; first < all.size();) {
        std::size_t end = first;
        while (end < all.size() && all[end] / 32 == all[first] / 32)
            ++end;
        const Meeting meeting{Meeting::Kind::kWarp, static_cast<int>(f.block->linear), all[first] / 32};
        act_.threads.assign(all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end));
        options_.observer->release(meeting, act_);
        options_.observer->completes(meeting);
        options_.observer->acquire(meeting, act_);
        first = end;
    }
}

void Machine::barrierInit(Fiber& f, const Instr& in, const OpRecord& record)
{
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        BarrierState* barrier = barrierAt(f, record.at(0).region, lane, in.where.range);
        if (!barrier)
            return;
        const Slot& count = slot(f, record.at(1).slot);
        *barrier = {};
        barrier->expected = barrier->pending = count.lanes[count.uniform ? 0 : static_cast<std::size_t>(lane)].i;
    }
}

void Machine::clusterSync(Fiber& f, const Instr& in, const OpRecord& record, bool arrive, bool wait)
{
    if (!f.block->cluster)
        return;
    Cluster& cluster = *f.block->cluster;
    if (arrive) {
        f.clusterGeneration = cluster.generation;
        cluster.arrived += f.mask.count;
        if (record.op != OpId::kClusterArriveRelaxed)
            tellRelease(f, in, clusterMeeting(f));
        checkWideBarriers(*f.block);
    }
    if (!wait)
        return;
    if (cluster.generation > f.clusterGeneration)
        tellAcquire(f, in, clusterMeeting(f));
    else
        f.wait = {.kind = Wait::Kind::kCluster, .generation = f.clusterGeneration, .where = in.where.range};
}

void Machine::gridSync(Fiber& f, const Instr& in)
{
    f.wait = {.kind = Wait::Kind::kGrid, .generation = gridGeneration_, .where = in.where.range};
    gridArrived_ += f.mask.count;
    tellRelease(f, in, {Meeting::Kind::kGrid, 0, 0});
    checkWideBarriers(*f.block);
    if (ready(f))
        resume(f);
}

bool Machine::ready(const Fiber& f) const
{
    const Wait& wait = f.wait;
    switch (wait.kind) {
    case Wait::Kind::kNone: case Wait::Kind::kTurn: return true;
    case Wait::Kind::kBlock: return f.block->generation > wait.generation;
    case Wait::Kind::kNamed: return f.block->named.at(wait.element).generation > wait.generation;
    case Wait::Kind::kBarrier:
        return f.block->barriers[static_cast<std::size_t>(wait.storage)][static_cast<std::size_t>(wait.element)].phase >
               wait.generation;
    case Wait::Kind::kCluster: return f.block->cluster->generation > wait.generation;
    case Wait::Kind::kGrid: return gridGeneration_ > wait.generation;
    case Wait::Kind::kJoin: return false;
    case Wait::Kind::kMulticast: {
        const auto& issued = f.block->cluster->blocks[static_cast<std::size_t>(wait.element)]->multicasts;
        const auto found = issued.find(wait.storage);
        return found != issued.end() && found->second >= wait.generation;
    }
    case Wait::Kind::kSpin: return changes_ != static_cast<std::uint64_t>(wait.generation);
    }
    return true;
}

void Machine::resume(Fiber& f)
{
    if (f.wait.kind == Wait::Kind::kBlock)
        storeSyncResult(f, f.wait.dst, f.wait.op);
    if (options_.observer)
        tellResume(f);
    f.wait = {};
}

// The operation that the fiber waited in stands before its next instruction.
void Machine::tellResume(Fiber& f)
{
    if (f.pc == 0)
        return;
    const Instr& in = program_.code[static_cast<std::size_t>(f.pc) - 1];
    const int block = static_cast<int>(f.block->linear);
    switch (f.wait.kind) {
    case Wait::Kind::kBlock: tellAcquire(f, in, {Meeting::Kind::kBlock, block, 0}); break;
    case Wait::Kind::kNamed: tellAcquire(f, in, {Meeting::Kind::kNamed, block, f.wait.element}); break;
    case Wait::Kind::kBarrier: tellAcquire(f, in, barrierMeeting(*f.block, f.wait.storage, f.wait.element)); break;
    case Wait::Kind::kCluster: tellAcquire(f, in, clusterMeeting(f)); break;
    case Wait::Kind::kGrid: tellAcquire(f, in, {Meeting::Kind::kGrid, 0, 0}); break;
    default: break;
    }
}

}  // namespace tw::interp
