// What the compiler decided that the model needs: shared memory, registers, pipelines, instructions.
#pragma once

#include <string>
#include <vector>

#include "codegen/driver/compile.h"
#include "profiler/analysis/model.h"

namespace tw::profile_analysis {

struct CompiledFacts {
    std::vector<LaunchFacts> launches;  // in the order of the tile stage's launches
    std::string schedule;               // of every pipelined loop that the compiler overlaps, as core/schedule prints it
};

// `snapshot` holds a tile stage and, for a CUDA target, the passes and the program; registers are known where `resources` are.
[[nodiscard]] CompiledFacts factsOf(const driver::CompileSnapshot& snapshot);

}  // namespace tw::profile_analysis
