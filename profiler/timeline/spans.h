// From the moments at which a role reached its records to a track of spans.
#pragma once

#include <vector>

#include "codegen/gpu_c/stage_records.h"
#include "profiler/capture/capture.h"

namespace tw::timeline {

struct Moment {
    int event = 0;  // as in a record: index into the table's events + 1; 0: the end
    double ns = 0;
};

// Adds the track of role `role` (index into the table) of a block, and its spans; stages that took no time are left out. `endNs`: when
// the role was done.
void addTrack(capture::Timeline& timeline, const gpu::StageRecords& table, std::size_t role, std::int64_t block, const std::vector<Moment>& moments, double endNs);

}  // namespace tw::timeline
