// What the simulator found, as JSON: the form that it travels in.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/sim/sim.h"

namespace tw::protocol {

[[nodiscard]] nlohmann::json simulationJson(const sim::Report& report);
// Throws the library's exceptions on anything else; `decode` catches them.
[[nodiscard]] sim::Report toSimulation(const nlohmann::json& json);

}  // namespace tw::protocol
