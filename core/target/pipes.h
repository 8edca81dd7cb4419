// Latencies and throughputs inside one multiprocessor, beside those of rates.h: what the simulator's timelines and the cost model
// charge. Sources stand in pipes.def.
#pragma once

#include "core/target/target.h"

namespace tw::target {

// Clocks, where nothing else is said.
struct Pipes {
    double arithmetic = 4;    // from an arithmetic instruction to one that uses its result
    double special = 18;      // the same of a special function
    double shared = 29;       // of a load from shared memory, matrix loads included
    double mma = 33;          // of mma.sync
    double wgmma = 0;         // from the last step of a group of wgmma to the next group at work, with a wait between them
    double blockBarrier = 24; // from the last arrival to the threads going on
    double transactionBarrier = 0;  // the same of an mbarrier, and of looking at one that is ready
    double proxyFence = 0;
    double bulk = 0;          // what a bulk copy takes longer than an ordinary load
    double l2Bytes = 0;       // a clock, of the whole GPU
    double copyInstructions = 5;  // of a warp, around one access to global memory: addresses, counters
    double bulkInstructions = 0;  // clocks of the thread that starts a bulk copy
    double narrow = 64;           // comparisons, conversions, integers a clock, of one multiprocessor
    double longSpecial = 60;      // from the start of a division to what follows it: it branches to its rare cases
    double descriptor = 0;        // instructions of a warp around one wgmma: its descriptors
    double storeBytes = 64;       // that one multiprocessor writes a clock, in sectors
    double productMHz = 1000;     // the clock while products run: power keeps it below the boost clock of rates.h
};

// Null where the table has none: targets other than CUDA's.
[[nodiscard]] const Pipes* pipesOf(const Target& target);

}  // namespace tw::target
