// The timeline of a kernel as the simulator runs it: simulated, for machines without a GPU.
//
// Unlike the plan (plan.h), which follows the schedule alone, the simulator executes the blocks with their values and charges every
// instruction, barrier, bank conflict and sector that the code has, for as many blocks as share a multiprocessor. The model of time stands
// in core/sim/replay.h.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/driver/record.h"
#include "core/sim/timeline.h"
#include "profiler/capture/capture.h"

namespace tw::timeline {

struct Simulated {
    capture::Timeline timeline;        // simulated; tracks and events as a recorded run has them, `sm` unknown
    std::vector<std::string> remarks;  // what the model had to assume
};

// `target`: whose code `recorded` is. Launches follow one another. Fails if the code cannot be run, no launch makes records, or it was
// stopped. Any thread.
[[nodiscard]] tl::expected<Simulated, std::string> simulate(const driver::RecordedProgram& recorded, const target::Target& target, interp::Arguments& arguments,
                                                            const sim::TimelineOptions& options, std::stop_token stop = {});

}  // namespace tw::timeline
