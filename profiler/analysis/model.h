// How long a program should take on a target, computed from what it does and what the hardware can do. Modelled, never measured.
//
// The model, for each launch:
//   1. occupancyOf says how many blocks r a multiprocessor holds (registers count where they are known); the grid runs in waves.
//   2. A tile operation keeps units of the multiprocessor busy: the tensor cores at the rate of the instruction that the compiler chose (or
//      FP32 lanes), special functions, the schedulers with its warp instructions, shared memory with its passes (of a product: as often as its
//      instructions read the tile; of cp.async: once through the cache and once into shared memory), L2. Alone, its block takes the longest
//      of these, or longer where a few warps cannot issue every clock; products wait for their results (wgmma: once; mma.sync: every step),
//      reductions for a meeting. Accumulators that do not fit into registers go through L2.
//   3. One block alone: its operations one after the other. In a pipelined loop of depth d an iteration takes the longest of its
//      computation (with the meeting of its threads, fences and the issue of its copies), the transfer of its loads, and latency / (d - 1);
//      at depth 1 their sum. Other reads from global memory pay the latency: a tile once, a loop of loads once for what is in flight.
//   4. r blocks overlap, not quite: a wave takes the fourth root of the sum of the fourth powers of one block alone and r times the busiest
//      unit's time of a block. A block's begin and end keep its multiprocessor for 150 clocks.
//   5. DRAM moves what the blocks of a wave read, once a wave where the launch's data does not fit into half of L2 and once in all
//      otherwise. The launch takes the longer of DRAM's time and the waves', and of the shorter one what r blocks times the deepest pipeline
//      leave exposed; and a start of 2 µs. While products run, power lowers the clock.
// What it leaves out: bank conflicts and uncoalesced access (the simulator counts them), divergence, spills but those of accumulators, values
// that several lanes share, work that blocks share out unevenly, and code of other instructions than these. Against 44 kernels on an H200
// (tests/data/model_h200.jsonl) it is within a factor of 1.5 for 38, and ranks them with a correlation of 0.96. It is meant to rank
// schedules and to say what limits them, not to replace a measurement.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/target/occupancy.h"
#include "core/target/rates.h"
#include "profiler/analysis/work.h"

namespace tw::profile_analysis {

inline constexpr double kStartUs = 2;  // of any launch
// The last paragraph above, for whom it concerns.
inline constexpr const char* kModelLeavesOut = "modelled times leave out bank conflicts and uncoalesced access (--device sim counts them), divergence, spills, "
                                               "and work that blocks share out unevenly; 38 of 44 kernels are within a factor of 1.5 of what an H200 took";

enum class ProductUnit : std::uint8_t { kFma, kMma, kWgmma };

// What the compiler made of one launch.
struct LaunchFacts {
    std::string entry;
    std::int64_t sharedBytes = 0;  // of a block, static and dynamic
    int registers = 0;             // of a thread; 0: not known
    std::vector<int> depths;       // of the pipeline of each of LaunchWork::loops; 1: loads do not run ahead
    std::map<std::uint32_t, ProductUnit> products;  // by tile operation
    std::set<std::uint32_t> wordLoads;  // products some of whose fragments come word by word instead of by ldmatrix
};

struct OperationModel {
    double us = 0;     // its share of the launch's time
    double share = 0;  // of the launch, 0 … 1; shares of a launch add up to 1
    std::string unit;  // its slowest: "tensor", "special functions", "FP32", "issue", "shared memory", "L2", "latency"
};
struct LoopModel {
    double trips = 0;                                   // of a block
    double computeNs = 0, transferNs = 0, latencyNs = 0;  // of an iteration of one block alone
    double meetingNs = 0;                               // of computeNs: the threads' meetings
    int depth = 1;
    // Iterations in flight hide the loads' latency; blocks beside each other may, too.
    [[nodiscard]] bool hidesLatency() const { return depth > 1 && latencyNs <= computeNs * (depth - 1); }
};
struct LaunchModel {
    double us = 0;
    std::string bound;   // what limits it: a unit as above, "block starts", "DRAM", or "latency"
    target::Occupancy occupancy;
    double waves = 0;     // blocks over what the GPU holds at once
    double tailShare = 0; // of block slots that the last wave leaves empty, 0 … 1
    double tensorPct = 0, dramPct = 0, l2Pct = 0, issuePct = 0;  // of each unit's peak, averaged over the launch
    Bytes dram, l2, shared;
    std::vector<OperationModel> operations;  // as LaunchWork::operations
    std::vector<LoopModel> loops;            // as LaunchWork::loops
};
struct Model {
    std::vector<LaunchModel> launches;
    [[nodiscard]] double us() const;
};

// The tensor cores' rate for products of this type, in operations a second of the whole GPU, sustained; 0: none.
[[nodiscard]] double tensorPerSecond(const target::Target& target, const target::Rates& rates, ir::DType type);

// `facts`: one a launch of `work`. Empty for a target without rates.
[[nodiscard]] std::optional<Model> modelOf(const Work& work, const std::vector<LaunchFacts>& facts, const target::Target& target);

}  // namespace tw::profile_analysis
