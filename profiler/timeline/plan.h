// The timeline that the compiled kernel should have: modelled, for machines without a GPU, and to be shown above a measured one.
//
// The code with records is followed role by role, without values, and what its warps do is played back on core/sim's multiprocessor
// (replay.h is the model of time: latencies, issue, barriers, the units that roles and the blocks beside them share). Unlike simulated.h,
// which executes with values:
//   - What a step does is counted, not its instructions in order: arithmetic that does not depend on itself overlaps.
//   - Accesses are ideal: no bank conflicts, no half-used sectors.
//   - Conditions on values of memory are taken to hold, as work.h says.
// So it shows the pipeline as it was planned, at the pace that the hardware allows; what a recorded timeline has longer than that is
// worth a look: a late producer, conflicts, code that the compiler made worse.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/driver/record.h"
#include "core/sim/timeline.h"
#include "profiler/capture/capture.h"

namespace tw::timeline {

struct PlanOptions {
    std::map<std::string, std::int64_t> values;  // of symbolic extents and integer scalars, by name
    std::vector<std::int64_t> blocks;            // linear indices; empty: those that a GPU would record
    std::vector<sim::LaunchPlace> launches;      // by number; missing ones have a multiprocessor to themselves and L2 holds all
    std::size_t steps = 20000;                   // of a role, at most
};
struct Plan {
    capture::Timeline timeline;        // modelled; tracks and events as a recorded run has them, `sm` unknown
    std::vector<std::string> remarks;  // what the model had to assume
};

// `target`: whose code `recorded` is. Launches follow one another. Fails if no launch makes records, its grid cannot be known, or the
// latencies of the target are not ("not supported: …").
[[nodiscard]] tl::expected<Plan, std::string> plan(const driver::RecordedProgram& recorded, const target::Target& target, const PlanOptions& options);

}  // namespace tw::timeline
