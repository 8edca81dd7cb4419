// The timeline of a kernel as the simulator runs chosen blocks of it.
#pragma once

#include "core/sim/timeline.h"
#include "profiler/device/session.h"

namespace tw::device {

// How many blocks share a multiprocessor, and what L2 does not hold, of each launch: as the model has them, with the registers of `capture`
// where it knows them. Empty without a model.
[[nodiscard]] std::vector<sim::LaunchPlace> placesOf(const Session& session, const capture::Capture& capture);

// Adds a simulated timeline of `blocks` (empty: the first of each launch) to `capture`; what is missing or was assumed is said in
// `capture.absences` under "timeline". The session has compiled the kernel; without inputs there is
// no timeline.
void addSimulatedTimeline(const Session& session, const std::vector<std::int64_t>& blocks, capture::Capture& capture);

}  // namespace tw::device
