// Counters over time within one launch.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/cuda/context.h"
#include "profiler/cupti/host.h"

namespace tw::cupti {

struct OverTimeOptions {
    double expectedUs = 0;         // of the launch: sets how many samples there is room for
    double intervalNs = 2000;      // at least 1000; longer launches are sampled more rarely, so that few thousand samples come
};

// What is sampled: the counters of the single-pass mix that this chip offers (GH100: tensor pipe, warps, instructions, DRAM reads
// and writes, L2, its hit rate, shared memory).
struct OverTimeReport {
    std::vector<capture::Series> series;  // of launch 0; trimmed to the time in which warps were in flight
    double intervalNs = 0;                // as sampled
};

// `work` puts one launch into the default stream. Counts everything that the GPU does meanwhile. `context`: entered by this thread.
[[nodiscard]] Result<OverTimeReport> sampleOverTime(std::shared_ptr<const Library> library, cuda::Context& context,
                                                    const std::function<cuda::Result<void>()>& work, const OverTimeOptions& options);

// Samples of one session as CUPTI gives them, before they are trimmed: times in nanoseconds of the GPU's clock, values by counter.
struct RawSamples {
    std::vector<double> startNs, endNs;
    std::vector<std::vector<double>> values;  // [counter][sample]
};
// From the first to the last sample in which `active` (index of a counter) is above zero, times from the first one's start.
// Each sample stands at its middle. Samples that are much longer than the others are idle gaps and are left out.
[[nodiscard]] RawSamples trimToActive(const RawSamples& samples, std::size_t active);

}  // namespace tw::cupti
