// When the warps of a block reach their stage records, on a modelled multiprocessor: a simulated timeline.
//
// The blocks are executed with their values, in step, and what they do is written down; then replay.h, whose header is the whole model of
// time, says when. Numbers: core/target/rates.def and pipes.def. Without records (passes::recordStages) only durations come out.
#pragma once

#include <functional>
#include <stop_token>

#include "core/interp/tensor.h"
#include "core/ir/stmt.h"
#include "core/sim/replay.h"
#include "core/support/diagnostic.h"

namespace tw::sim {

// Of one launch, by its number in the function.
struct LaunchPlace {
    int resident = 1;      // blocks that share a multiprocessor, 1 …
    double missShare = 0;  // of bytes asked of L2 that come from DRAM, 0 … 1
};
struct TimelineOptions {
    std::vector<std::int64_t> blocks;  // linear numbers; empty: block 0 of each launch
    std::vector<LaunchPlace> launches; // missing ones as above
    std::size_t mostOperations = 4'000'000;  // of one block: about 60 bytes each
    std::function<void(double fraction)> progress;  // from the running thread, at most every 50 ms
};
struct BlockTimeline {
    int launch = 0;
    std::int64_t block = 0;
    Replayed times;
};
struct TimelineResult {
    bool ok = false;  // false: see the diagnostics
    bool cancelled = false;
    double clockMHz = 0;  // of the clocks in `blocks`; while products run it is lower
    std::vector<BlockTimeline> blocks;
    std::vector<std::string> remarks;  // what the model had to assume
};

// `threadStage`: for a CUDA target that has rates. Only the chosen blocks run: what they read that others would have written is as
// `arguments` have it. `arguments` are written. Any thread; one call uses one thread.
[[nodiscard]] TimelineResult simulateTimeline(const ir::Function& threadStage, interp::Arguments& arguments, const target::Target& target,
                                              const TimelineOptions& options, DiagnosticSink& diagnostics, std::stop_token stop = {});

}  // namespace tw::sim
