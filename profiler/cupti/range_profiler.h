// Counters of each launch, by replaying the work as often as the counters need passes.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/cuda/context.h"
#include "profiler/cupti/metrics.h"

namespace tw::cupti {

// What is run and counted: `count` launches, each again and again. Both functions only put things into the default stream.
struct RangeWork {
    int count = 1;
    // Not counted: brings the GPU into the state in which launch `i` finds it, the launches before it included.
    std::function<cuda::Result<void>(int i)> prepare;
    std::function<cuda::Result<void>(int i)> launch;  // one kernel
};

struct RangeReport {
    std::vector<capture::Metric> metrics;  // by launch, then in the order chosen; measured
    std::size_t passes = 0;                // runs of a launch that one sample of all metrics took
};

// Counts on one GPU. The range profiler, the samplers and other tools share the counters: one at a time.
class RangeProfiler {
public:
    // Asks for permission, the chip and what may be counted. `context`: entered by this thread.
    [[nodiscard]] static Result<std::unique_ptr<RangeProfiler>> open(std::shared_ptr<const Library> library, std::shared_ptr<cuda::Context> context);

    [[nodiscard]] const MetricHost& host() const { return *host_; }

    // `rounds` ≥ 1 samples of each metric. A failure of the work itself comes out as kOther; the context knows if it is lost.
    // Once for one profiler. Stopped: kOther with an empty message.
    [[nodiscard]] Result<RangeReport> collect(const std::vector<ChosenMetric>& metrics, const RangeWork& work, int rounds, std::stop_token stop);

private:
    RangeProfiler(std::shared_ptr<const Library> library, std::shared_ptr<cuda::Context> context, std::unique_ptr<MetricHost> host)
        : library_(std::move(library)), context_(std::move(context)), host_(std::move(host))
    {
    }

    std::shared_ptr<const Library> library_;
    std::shared_ptr<cuda::Context> context_;
    std::unique_ptr<MetricHost> host_;
};

// The samples of one metric, summed up as capture.h defines value and spread.
[[nodiscard]] capture::Metric summarize(const ChosenMetric& metric, int launch, const std::vector<double>& samples);

// A failure of the work, as this folder says it.
[[nodiscard]] Failure fromCuda(const cuda::Failure& failure);

}  // namespace tw::cupti
