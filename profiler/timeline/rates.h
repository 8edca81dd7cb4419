// What one multiprocessor does in a cycle, for modelled timelines.
#pragma once

#include "core/ir/dtype.h"
#include "core/target/rates.h"

namespace tw::timeline {

// A block alone on its multiprocessor, in a GPU whose other multiprocessors do the same: its tiles come from L2.
struct Rates {
    double clockMHz = 1000;
    double globalBytes = 64;     // a cycle
    double globalLatency = 400;  // cycles from asking for memory to having it
    double sharedBytes = 128;    // a cycle
    double lanes = 64;           // simple float operations a cycle
    double special = 16;         // exponentials and the like a cycle
    target::Rates hardware;

    // Operations a cycle of products of this type; `isWarps`: by mma.sync rather than by the target's own instruction. Types without
    // tensor cores of their own take half the next narrower rate, and the lanes where there are none.
    [[nodiscard]] double flopsOf(ir::DType type, bool isWarps) const;
};

// Of a CUDA target, from core/target/rates.h.
[[nodiscard]] Rates cycleRates(const target::Target& target);

}  // namespace tw::timeline
