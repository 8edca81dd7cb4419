// What `profile` measures on a GPU: times, counters, stalls, counters over time, and what the machine did meanwhile.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/interp/tensor.h"
#include "core/support/diagnostic.h"
#include "profiler/capture/capture.h"
#include "profiler/cupti/library.h"
#include "profiler/device/cuda_kernels.h"

namespace tw::device {

struct CudaProfileOptions {
    std::vector<std::string> metrics;  // names of sets ("headline", "memory", "compute", "stalls") or of metrics; empty: headline
    bool stalls = false;               // sample program counters
    bool overTime = false;             // sample counters over time
    bool coldL2 = true;                // flush the L2 cache before each sample
    int repeat = 10;                   // samples, ≥ 1
    bool instructions = false;         // count what each instruction of the longest launch does
};

// The parts of a capture that come from the device. Each part but the times may be missing: `absences` then says why and what
// would help, under "counters", "stalls", "series", "instruction counts" (one of them: "instruction counts, NAME"), "clocks", "sass"
// or the name of a metric.
struct CudaProfile {
    std::vector<double> samplesUs;              // of the whole call, by events on the device
    std::vector<capture::Launch> launches;      // one a launch of the program; without a grid: not made, for its condition did not hold
    std::vector<capture::Metric> metrics;       // of each launch; `duration_us` of the whole call (launch -1) by events
    // From samples of program counters, largest share first: id, where, line, samples, timeShare, stalls; and from counts of
    // instructions: counts. Who has the IR names them.
    std::vector<capture::Operation> operations;
    std::vector<capture::LineCost> lines;       // likewise, of "source" (the opened file) and "sass"
    std::vector<capture::Series> series;
    capture::Environment environment;           // but for `device` and `host`
    driver::TargetCode sass;                    // what ran, disassembled; empty without a disassembler
    std::map<std::string, std::string> absences;
    bool deviceIsLost = false;                  // as in RunReport
    bool isSpent = false;                       // this process cannot count instructions again
};

// Compiles, loads, runs `repeat` times and measures. `ordinal`: N of cuda:N. `snapshot`: compiled for that GPU, with the stages
// that its Device asks for. `arguments`: left as one run leaves them. `client`: for CUDA text where this machine has no NVRTC;
// may be empty. `progress`: 0 … 1, from this thread; may be empty. Empty with a diagnostic where the kernel does not run, and
// without one when stopped; where the device was lost on the way, a result with nothing but `deviceIsLost`. Counters that cannot be
// read are absences of a result.
[[nodiscard]] std::optional<CudaProfile> profileOnCuda(int ordinal, const driver::CompileSnapshot& snapshot, interp::Arguments& arguments,
                                                       const CudaProfileOptions& options, const protocol::CudaCompiler& client,
                                                       DiagnosticSink& diagnostics, const std::function<void(double)>& progress,
                                                       std::stop_token stop);

// The same for kernels that are loaded, with CUPTI from elsewhere: a library played by a test.
using OpenCupti = std::function<cupti::Result<std::shared_ptr<const cupti::Library>>()>;
[[nodiscard]] std::optional<CudaProfile> profileKernels(const CudaKernels& kernels, const target::Target& target, const SourceSet& sources,
                                                        interp::Arguments& arguments, const CudaProfileOptions& options,
                                                        const OpenCupti& openCupti, DiagnosticSink& diagnostics,
                                                        const std::function<void(double)>& progress, std::stop_token stop);

}  // namespace tw::device
