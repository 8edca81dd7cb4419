// How many blocks one multiprocessor of a GPU holds at a time, and what keeps it from holding more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/target/target.h"

namespace tw::target {

struct BlockNeeds {
    std::int64_t threads = 0;      // of a block
    int registers = 0;             // of a thread; 0: not known, limits nothing
    std::int64_t sharedBytes = 0;  // of a block, static and dynamic
    bool operator==(const BlockNeeds&) const = default;
};

struct BlockLimit {
    std::string resource;     // "threads", "blocks", "registers", "shared memory"
    std::int64_t blocks = 0;  // that this resource alone would allow
    bool operator==(const BlockLimit&) const = default;
};

struct Occupancy {
    int blocks = 0;                  // 0: the block does not fit at all
    double fraction = 0;             // of the warps that the multiprocessor could hold
    std::string limiter;             // the resource of the least limit
    std::vector<BlockLimit> limits;  // all four, where they limit anything
};

// For CUDA targets. A block that is larger than a launch may ask for (1024 threads, 255 registers, the shared memory of a block) does
// not fit.
[[nodiscard]] Occupancy occupancyOf(const Target& target, const BlockNeeds& needs);

}  // namespace tw::target
