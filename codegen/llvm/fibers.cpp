#include "codegen/llvm/fibers.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "codegen/llvm/exchange.h"
#include "core/support/check.h"

namespace tw::llvm_backend {

namespace {

constexpr std::size_t kStackBytes = 512 << 10;  // committed only where it is touched

enum class Wait : std::uint8_t { kNothing, kPoll, kExchange, kMemoryBarrier, kTile, kTileDone, kBlock, kNamed, kCluster, kGrid, kDone };

struct Scheduler;

struct Fiber : LaunchContext {
    Scheduler* scheduler = nullptr;
    std::int64_t block = 0;   // in the group
    std::int64_t thread = 0;
    void* stack = nullptr;
    void* saved = nullptr;    // stack pointer while it does not run
#if !defined(__x86_64__)
    ucontext_t context{};
#endif
    Wait wait = Wait::kNothing;
    std::uint32_t site = 0;
    std::int64_t key = 0;           // group of an exchange, id of a named barrier, parity
    MemoryBarrier* barrier = nullptr;
    ExchangeItem item{};            // what it brings to an exchange, and the answer
    bool leader = false;
};

struct NamedBarrier {
    std::int64_t arrived = 0;
    std::vector<Fiber*> waiting;
};

struct Scheduler {
    const BlockGroup* group = nullptr;
    RunState* run = nullptr;
    std::vector<Fiber> fibers;
    std::vector<Fiber*> ready;
    std::vector<Fiber*> polling;  // looked at memory in vain; they look again when nobody else can go on
    int vainRounds = 0;           // of polling, since somebody was released last
    std::map<std::pair<std::int64_t, std::int64_t>, NamedBarrier> named;  // by block and id
    Fiber* current = nullptr;
    void* saved = nullptr;
#if !defined(__x86_64__)
    ucontext_t context{};
#endif
    std::int64_t done = 0;

    void loop();
    void resume(Fiber& fiber);
    void suspend(Wait wait);
    bool release(bool waitsForPolling);
    bool releaseExchanges(const std::set<std::int64_t>& except);
    bool releaseMemoryBarriers();
    bool releaseTile(const std::set<std::int64_t>& except);
    bool pollAgain();
    bool releaseMeeting(Wait wait, std::int64_t blocksTogether);
    void makeReady(Fiber& fiber);
};

#if defined(__x86_64__)
// Saves the callee's registers on the old stack, its pointer in *save, and goes on with the other stack.
__attribute__((naked, noinline)) void switchStack(void** /*save*/, void* /*load*/)
{
    asm volatile(
        "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}
#endif

void runFiber(Fiber* fiberPointer)
{
    Fiber& fiber = *fiberPointer;
    Scheduler& scheduler = *fiber.scheduler;
    const std::int64_t block = scheduler.group->firstBlock + fiber.block;
    scheduler.group->function(&fiber, scheduler.group->frame, block, fiber.thread);
    ++scheduler.done;
    scheduler.suspend(Wait::kDone);
}

#if defined(__x86_64__)
// A fiber's first activation "returns" here with its Fiber in rbx (see prepare).
__attribute__((naked, noinline, used)) void enterFiber()
{
    asm volatile("movq %rbx, %rdi\n callq *%rbp\n");
}
#else
void enterFiber(unsigned high, unsigned low)
{
    runFiber(reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low));
}
#endif

void prepare(Fiber& fiber)
{
#if defined(__x86_64__)
    auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<std::uint8_t*>(fiber.stack) + kStackBytes);
    *--top = 0;
    *--top = 0;  // enterFiber finds the stack aligned for its call
    *--top = reinterpret_cast<std::uintptr_t>(&enterFiber);
    *--top = reinterpret_cast<std::uintptr_t>(&runFiber);  // rbp
    *--top = reinterpret_cast<std::uintptr_t>(&fiber);     // rbx
    for (int i = 0; i < 4; ++i)
        *--top = 0;
    fiber.saved = top;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(&fiber);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&enterFiber), 2, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
#endif
}

void Scheduler::resume(Fiber& fiber)
{
    current = &fiber;
    fiber.wait = Wait::kNothing;
#if defined(__x86_64__)
    switchStack(&saved, fiber.saved);
#else
    swapcontext(&context, &fiber.context);
#endif
}

void Scheduler::suspend(Wait wait)
{
    Fiber& fiber = *current;
    fiber.wait = wait;
#if defined(__x86_64__)
    switchStack(&fiber.saved, saved);
#else
    swapcontext(&fiber.context, &context);
#endif
}

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

Fiber& self(void* fiber) { return *static_cast<Fiber*>(fiber); }

void callPoll(void* handle)
{
    Fiber& fiber = self(handle);
    fiber.scheduler->polling.push_back(&fiber);
    fiber.scheduler->suspend(Wait::kPoll);
}

// ---- what compiled code calls ----

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

}  // namespace

struct FiberPool::Impl {
    Scheduler scheduler;
    std::uint8_t* stacks = nullptr;
    std::size_t stackCount = 0;
    std::vector<std::uint8_t> memory;

    ~Impl()
    {
        if (stacks)
            munmap(stacks, stackCount * kStackBytes);
    }
    bool reserve(std::size_t count)
    {
        if (count <= stackCount)
            return true;
        if (stacks)
            munmap(stacks, stackCount * kStackBytes);
        void* memoryMap = mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stacks = memoryMap == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memoryMap);
        stackCount = stacks ? count : 0;
        return stacks != nullptr;
    }
};

FiberPool::FiberPool() : impl_(std::make_unique<Impl>()) {}
FiberPool::~FiberPool() = default;

void FiberPool::run(const BlockGroup& group, RunState& run)
{
    const auto count = static_cast<std::size_t>(group.blocks * group.threadsPerBlock);
    if (!impl_->reserve(count)) {
        run.fail(Code::kNotSupported, 0, "not supported: so many threads that wait for each other on a CPU");
        return;
    }
    const auto barrierBytes = static_cast<std::size_t>(group.barrierBytes + 63) / 64 * 64;
    const auto blockBytes = barrierBytes + static_cast<std::size_t>(group.arenaBytes + 63) / 64 * 64 + 64;
    impl_->memory.resize(std::max(impl_->memory.size(), blockBytes * static_cast<std::size_t>(group.blocks) + 64));
    auto* memory = impl_->memory.data() + (64 - reinterpret_cast<std::uintptr_t>(impl_->memory.data()) % 64);
    Scheduler& scheduler = impl_->scheduler;
    scheduler.group = &group;
    scheduler.run = &run;
    scheduler.fibers.assign(count, Fiber{});
    scheduler.ready.clear();
    scheduler.polling.clear();
    scheduler.vainRounds = 0;
    scheduler.named.clear();
    scheduler.done = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Fiber& fiber = scheduler.fibers[i];
        fiber.scheduler = &scheduler;
        fiber.run = &run;
        fiber.block = static_cast<std::int64_t>(i) / group.threadsPerBlock;
        fiber.thread = static_cast<std::int64_t>(i) % group.threadsPerBlock;
        fiber.barriers = memory + static_cast<std::size_t>(fiber.block) * blockBytes;
        fiber.arena = fiber.barriers + barrierBytes;
        if (fiber.thread == 0)
            std::memset(fiber.barriers, 0, barrierBytes);
        fiber.stack = impl_->stacks + i * kStackBytes;
        prepare(fiber);
        scheduler.ready.push_back(&fiber);
    }
    scheduler.loop();
}

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
            {"tw_remote", reinterpret_cast<void*>(&callRemote)}};
}

}  // namespace tw::llvm_backend
