// How fast a target's hardware works: what the cost model and the roofline divide by. Sources stand in rates.def.
#pragma once

#include "core/target/target.h"

namespace tw::target {

struct Rates {
    double clockMHz = 0;            // of the multiprocessors
    double dramBytesPerSecond = 0;  // data sheet, of the whole GPU
    double dramShare = 1;           // of it that a long copy reaches
    double l2BytesPerClock = 0;     // of one multiprocessor
    std::int64_t l2Bytes = 0;
    double sharedBytesPerClock = 0;   // of one multiprocessor
    double fmaPerClock = 0;           // FP32 fused multiply-adds of one multiprocessor
    double specialPerClock = 0;       // exponentials, roots, … of one multiprocessor
    double schedulers = 0;            // warp instructions issued a clock by one multiprocessor
    double tensorF16 = 0, tensorTf32 = 0, tensorF8 = 0, tensorI8 = 0;  // operations a clock of one multiprocessor, 0: none
    double tensorShare = 1;           // of it that a long product sustains
    double mmaShare = 1;              // of it for mma.sync where the target has a wider instruction
    double dramNs = 0, l2Ns = 0;      // latency of one access on an idle GPU
};

// Null where the table has none: targets other than CUDA's.
[[nodiscard]] const Rates* ratesOf(const Target& target);

// Operations a clock of one multiprocessor's tensor cores for operands of so many bits (tf32 counts as 32). Types without a rate of their
// own take the 16-bit one; 0: no tensor cores.
[[nodiscard]] double tensorPerClock(const Rates& rates, int bits, bool isInteger);

}  // namespace tw::target
