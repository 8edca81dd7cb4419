// The timeline that the compiled kernel should have: modelled, for machines without a GPU, and to be shown above a measured one.
//
// The code with records is followed role by role, without values; a model of one multiprocessor gives it times. The model, all of
// it (numbers: rates.h):
//   - Work takes the longest of its tensor, float and shared-memory cycles; products of several roles take turns.
//   - Global memory is one queue a multiprocessor: so many bytes a cycle, and a latency behind it. Loads to registers are waited
//     for, stores are not; asynchronous copies are waited for where the code waits.
//   - Barriers cost nothing but the waiting. Issuing instructions, bank conflicts and other blocks on the multiprocessor cost
//     nothing either.
// So prologue, steady state and epilogue of a schedule are where it puts them; absolute times are a lower bound. simulated.h charges what
// this leaves out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/driver/record.h"
#include "profiler/capture/capture.h"
#include "profiler/timeline/work.h"

namespace tw::timeline {

struct PlanOptions {
    std::map<std::string, std::int64_t> values;  // of symbolic extents and integer scalars, by name
    std::vector<std::int64_t> blocks;            // linear indices; empty: those that a GPU would record
    std::size_t steps = 20000;                   // of a role, at most
};
struct Plan {
    capture::Timeline timeline;        // modelled; tracks and events as a recorded run has them, `sm` unknown
    std::vector<std::string> remarks;  // what the model had to assume
};

// `target`: whose code `recorded` is. Launches follow one another. Fails if no launch makes records, or its grid cannot be known.
[[nodiscard]] tl::expected<Plan, std::string> plan(const driver::RecordedProgram& recorded, const target::Target& target, const PlanOptions& options);

}  // namespace tw::timeline
