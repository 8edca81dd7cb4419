// The threads of a block as cooperative fibers on one worker.
//
// A fiber runs until it waits: at a barrier, in an exchange of its warp, at a tile operation. When nobody can run, the
// scheduler finds a group that is complete and resumes it: first exchanges, then memory barriers, then the tile operation that
// stands first in the program (one fiber of those that wait there runs it for all), then barriers of the block, of the
// cluster, of the grid. Threads that poll memory (a loop of a launch that "polls") look again when nobody else can run. If
// nothing is complete and nobody polls, the threads wait for each other for ever: a diagnostic says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/llvm/runtime.h"

namespace tw::llvm_backend {

using ThreadFunction = void (*)(void* fiber, void* frame, std::int64_t block, std::int64_t thread);

// Blocks that run together: one, those of a cluster, or all of a launch with a grid-wide barrier.
struct BlockGroup {
    ThreadFunction function = nullptr;
    void* frame = nullptr;
    std::int64_t firstBlock = 0;
    std::int64_t blocks = 1;
    std::int64_t cluster = 1;         // blocks of one cluster, consecutive
    std::int64_t threadsPerBlock = 1;
    std::int64_t arenaBytes = 0;      // on-chip memory of one block
    std::int64_t barrierBytes = 0;
};

// Keeps stacks and arenas from one group to the next. One worker uses one.
class FiberPool {
public:
    FiberPool();
    ~FiberPool();
    FiberPool(const FiberPool&) = delete;
    FiberPool& operator=(const FiberPool&) = delete;

    // Returns when every thread of the group has returned, or the run is over.
    void run(const BlockGroup& group, RunState& run);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

[[nodiscard]] std::vector<std::pair<std::string, void*>> fiberSymbols();

}  // namespace tw::llvm_backend
