// When a traced block would have done what it did: warps on one multiprocessor, in clocks.
//
// The model:
//   - The block shares its multiprocessor with `resident - 1` others that do the same; all their warps take turns. Times are those of one
//     in the middle, from its own start.
//   - A scheduler issues one warp instruction a clock. A warp issues in order; an instruction begins when its operands are there, and
//     up to kWindow later ones pass it meanwhile: that stands for the compiler's ordering of independent instructions.
//   - Tensor cores and special function units (one of each a scheduler), shared memory with the first-level cache (one pass a clock), the
//     multiprocessor's share of L2 and of DRAM are units that work for one instruction at a time, whoever asks first.
//   - A load takes the latency of L2, or of DRAM for the share of its bytes that misses; cp.async and bulk copies are waited for where
//     the code waits. A bulk copy reads shared memory's other side: no passes over the banks.
//   - A barrier lets its threads go when the last one has arrived.
// What it leaves out: instructions that the compiler adds or removes beyond fused multiply-adds, instruction caches, the order in which
// blocks come and go, and what other multiprocessors ask of L2 at the same moment (they ask for the same).
#pragma once

#include "core/sim/trace.h"
#include "core/target/pipes.h"
#include "core/target/rates.h"

namespace tw::sim {

inline constexpr std::size_t kWindow = 48;

struct Hardware {
    target::Rates rates;
    target::Pipes pipes;
    int multiprocessors = 1;
    int resident = 1;       // blocks on one
    double missShare = 0;   // of bytes asked of L2 that come from DRAM, 0 … 1
};
struct Mark {
    int event = 0;
    double clock = 0;
};
struct ReplayedWarp {
    std::vector<Mark> marks;
    double end = 0;  // clock of its last instruction
};
struct Replayed {
    std::vector<ReplayedWarp> warps;  // of the block
    double clocks = 0;                // until its last warp is done
    double tensorShare = 0, sharedShare = 0, l2Share = 0, issueShare = 0;  // of the time that the units work, for all blocks together
    bool isStuck = false;             // warps wait for each other for ever: shown as far as they came
};

[[nodiscard]] Replayed replay(const BlockTrace& trace, const Hardware& hardware);

}  // namespace tw::sim
