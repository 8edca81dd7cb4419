// What the accesses of thread-stage code cost a warp, as far as their addresses tell without running anything.
//
// Every access is tried out for each warp of the first block, in the first iteration of the loops around it: 32 banks of 4 bytes for
// shared memory (core/layout/access.h), sectors of 32 bytes for global memory (CUDA C++ Best Practices Guide, "Coalesced Access to Global
// Memory"). Exact for that warp; the simulator (core/sim) counts whole runs.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/layout/access.h"

namespace tw::analysis {

struct WarpAccess {
    ir::Provenance where;
    std::string buffer;
    std::string instruction;           // "load", "store", "cp.async", "ldmatrix", "stmatrix"
    bool shared = false, writes = false;
    std::int64_t bytes = 0;            // of one lane
    layout::BankUse banks;             // shared memory: of the worst warp
    std::int64_t sectors = 0, idealSectors = 0;  // global memory: of the worst warp
    int count = 1;                     // accesses of this kind at this place, all alike or better
    std::string unknown;               // why nothing could be counted; empty otherwise

    [[nodiscard]] bool isGood() const { return unknown.empty() && (shared ? banks.passes <= banks.best : sectors <= idealSectors); }
};

// Of all launches, in program order. Accesses of one place that differ in nothing but the iteration are one.
[[nodiscard]] std::vector<WarpAccess> warpAccesses(const ir::Function& function);

}  // namespace tw::analysis
