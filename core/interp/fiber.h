// The state of a running launch: fibers, blocks, clusters. All of it is data, so a fiber can be stopped, split and joined.
#pragma once

#include <array>
#include <memory>

#include "core/interp/code.h"
#include "core/interp/lanes.h"
#include "core/ir/random.h"
#include "core/support/source.h"

namespace tw::interp {

struct Memory {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint8_t> valid;  // one a byte of `bytes`: somebody wrote it
};

// An open construct of a fiber.
struct Frame {
    enum class Kind : std::uint8_t { kIf, kFor, kWhile, kPersistent, kParallel };
    Kind kind{};
    Mask saved;                     // lanes that entered
    Mask otherwise;                 // kIf: lanes of the else part
    std::vector<std::uint8_t> off;  // loops: lanes that broke or continued; empty: none
    std::vector<std::uint8_t> left; // loops: lanes that broke (they do not come back in the next iteration)
    std::int64_t current = 0, end = 0, step = 1;  // kFor with uniform bounds; kPersistent; kParallel: position and total
    bool uniform = true;
    std::vector<Lane> ends, steps;  // kFor with varying bounds
    std::uint64_t changes = 0;      // kWhile: the fiber's count at the head of the iteration
    // kParallel
    bool threadBound = false;
    int savedLanes = 0;
    bool savedFree = false;
    std::vector<std::uint8_t> savedReturned;
    std::vector<std::int64_t> begins, extents;
};

struct Fiber;

// Fibers that came out of one and meet again at an instruction.
struct Group {
    int pc = -1;         // the marker where they meet
    std::size_t depth = 0;  // frames that are open there, the construct's own included
    int members = 0;     // fibers that may still come
    std::vector<Fiber*> waiting;
};

struct Wait {
    enum class Kind : std::uint8_t { kNone, kBlock, kNamed, kBarrier, kCluster, kGrid, kJoin, kMulticast, kSpin, kTurn };
    Kind kind = Kind::kNone;
    std::int64_t generation = 0;
    int storage = 0, element = 0;  // kBarrier; kNamed: element is the id; kMulticast: storage is the operation
    std::int64_t parity = 0;
    int dst = -1;
    ir::OpId op{};
    SourceRange where{};
};

struct Block;

struct Fiber {
    Block* block = nullptr;
    std::vector<int> threads;  // linear thread ids, ascending; lane k is threads[k]
    int n = 1;                 // lanes: threads, or iterations of a parallel loop that needs no threads
    bool free = false;         // lanes are iterations only
    int parallelDepth = 0;     // open parallel loops
    int pc = 0;
    bool done = false;
    Mask mask;
    std::vector<std::uint8_t> returned;  // lanes that left the launch; empty: none
    std::vector<Slot> slots;
    std::vector<Frame> frames;
    std::vector<std::shared_ptr<Group>> groups;
    std::vector<std::shared_ptr<Memory>> fragments;  // copied on write after a split
    std::vector<std::uint32_t> fragmentWrites;       // to tell which copy is the newer one when fibers join
    Wait wait;
    std::uint64_t changes = 0;  // effects so far that another look at the same state could see
    int turns = 0;
    std::int64_t clusterGeneration = -1;  // of its last arrival at the cluster barrier
    std::int64_t serial = 0;    // order of creation
};

struct BarrierState {
    std::int64_t expected = 1, pending = 1, bytes = 0, phase = 0;
};
struct NamedBarrier {
    std::int64_t expected = 0, arrived = 0, generation = 0;
};

struct Cluster {
    std::vector<Block*> blocks;
    std::int64_t arrived = 0, generation = 0;
};

struct Block {
    std::array<std::int64_t, 3> index{};
    std::int64_t linear = 0;
    int rank = 0;  // in its cluster
    std::shared_ptr<Cluster> cluster;
    std::vector<Memory> shared;
    std::vector<Memory> threads;  // bytes of one thread times threads
    std::vector<Memory> lanes;
    std::vector<std::vector<BarrierState>> barriers;
    std::map<std::int64_t, NamedBarrier> named;
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::map<int, std::int64_t> multicasts;  // operation -> times issued
    int live = 0;  // threads that have not returned
    int arrived = 0;
    std::int64_t generation = 0;
    std::int64_t trueCount = 0, lastTrueCount = 0;
    int lastArrived = 0;
    std::vector<ir::RandomCounter> random;
};

}  // namespace tw::interp
