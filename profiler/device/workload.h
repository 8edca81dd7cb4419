// A job made ready: compiled with every extent known.
#pragma once

#include <stop_token>
#include <string>

#include <tl/expected.hpp>

#include "codegen/driver/compile.h"
#include "profiler/device/arguments.h"
#include "profiler/protocol/messages.h"

namespace tw::device {

// Why a job cannot go on.
struct Refusal {
    protocol::Outcome outcome{};
    Diagnostic diagnostic;  // one error; empty message where the snapshot's diagnostics say it all
};

struct Workload {
    std::shared_ptr<const driver::CompileSnapshot> snapshot;
    ResolvedExtents extents;
    bool choseExtents = false;  // some extent, T.const ones included, is nobody's but ours
};

[[nodiscard]] driver::CompileRequest compileRequest(const protocol::Job& job, unsigned stages);

// Parameters of the kernel that nobody gave: what --param must say. Empty if the snapshot lacks none.
[[nodiscard]] std::vector<std::string> missingParameters(const driver::CompileSnapshot& snapshot);

// What became of the T.const extents that nobody gave.
enum class ExtentChoice {
    kNone,        // there are none, or parameters lack as well
    kChosen,
    kNothingFits  // of all that was tried; the snapshot's only error, a Code::kUsage, asks for --dim
};

// Compiles with `chosen`, or another round value, for T.const extents that nobody gave. An error that stays at its place
// whatever is chosen is the program's own, unless an assert or an exception of the file's own code says it.
[[nodiscard]] std::shared_ptr<const driver::CompileSnapshot> compileWithExtents(driver::CompileRequest request, std::int64_t chosen,
                                                                                ExtentChoice& choice, std::stop_token stop);

// The same, and values for the symbolic extents. The snapshot is there (with its diagnostics) even on refusal.
[[nodiscard]] tl::expected<void, Refusal> prepareWorkload(const driver::CompileRequest& request, const GivenInputs& inputs,
                                                          std::int64_t chosen, Workload& workload, std::stop_token stop);

// The exit code that a snapshot's errors deserve.
[[nodiscard]] protocol::Outcome outcomeOf(const driver::CompileSnapshot& snapshot);

}  // namespace tw::device
