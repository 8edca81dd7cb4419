#include "codegen/llvm/scheduler.h"

#include <algorithm>
#include <thread>
#include <tuple>

namespace tw::llvm_backend {

void Scheduler::makeReady(Fiber& fiber)
{
    fiber.wait = Wait::kNothing;
    ready.push_back(&fiber);
}

// `except`: blocks with a thread that may still come to the place.
bool Scheduler::releaseExchanges(const std::set<std::int64_t>& except)
{
    std::map<std::tuple<std::int64_t, std::uint32_t, std::int64_t>, std::vector<Fiber*>> groups;
    for (Fiber& fiber : fibers)
        if (fiber.wait == Wait::kExchange && fiber.key >= 0 && !except.contains(fiber.block))
            groups[{fiber.block, fiber.site, fiber.key}].push_back(&fiber);
    for (auto& [where, members] : groups) {
        std::vector<ExchangeItem*> items;
        for (Fiber* fiber : members)
            items.push_back(&fiber->item);
        exchange(items);
        for (Fiber* fiber : members)
            makeReady(*fiber);
    }
    return !groups.empty();
}

bool Scheduler::releaseMemoryBarriers()
{
    bool any = false;
    for (Fiber& fiber : fibers)
        if (fiber.wait == Wait::kMemoryBarrier && (fiber.barrier->phase & 1) != fiber.key) {
            makeReady(fiber);
            any = true;
        }
    return any;
}

// The tile operation that stands first: threads that still have one before it will come to the later one, too.
bool Scheduler::releaseTile(const std::set<std::int64_t>& except)
{
    Fiber* first = nullptr;
    for (Fiber& fiber : fibers)
        if (fiber.wait == Wait::kTile && (!first || fiber.site < first->site) && !except.contains(fiber.block))
            first = &fiber;
    if (!first)
        return false;
    for (Fiber& fiber : fibers)
        if (&fiber != first && fiber.wait == Wait::kTile && fiber.site == first->site && fiber.block == first->block) {
            fiber.wait = Wait::kTileDone;
            fiber.leader = false;
        }
    first->leader = true;
    makeReady(*first);
    return true;
}

Fiber& Scheduler::crewMember(Fiber& leader, std::int64_t lane)
{
    if (crewLeader != &leader) {
        crew.clear();
        for (Fiber& fiber : fibers)
            if (fiber.block == leader.block && (&fiber == &leader || (fiber.wait == Wait::kTileDone && fiber.site == leader.site)))
                crew.push_back(&fiber);
        crewLeader = &leader;
    }
    return *crew[static_cast<std::size_t>(lane) % crew.size()];
}

// A barrier of a block, a cluster or the grid: all threads that have not returned are there.
bool Scheduler::releaseMeeting(Wait wait, std::int64_t blocksTogether)
{
    bool any = false;
    const std::int64_t size = blocksTogether * group->threadsPerBlock;
    for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(fibers.size()); begin += size) {
        const std::int64_t end = std::min<std::int64_t>(begin + size, static_cast<std::int64_t>(fibers.size()));
        bool complete = true;
        bool waiting = false;
        for (std::int64_t i = begin; i < end; ++i) {
            const Fiber& fiber = fibers[static_cast<std::size_t>(i)];
            const bool votes = wait == Wait::kBlock && fiber.wait == Wait::kExchange && fiber.key < 0;
            waiting = waiting || fiber.wait == wait || votes;
            complete = complete && (fiber.wait == wait || votes || fiber.wait == Wait::kDone);
        }
        if (!complete || !waiting)
            continue;
        std::vector<ExchangeItem*> items;
        for (std::int64_t i = begin; i < end; ++i)
            if (fibers[static_cast<std::size_t>(i)].wait == Wait::kExchange)
                items.push_back(&fibers[static_cast<std::size_t>(i)].item);
        if (!items.empty())
            exchange(items);
        for (std::int64_t i = begin; i < end; ++i)
            if (fibers[static_cast<std::size_t>(i)].wait != Wait::kDone)
                makeReady(fibers[static_cast<std::size_t>(i)]);
        any = true;
    }
    return any;
}

bool Scheduler::release(bool waitsForPolling)
{
    std::set<std::int64_t> except;
    if (waitsForPolling)
        for (const Fiber* fiber : polling)
            except.insert(fiber->block);
    return releaseExchanges(except) || releaseMemoryBarriers() || releaseTile(except) || releaseMeeting(Wait::kBlock, 1) ||
           releaseMeeting(Wait::kCluster, group->cluster) || releaseMeeting(Wait::kGrid, group->blocks);
}

// Those who poll look again. Where that does not help, exchanges and tile operations of their blocks go on without them: a
// role that polls takes no part in those of another one. After that only another worker's blocks can help.
bool Scheduler::pollAgain()
{
    constexpr int kPatience = 4;
    if (++vainRounds > kPatience && release(false)) {
        vainRounds = 0;
        return true;
    }
    if (vainRounds > kPatience)
        std::this_thread::yield();
    for (Fiber* fiber : polling)
        makeReady(*fiber);
    const bool any = !polling.empty();
    polling.clear();
    return any;
}

void Scheduler::loop()
{
    std::vector<Fiber*> batch;
    while (done < static_cast<std::int64_t>(fibers.size())) {
        if (run->over() || run->stop.stop_requested())
            return;  // the stacks hold nothing that needs an end
        if (ready.empty() && release(true))
            vainRounds = 0;
        if (ready.empty() && !pollAgain()) {
            run->fail(Code::kDeadlock, 0, "the threads of a block wait for each other for ever: no barrier, copy or exchange that they wait at can complete");
            return;
        }
        batch.swap(ready);
        for (Fiber* fiber : batch)
            resume(*fiber);
        batch.clear();
    }
}

}  // namespace tw::llvm_backend
