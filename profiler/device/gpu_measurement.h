// What a profile measures on cuda:N, put into its capture.
#pragma once

#include <vector>

#include "profiler/device/session.h"

namespace tw::device {

// After the session's compile and inputs. Fills times, counters, samples, series, environment and what the launches turned out to be;
// `ceilings` with what this GPU itself reaches. False as steps of the session are. `head`: of the result, told when the device is lost.
[[nodiscard]] bool measureOnGpu(const protocol::ProfileRequest& request, Session& session, protocol::ResultHead& head, capture::Capture& capture,
                                std::vector<capture::Ceiling>& ceilings);

}  // namespace tw::device
