// What a run on --device sim counted and found, as JSON and as a short table. Numbers are simulated.
#pragma once

#include <string>

#include "app/cli/report.h"
#include "core/sim/sim.h"

namespace tw::cli {

// The field "simulation" of `run`. `target`: what was played. Lines are of `report`'s sources; 0: no known place.
[[nodiscard]] Json simulationJson(const sim::Report& simulation, const std::string& target, const Report& report);

// Bytes by level, and the accesses that cost most; those that cost more than they need come first.
[[nodiscard]] std::string simulationText(const sim::Report& simulation, const std::string& target, const Report& report);

}  // namespace tw::cli
