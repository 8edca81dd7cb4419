// Charges what was sampled to what was counted, and to the lines of texts that the sampler does not know.
#pragma once

#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace tw::profile_analysis {

// Names, bytes and flops of sampled operations from those counted in the program (by id); what no sample fell on is appended with its
// bytes and no time.
void completeOperations(const std::vector<capture::Operation>& counted, std::vector<capture::Operation>& sampled);

// Counts of instructions, in operations and lines where nothing was sampled, moved to the operations (by id) and lines that the model
// made; what it does not have is appended without time.
void takeCounts(const std::vector<capture::Operation>& counted, const std::vector<capture::LineCost>& lines, capture::Capture& capture);

// Counts of CUDA lines from those of SASS lines, by the rule of spreadToCuda.
void spreadCounts(capture::Capture& capture);

// The heat of the lines of another text of the same program, such as its PTX or its IR, whose line map is `lines`. Instructions and lines
// that came from one place of one tile operation share what was sampled there evenly; where no instruction was sampled, an operation's
// lines share its time. Entries of places without any are left out.
[[nodiscard]] std::vector<capture::LineCost> spreadCosts(const capture::Capture& capture, const std::string& text, const std::vector<gpu::LineSource>& lines);

// The heat of CUDA lines from that of SASS lines. Does nothing where the capture has CUDA costs already, or lacks either text.
void spreadToCuda(capture::Capture& capture);

}  // namespace tw::profile_analysis
