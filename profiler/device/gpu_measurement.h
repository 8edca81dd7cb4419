// What a profile measures on cuda:N, put into its capture.
#pragma once

#include <vector>

#include "core/ir/dtype.h"
#include "profiler/device/session.h"

namespace tw::device {

struct GpuExtras {
    std::vector<ir::DType> products;          // in: types of the program's products, whose rate is measured
    std::vector<capture::Ceiling> ceilings;   // out: what this GPU itself reaches
    bool deviceIsLost = false;                // out: nothing more can run there
};

// After the session's compile and inputs. Fills times, counters, samples, counts of instructions, series, environment and what the
// launches turned out to be. False as steps of the session are. `head`: of the result, told when the runner ends after it.
[[nodiscard]] bool measureOnGpu(const protocol::ProfileRequest& request, Session& session, protocol::ResultHead& head, capture::Capture& capture,
                                GpuExtras& extras);

}  // namespace tw::device
