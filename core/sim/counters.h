// What accesses cost, as a GPU serves them: 32 banks of 4 bytes, 32-byte sectors.
//
// A warp's request to shared memory is served 32, 16 or 8 lanes at a time for accesses of up to 4, 8 or 16 bytes; each group takes as
// many passes as the most distinct words that it wants of one bank. (CUDA C++ Programming Guide, "Shared Memory".)
#pragma once

#include <map>
#include <span>
#include <unordered_map>

#include "core/interp/observer.h"
#include "core/sim/sim.h"

namespace tw::sim {

// Passes for one group of lanes that is served at once: first bytes of accesses of `width`.
[[nodiscard]] int passesOf(std::span<const std::int64_t> at, int width);
// Distinct 32-byte sectors.
[[nodiscard]] std::int64_t sectorsOf(std::span<const std::int64_t> at, int width);

class Counters {
public:
    void launchBegins(const interp::LaunchShape& shape);
    // The width of the whole access where this touch completes one (the last step of a vectorized loop), and its first bytes;
    // 0 if it is not complete yet.
    struct Whole {
        int width = 0;
        std::span<const std::int64_t> at;
    };
    Whole add(const interp::Touch& touch);
    void branches(const interp::Act& act, const std::vector<std::uint8_t>& taken);
    void report(Report& out) const;

private:
    void count(const interp::Touch& touch, int width, std::span<const std::int64_t> at);
    void countUnique(const interp::Touch& touch, int width, std::span<const std::int64_t> at);

    std::map<std::pair<int, int>, SiteCost> sites_;  // (site, shared and writes)
    std::map<int, BranchCost> branches_;
    std::unordered_map<int, std::vector<std::int64_t>> firstSteps_;  // of open vectorized loops, by site
    std::vector<std::int64_t> whole_;
    std::vector<std::vector<std::uint8_t>> seen_;  // of each global storage: sectors that were read (1) and written (2)
    Traffic traffic_;
};

}  // namespace tw::sim
