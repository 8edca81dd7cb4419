// What the warps of a block did, instruction after instruction, as far as it takes time: the input of replay.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/interp/observer.h"

namespace tw::sim {

enum class TraceKind : std::uint8_t {
    kArithmetic,    // `issue` instructions, `work` clocks of its scheduler's lanes for additions and products
    kNarrow,        // the same of those for comparisons, conversions and integers
    kSpecial,       // and `work` clocks of its scheduler's special function units
    kLong,          // the same with a branch behind it: what follows waits
    kShared,        // `work` passes over the banks; shuffles pass through them, too
    kLoad,          // of `bytes` through L2, `work` passes over the first-level cache
    kStore,
    kCopy,          // cp.async: a load that is waited for by groups
    kBulkLoad,      // `bytes` that arrive at phase `number` (-1: of another block's barrier)
    kBulkStore,
    kMma,           // `work` clocks of its quarter's tensor core
    kWgmma,         // the same, and `bytes` of shared memory that its quarter reads for it
    kCommit,        // closes a group of `engine`
    kWait,          // until at most `number` groups of `engine` are pending
    kArrive,        // at phase `number`
    kArriveCopies,  // when the warp's copies are done
    kAwait,         // phase `number`
    kFence,         // between the proxies
    kMark           // stage record of event `number`
};

struct TraceOp {
    TraceKind kind{};
    interp::Engine engine{};
    bool takesAdd = false;  // a product that an addition may be fused with
    std::int32_t number = 0;
    float issue = 1;        // warp instructions
    float work = 0, bytes = 0;
    std::array<std::uint32_t, 4> from{};  // operations of the same warp, from 1, whose results it needs; 0: none
};
// One completion of one barrier.
struct TracePhase {
    interp::Meeting::Kind kind{};
    int arrivals = 0;  // kArrive, kArriveCopies and kBulkLoad of it
};
struct BlockTrace {
    int launch = 0;  // number of the launch statement
    std::int64_t block = 0;
    std::vector<std::vector<TraceOp>> warps;
    std::vector<TracePhase> phases;
    bool isCut = false;  // it did more than was kept
};

}  // namespace tw::sim
