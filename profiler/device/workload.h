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

// Compiles `job` for the given inputs with `chosen` for extents that nobody gave. The snapshot is there (with its
// diagnostics) even on refusal.
[[nodiscard]] tl::expected<void, Refusal> prepareWorkload(const protocol::Job& job, const GivenInputs& inputs, std::int64_t chosen,
                                                          unsigned stages, Workload& workload, std::stop_token stop);

// The exit code that a snapshot's errors deserve.
[[nodiscard]] protocol::Outcome outcomeOf(const driver::CompileSnapshot& snapshot);

[[nodiscard]] driver::CompileRequest compileRequest(const protocol::Job& job, unsigned stages);

}  // namespace tw::device
