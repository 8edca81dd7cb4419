// Inside fibers.h: a thread, what it waits for, and who goes on next.
#pragma once

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "codegen/llvm/exchange.h"
#include "codegen/llvm/fibers.h"
#include "core/ir/random.h"

namespace tw::llvm_backend {

inline constexpr std::size_t kStackBytes = 512 << 10;  // committed only where it is touched

enum class Wait : std::uint8_t { kNothing, kPoll, kExchange, kMemoryBarrier, kTile, kTileDone, kBlock, kNamed, kCluster, kGrid, kDone };

struct Scheduler;

// A thread.
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
    ir::RandomCounter random;
};

struct NamedBarrier {
    std::int64_t arrived = 0;
    std::vector<Fiber*> waiting;
};

// The threads of one block group, on one worker. A thread hands over in `suspend` and goes on when `loop` resumes it.
struct Scheduler {
    const BlockGroup* group = nullptr;
    RunState* run = nullptr;
    std::vector<Fiber> fibers;
    std::vector<Fiber*> ready;
    std::vector<Fiber*> polling;  // looked at memory in vain; they look again when nobody else can go on
    int vainRounds = 0;           // of polling, since somebody was released last
    std::map<std::pair<std::int64_t, std::int64_t>, NamedBarrier> named;  // by block and id
    std::vector<Fiber*> crew;     // of the tile operation that `crewLeader` runs, by thread; made when it is asked for
    const Fiber* crewLeader = nullptr;
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
    // The thread of iteration `lane` of a nest that `leader` runs for all that came to it.
    Fiber& crewMember(Fiber& leader, std::int64_t lane);
};

// Writes the first frame of a fiber that has its stack: resumed, it calls the group's function.
void prepare(Fiber& fiber);

}  // namespace tw::llvm_backend
