// What compiled code calls of its threads.
#include <algorithm>

#include "codegen/llvm/scheduler.h"

namespace tw::llvm_backend {
namespace {

Fiber& self(void* fiber) { return *static_cast<Fiber*>(fiber); }

void callPoll(void* handle)
{
    Fiber& fiber = self(handle);
    fiber.scheduler->polling.push_back(&fiber);
    fiber.scheduler->suspend(Wait::kPoll);
}

std::uint64_t callExchange(void* handle, std::uint32_t site, std::uint32_t kind, std::int64_t key, std::uint32_t scalar, std::uint64_t bits,
                           std::int64_t argument, std::int64_t width)
{
    Fiber& fiber = self(handle);
    fiber.site = site;
    fiber.key = key;
    fiber.item = {static_cast<ExchangeKind>(kind), static_cast<ir::Scalar>(scalar), static_cast<int>(fiber.thread % 32), bits, argument, width, 0};
    fiber.scheduler->suspend(Wait::kExchange);
    return fiber.item.result;
}

bool callTileEnter(void* handle, std::uint32_t site)
{
    Fiber& fiber = self(handle);
    fiber.site = site;
    fiber.scheduler->suspend(Wait::kTile);
    return fiber.leader;
}

void callTileLeave(void* handle)
{
    Fiber& leader = self(handle);
    leader.scheduler->crewLeader = nullptr;
    for (Fiber& fiber : leader.scheduler->fibers)
        if (fiber.wait == Wait::kTileDone && fiber.site == leader.site && fiber.block == leader.block)
            leader.scheduler->makeReady(fiber);
}

void arriveNamed(Fiber& fiber, std::int64_t id, std::int64_t count)
{
    NamedBarrier& barrier = fiber.scheduler->named[{fiber.block, id}];
    if (++barrier.arrived < count)
        return;
    barrier.arrived = 0;
    for (Fiber* waiting : barrier.waiting)
        if (waiting != &fiber)
            fiber.scheduler->makeReady(*waiting);
    barrier.waiting.clear();
}

void callSync(void* handle, std::int64_t id, std::int64_t count)
{
    Fiber& fiber = self(handle);
    if (id < 0 || count <= 0 || (id == 0 && count == fiber.scheduler->group->threadsPerBlock)) {
        if (id <= 0) {
            fiber.scheduler->suspend(Wait::kBlock);
            return;
        }
        count = fiber.scheduler->group->threadsPerBlock;
    }
    NamedBarrier& barrier = fiber.scheduler->named[{fiber.block, id}];
    const bool last = barrier.arrived + 1 >= count;
    if (!last)
        barrier.waiting.push_back(&fiber);
    arriveNamed(fiber, id, count);
    if (!last)
        fiber.scheduler->suspend(Wait::kNamed);
}

void callNamedArrive(void* handle, std::int64_t id, std::int64_t count) { arriveNamed(self(handle), id, count); }
void callSyncGrid(void* handle) { self(handle).scheduler->suspend(Wait::kGrid); }
void callSyncCluster(void* handle) { self(handle).scheduler->suspend(Wait::kCluster); }

void callBarrierWait(void* handle, MemoryBarrier* barrier, std::int64_t parity)
{
    Fiber& fiber = self(handle);
    if ((barrier->phase & 1) != parity)
        return;
    fiber.barrier = barrier;
    fiber.key = parity;
    fiber.scheduler->suspend(Wait::kMemoryBarrier);
}

void completePhase(MemoryBarrier& barrier)
{
    if (barrier.arrived >= barrier.expected && barrier.expected > 0 && barrier.bytes == 0) {
        barrier.arrived = 0;
        ++barrier.phase;
    }
}

void callBarrierArrive(void* /*handle*/, MemoryBarrier* barrier, std::int64_t expected, std::int64_t bytes)
{
    barrier->expected = expected;
    barrier->bytes += bytes;
    ++barrier->arrived;
    completePhase(*barrier);
}

// Bytes announced (positive) or brought (negative): what nobody announced counts for nothing.
void callBarrierBytes(void* /*handle*/, MemoryBarrier* barrier, std::int64_t expected, std::int64_t bytes)
{
    if (bytes < 0 && barrier->bytes == 0)
        return;
    barrier->expected = expected;
    barrier->bytes = std::max<std::int64_t>(0, barrier->bytes + bytes);
    completePhase(*barrier);
}

std::int64_t callClusterRank(void* handle) { return self(handle).block % self(handle).scheduler->group->cluster; }

// The same place in the memory of another block of the cluster.
void* callRemote(void* handle, void* address, std::int64_t rank)
{
    Fiber& fiber = self(handle);
    const Scheduler& scheduler = *fiber.scheduler;
    const std::int64_t other = fiber.block / scheduler.group->cluster * scheduler.group->cluster + rank;
    if (other < 0 || other >= scheduler.group->blocks)
        return address;
    const Fiber& target = scheduler.fibers[static_cast<std::size_t>(other * scheduler.group->threadsPerBlock)];
    auto* at = static_cast<std::uint8_t*>(address);
    if (at >= fiber.barriers && at < fiber.barriers + scheduler.group->barrierBytes)
        return target.barriers + (at - fiber.barriers);
    return target.arena + (at - fiber.arena);
}

// The thread that draws; `lane` says which in a nest that this one runs for others, and is negative elsewhere.
Fiber& drawer(void* handle, std::int64_t lane)
{
    Fiber& fiber = self(handle);
    return lane < 0 ? fiber : fiber.scheduler->crewMember(fiber, lane);
}

ir::RandomCounter& startedCounter(void* handle, std::int64_t lane, std::uint32_t place)
{
    ir::RandomCounter& counter = drawer(handle, lane).random;
    if (!counter.started)
        self(handle).run->fail(Code::kUninitialized, place, "random numbers are asked for before T.rng_init");
    return counter;
}

// ownThread: 1 to add the number of the thread to the sequence.
void callRandomStart(void* handle, std::int64_t lane, std::int64_t seed, std::int64_t sequence, std::int64_t offset, std::int64_t ownThread)
{
    Fiber& target = drawer(handle, lane);
    target.random.start(seed, sequence + ownThread * target.thread, offset);
}

std::uint32_t callRandomBits(void* handle, std::int64_t lane, std::uint32_t place) { return startedCounter(handle, lane, place).bits(); }
double callRandomUniform(void* handle, std::int64_t lane, std::uint32_t place) { return startedCounter(handle, lane, place).uniform(); }
double callRandomNormal(void* handle, std::int64_t lane, std::uint32_t place) { return startedCounter(handle, lane, place).normal(); }

}  // namespace

std::vector<std::pair<std::string, void*>> fiberSymbols()
{
    return {{"tw_poll", reinterpret_cast<void*>(&callPoll)},
            {"tw_exchange", reinterpret_cast<void*>(&callExchange)},
            {"tw_tile_enter", reinterpret_cast<void*>(&callTileEnter)},
            {"tw_tile_leave", reinterpret_cast<void*>(&callTileLeave)},
            {"tw_sync", reinterpret_cast<void*>(&callSync)},
            {"tw_named_arrive", reinterpret_cast<void*>(&callNamedArrive)},
            {"tw_sync_grid", reinterpret_cast<void*>(&callSyncGrid)},
            {"tw_sync_cluster", reinterpret_cast<void*>(&callSyncCluster)},
            {"tw_barrier_wait", reinterpret_cast<void*>(&callBarrierWait)},
            {"tw_barrier_arrive", reinterpret_cast<void*>(&callBarrierArrive)},
            {"tw_barrier_bytes", reinterpret_cast<void*>(&callBarrierBytes)},
            {"tw_cluster_rank", reinterpret_cast<void*>(&callClusterRank)},
            {"tw_random_start", reinterpret_cast<void*>(&callRandomStart)},
            {"tw_random_bits", reinterpret_cast<void*>(&callRandomBits)},
            {"tw_random_uniform", reinterpret_cast<void*>(&callRandomUniform)},
            {"tw_random_normal", reinterpret_cast<void*>(&callRandomNormal)},
            {"tw_remote", reinterpret_cast<void*>(&callRemote)}};
}

}  // namespace tw::llvm_backend
