// CUDA C++ Programming Guide, "Hardware Multithreading" and the occupancy calculator: registers are given to warps in units of 256,
// a block of sm_80 and later reserves 1024 bytes of shared memory for itself.
#include "core/target/occupancy.h"

#include <algorithm>

namespace tw::target {

namespace {

constexpr int kMostRegisters = 255;
constexpr std::int64_t kRegisterUnit = 256;
constexpr std::int64_t kRegisterFiles = 4;  // of a multiprocessor, each for its own warps

std::int64_t roundUp(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

std::int64_t maxBlocks(const Target& t)
{
    switch (t.compute) {
    case 75: case 86: return 16;
    case 89: return 24;
    default: return 32;
    }
}

std::int64_t byRegisters(const Target& t, int registers, std::int64_t warps)
{
    if (registers > kMostRegisters)
        return 0;
    const std::int64_t aWarp = roundUp(std::int64_t{registers} * t.warpSize, kRegisterUnit);
    return t.registersPerMultiprocessor / kRegisterFiles / aWarp * kRegisterFiles / warps;
}

std::int64_t bySharedMemory(const Target& t, std::int64_t bytes)
{
    if (bytes > t.sharedBytesPerBlock)
        return 0;
    const bool reserves = t.compute >= 80;
    return t.sharedBytesPerMultiprocessor / roundUp(bytes + (reserves ? 1024 : 0), reserves ? 128 : 256);
}

}  // namespace

Occupancy occupancyOf(const Target& target, const BlockNeeds& needs)
{
    const std::int64_t warps = std::max<std::int64_t>(1, roundUp(needs.threads, target.warpSize) / target.warpSize);
    const std::int64_t allWarps = target.maxThreadsPerMultiprocessor / target.warpSize;
    Occupancy o;
    o.limits.push_back({"threads", needs.threads > target.maxThreadsPerBlock ? 0 : allWarps / warps});
    o.limits.push_back({"blocks", maxBlocks(target)});
    if (needs.registers > 0)
        o.limits.push_back({"registers", byRegisters(target, needs.registers, warps)});
    if (needs.sharedBytes > 0)
        o.limits.push_back({"shared memory", bySharedMemory(target, needs.sharedBytes)});
    const auto least = std::ranges::min_element(o.limits, {}, &BlockLimit::blocks);
    o.blocks = static_cast<int>(least->blocks);
    o.limiter = least->resource;
    o.fraction = static_cast<double>(o.blocks * warps) / static_cast<double>(allWarps);
    return o;
}

}  // namespace tw::target
