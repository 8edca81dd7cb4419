// What compiled kernels call: launching, memory, messages, and (fibers.h) threads.
//
// Compiled code knows these structures only by address, but for the first fields named here.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"

namespace tw::llvm_backend {

class PanelMemory;
class PanelStores;
struct PanelStore;
class ThreadPool;

// How threads of a group combine what they bring (tw_exchange). The order is used: shuffles first, then votes, then
// reductions, then whole-block votes.
enum class ExchangeKind : std::uint32_t {
    kShuffle, kShuffleXor, kShuffleDown, kShuffleUp,
    kAny, kAll, kBallot, kActive, kMatchAny, kMatchAll,
    kSum, kMax, kMin, kProduct, kBitAnd, kBitOr,
    kBlockCount, kBlockAnd, kBlockOr
};

// An mbarrier. Zero is a fresh one.
struct MemoryBarrier {
    std::int64_t phase = 0;     // completed phases
    std::int64_t arrived = 0;   // in the current phase
    std::int64_t expected = 0;  // arrivals that complete it
    std::int64_t bytes = 0;     // announced and not yet brought
};
static_assert(sizeof(MemoryBarrier) == 32, "statement.cpp lays barriers out with this size");

// One run of a function. Shared by the workers.
struct RunState {
    ThreadPool* pool = nullptr;
    PanelMemory* panelMemory = nullptr;
    int threads = 1;
    std::stop_token stop;
    const std::vector<ir::Provenance>* provenances = nullptr;
    std::atomic<bool> failed = false;     // an assertion failed, a deadlock, memory ran out
    std::atomic<bool> cancelled = false;
    std::mutex mutex;                     // guards the rest
    std::string log;
    std::map<const void*, std::string> lines;  // begun by a thread or worker
    DiagnosticSink* diagnostics = nullptr;
    std::vector<void*> allocations;

    [[nodiscard]] bool over() const { return failed || cancelled; }
    // `place`: a line number of a debug location, that is an index into provenances plus 1.
    void fail(Code code, std::uint32_t place, const std::string& message);
};

// What compiled code gets in a launch: the block's on-chip memory and its barriers, which it loads itself.
struct LaunchContext {
    std::uint8_t* arena = nullptr;
    std::uint8_t* barriers = nullptr;
    RunState* run = nullptr;
};

struct WorkerState : LaunchContext {
    std::vector<void*> allocations;
    PanelStores* panels = nullptr;    // of the launch
    std::vector<PanelStore*> stores;  // those that this worker opened, by their numbers
};

// Names and addresses of everything that compiled code may call.
[[nodiscard]] const std::vector<std::pair<std::string, void*>>& runtimeSymbols();

}  // namespace tw::llvm_backend
