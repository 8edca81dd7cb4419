// CUDA C++ Programming Guide, "Hardware Multithreading" and the occupancy calculator: registers are given to warps in units of 256,
// a block of sm_80 and later reserves 1024 bytes of shared memory for itself.
#include <algorithm>

#include "codegen/nvrtc/nvrtc.h"

namespace tw::nvrtc {

namespace {

std::int64_t roundUp(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

std::int64_t maxBlocks(const target::Target& t)
{
    switch (t.compute) {
    case 75: case 86: return 16;
    case 89: return 24;
    default: return 32;
    }
}

}  // namespace

Occupancy occupancyOf(const target::Target& target, std::int64_t threads, int registers, std::int64_t sharedBytes)
{
    const std::int64_t warps = std::max<std::int64_t>(1, roundUp(threads, target.warpSize) / target.warpSize);
    const std::int64_t allWarps = target.maxThreadsPerMultiprocessor / target.warpSize;
    const std::int64_t registersPerWarp = roundUp(std::int64_t{std::max(registers, 1)} * target.warpSize, 256);
    // A multiprocessor has four register files, each for its own warps.
    const std::int64_t warpsByRegisters = target.registersPerMultiprocessor / 4 / registersPerWarp * 4;
    const std::int64_t shared = roundUp(sharedBytes + (target.compute >= 80 ? 1024 : 0), target.compute >= 80 ? 128 : 256);
    struct Limit {
        const char* name;
        std::int64_t blocks;
    };
    const Limit limits[] = {{"threads", allWarps / warps},
                            {"blocks", maxBlocks(target)},
                            {"registers", warpsByRegisters / warps},
                            {"shared memory", sharedBytes > 0 ? target.sharedBytesPerMultiprocessor / shared : INT64_MAX}};
    const Limit* least = std::min_element(std::begin(limits), std::end(limits), [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
    Occupancy o;
    o.blocks = static_cast<int>(least->blocks);
    o.limiter = least->name;
    o.fraction = static_cast<double>(o.blocks * warps) / static_cast<double>(allWarps);
    return o;
}

}  // namespace tw::nvrtc
