// From numbers to an explanation: the model beside what was measured or simulated, roofline, findings.
#pragma once

#include <functional>

#include "profiler/analysis/findings.h"
#include "profiler/analysis/record.h"

namespace tw::profile_analysis {

struct Subject {
    const driver::CompileSnapshot& snapshot;  // with passes and program, and resources where they are known
    const CompiledFacts& facts;
    const Work& work;
    const Values& values;
    const sim::Report* simulated = nullptr;  // null: nothing ran on the simulator
    std::vector<capture::Ceiling> ceilings{};  // measured on the device, in place of the target's
    // Compiles the opened file with another text, everything else as it was: passes and program. May be absent: no edits then.
    std::function<std::shared_ptr<const driver::CompileSnapshot>(std::string text)> recompile{};
};

// Fills metrics, operations, lines, roofline and findings; what is there already, because it was measured, stays in front or as it is.
// For a target that the model does not know only the call's counted work is filled, and `absences` says so.
void explain(const Subject& subject, capture::Capture& capture);

}  // namespace tw::profile_analysis
