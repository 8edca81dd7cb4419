// How long launches take, by events on the GPU; and what any list of samples says.
#pragma once

#include <functional>
#include <limits>
#include <stop_token>
#include <vector>

#include "profiler/cuda/memory.h"

namespace tw::cuda {

struct TimingOptions {
    int warmUps = 1;     // rounds that are not counted
    int repeats = 10;    // rounds that are
    bool flushL2 = true;  // empty the L2 cache before each round, so that none finds its inputs there
};

// Of samples in any unit, whoever measured them; all 0 where there are none. Quantiles between two samples are interpolated.
struct TimingSummary {
    double median = 0, min = 0;
    double p10 = 0, p90 = 0;  // nine tenths of the samples are above p10, nine tenths below p90
    // Half of p90 − p10 over the median.
    [[nodiscard]] double spread() const { return median > 0 ? (p90 - p10) / 2 / median : 0; }
};
[[nodiscard]] TimingSummary summarizeTimes(std::vector<double> samples);

// One round: `prepare` restores what a round reads (not timed; may be empty), then `work` launches. Both only put things into
// the default stream. One sample a counted round, in microseconds. Ends early, with fewer samples, on a stop request.
using Step = std::function<Result<void>()>;
[[nodiscard]] Result<std::vector<double>> time(std::shared_ptr<Context> context, const Step& prepare, const Step& work,
                                               const TimingOptions& options, std::stop_token stop = {});

// Waits for everything launched, looking for a stop request and for the end of `mostSeconds`. False if one of them came first: the
// GPU then still works, and only the end of the process ends that.
[[nodiscard]] Result<bool> waitFor(Context& context, const std::string& what, std::stop_token stop,
                                   double mostSeconds = std::numeric_limits<double>::infinity());

}  // namespace tw::cuda
