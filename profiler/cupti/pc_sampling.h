// Where warps are, and what they wait for: samples of program counters.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/cuda/context.h"
#include "profiler/cupti/library.h"

namespace tw::cupti {

// One instruction of one kernel.
struct PcSample {
    std::string entry;         // the kernel's name in the cubin
    std::uint64_t offset = 0;  // bytes from the kernel's first instruction
    // Samples by what the warp did: "selected" issued, all others waited ("long_scoreboard", "gmma", "barrier", …).
    std::map<std::string, std::uint64_t> reasons;
    [[nodiscard]] std::uint64_t total() const;
};
struct PcReport {
    std::vector<PcSample> samples;  // by entry, then by offset
    std::uint64_t total = 0;        // of `samples`
    std::uint64_t dropped = 0;      // by the hardware
};

struct PcOptions {
    double expectedUs = 0;            // of one round: sets the period
    std::uint64_t enough = 50000;     // samples; rounds end then
    int maxRounds = 20;
};

struct PcWork {
    // Loads the kernels: CUPTI knows only code that is loaded while it samples.
    std::function<cuda::Result<void>()> load;
    // Puts launches into the default stream; kernels run one after another meanwhile.
    std::function<cuda::Result<void>()> round;
};

// `context`: entered by this thread.
[[nodiscard]] Result<PcReport> samplePcs(std::shared_ptr<const Library> library, cuda::Context& context, const PcWork& work,
                                         const PcOptions& options, std::stop_token stop);

// CUPTI's name of a reason without what all of them share: "smsp__pcsamp_warps_issue_stalled_gmma" is "gmma". Empty for those
// that count again only the samples at which the scheduler issued nothing.
[[nodiscard]] std::string reasonText(const std::string& name);

// A sampling period of 2^n cycles that gives a launch of this length some hundred samples a multiprocessor; n.
[[nodiscard]] std::uint32_t periodFor(double microseconds);

struct SourceLine {
    std::string file;  // as the line table names it
    int line = 0;      // from 1; 0: unknown
};
// The line of an instruction, by the cubin's line table.
[[nodiscard]] SourceLine lineOf(const Library& library, const std::string& cubin, const std::string& entry, std::uint64_t offset);

}  // namespace tw::cupti
