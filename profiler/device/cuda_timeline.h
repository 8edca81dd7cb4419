// The stages of a kernel on a GPU, as the kernel itself records them.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/interp/tensor.h"
#include "core/support/diagnostic.h"
#include "profiler/protocol/messages.h"
#include "profiler/timeline/records.h"

namespace tw::device {

struct CudaTimelineOptions {
    std::vector<std::int64_t> blocks;  // linear indices of the blocks that record; empty: a few, spread over the grid
    int repeat = 10;                   // samples of the kernel's duration without records and with them, ≥ 1, taken by turns
    bool coldL2 = true;                // flush the L2 cache before each sample and before the recorded run
};
struct CudaTimeline {
    capture::Timeline timeline;                    // measured, with the cost of recording
    std::vector<timeline::LaunchRecords> records;  // what it was decoded from
    std::vector<std::string> remarks;              // as timeline::Decoded
    bool deviceIsLost = false;                     // as in RunReport
};

// Compiles the kernel of `snapshot` a second time with records, and runs both. `ordinal`: N of cuda:N. `snapshot`: compiled for
// that GPU, with the stages that its Device asks for. `arguments`: left as a run with records leaves them. `client`: for CUDA
// text where this machine has no NVRTC; may be empty. `progress`: 0 … 1, from this thread; may be empty. Empty with a diagnostic
// where the kernel does not run or leaves no records, and without one when stopped.
[[nodiscard]] std::optional<CudaTimeline> timelineOnCuda(int ordinal, const driver::CompileSnapshot& snapshot, interp::Arguments& arguments,
                                                         const CudaTimelineOptions& options, const protocol::CudaCompiler& client,
                                                         DiagnosticSink& diagnostics, const std::function<void(double)>& progress,
                                                         std::stop_token stop);

}  // namespace tw::device
