// Charges what was sampled to what was counted, and to the lines of texts that the sampler does not know.
#pragma once

#include <vector>

#include "profiler/capture/capture.h"

namespace tw::profile_analysis {

// Names, bytes and flops of sampled operations from those counted in the program (by id); what no sample fell on is appended with its
// bytes and no time.
void completeOperations(const std::vector<capture::Operation>& counted, std::vector<capture::Operation>& sampled);

// The heat of CUDA lines from that of SASS lines: instructions and CUDA text that came from one place of one tile operation share it
// evenly. Does nothing where the capture has CUDA costs already, or lacks either text.
void spreadToCuda(capture::Capture& capture);

}  // namespace tw::profile_analysis
