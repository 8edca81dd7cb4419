// The timeline of a kernel as the simulator runs chosen blocks of it.
#pragma once

#include "profiler/device/session.h"

namespace tw::device {

// Adds a simulated timeline of `blocks` (empty: the first of each launch) to `capture`; what is missing or was assumed is said in
// `capture.absences` under "timeline". The session has compiled the kernel; without inputs there is
// no timeline.
void addSimulatedTimeline(const Session& session, const std::vector<std::int64_t>& blocks, capture::Capture& capture);

}  // namespace tw::device
