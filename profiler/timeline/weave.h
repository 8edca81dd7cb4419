// The steps of a block's roles as a trace that core/sim/replay.h gives times to. Private to profiler/timeline.
#pragma once

#include "core/sim/trace.h"
#include "profiler/timeline/work.h"

namespace tw::timeline {

struct Woven {
    sim::BlockTrace trace;
    bool isStuck = false;  // roles wait for each other for ever: the trace goes as far as they came
};

// `threads`: of the block.
[[nodiscard]] Woven weave(const std::vector<RoleWork>& roles, std::int64_t threads, const Machine& machine);

}  // namespace tw::timeline
