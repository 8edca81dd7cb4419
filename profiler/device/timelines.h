// The timelines of a profile: what the schedule should give, and what the kernel recorded.
#pragma once

#include "profiler/device/session.h"

namespace tw::device {

// Adds a modelled timeline of a kernel for a GPU, and where `request` wants it a measured one (its device is a GPU) or a simulated one
// (`sim`); both show the same blocks. What is missing is said in `capture.absences` under "plan" and "timeline"; the device's loss in `head`.
void addTimelines(const protocol::ProfileRequest& request, const Session& session, capture::Capture& capture, protocol::ResultHead& head);

}  // namespace tw::device
