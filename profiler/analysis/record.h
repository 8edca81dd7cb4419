// Puts what is known of a program into a capture: the program itself, its counted work, the model, the simulation.
#pragma once

#include "codegen/driver/compile.h"
#include "core/sim/sim.h"
#include "profiler/analysis/facts.h"
#include "profiler/analysis/model.h"
#include "profiler/capture/capture.h"

namespace tw::profile_analysis {

// Files, kernel, instance, target, parameters, extents, launches (grids need `work`), code and schedule.
void recordProgram(const driver::CompileSnapshot& snapshot, const Work& work, const CompiledFacts& facts, const Values& values,
                   capture::Capture& capture);

// The call's operations and least bytes: metrics of the whole call.
void recordWork(const Work& work, capture::Capture& capture);

// Times, shares of peak, occupancy, operations, lines; and bytes a level, unless a simulation `counted` them. Metrics are appended
// behind those that are there, so that a measured one of the same name stays the first.
void recordModel(const Work& work, const Model& model, bool counted, capture::Capture& capture);

// Which buffers of its pipeline a span of the timelines works with: the iteration modulo the depth of the pipeline that its tile operation
// belongs to. Spans outside of pipelines keep -1.
void recordStages(const Work& work, const std::vector<LaunchFacts>& facts, capture::Capture& capture);

// What the simulator counted, as metrics of the whole call.
void recordSimulation(const sim::Report& report, capture::Capture& capture);

// The work with the memory traffic that the simulator counted instead of the least: whole sectors, and a shared-memory wavefront for
// each pass over the banks. The model then sees conflicts and uncoalesced access.
[[nodiscard]] Work withSimulatedTraffic(Work work, const sim::Report& report);

// Line of a place, from 1; 0 where it is unknown.
[[nodiscard]] int lineOf(const std::vector<capture::SourceFile>& files, const SourceRange& where);

}  // namespace tw::profile_analysis
