#include "profiler/cupti/range_profiler.h"

#include <algorithm>
#include <cmath>

#include "profiler/cuda/timing.h"

namespace tw::cupti {
namespace {

Result<std::vector<std::uint8_t>> availabilityOf(const Library& library, const cuda::Context& context)
{
    auto params = api::make<api::Availability>();
    params.context = context.handle();
    if (auto done = library.check(library.call().availability(&params), "asking what may be counted"); !done)
        return tl::unexpected(done.error());
    std::vector<std::uint8_t> image(params.imageBytes);
    params.image = image.data();
    if (auto done = library.check(library.call().availability(&params), "asking what may be counted"); !done)
        return tl::unexpected(done.error());
    return image;
}

// The profiler switched on for one context. CUPTI makes a range of each kernel itself ("auto range"): a range of ours around the
// launch would also count the time in which the GPU waits for the host.
class Session {
public:
    Session(const Library& library, cuda::Context& context, const CounterConfig& config) : library_(library), context_(context), config_(config) {}
    ~Session()
    {
        if (object_)
            (void)callWith(library_.call().rangeDisable, "");
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Result<void> enable()
    {
        auto params = api::make<api::RangeEnable>();
        params.context = context_.handle();
        auto done = library_.check(library_.call().rangeEnable(&params), "switching the counters on");
        if (done)
            object_ = params.object;
        return done;
    }

    // One sample of every counter for launch `i`, in as many passes as they need. Empty: nothing was launched.
    Result<std::vector<double>> sample(const MetricHost& host, const RangeWork& work, int i)
    {
        if (auto done = makeData(); !done)
            return tl::unexpected(done.error());
        if (auto done = configure(); !done)
            return tl::unexpected(done.error());
        passes_ = 0;
        for (bool more = true; more; ++passes_) {
            const auto next = pass(work, i);
            if (!next)
                return tl::unexpected(next.error());
            more = *next;
        }
        return decode(host);
    }
    [[nodiscard]] std::size_t passes() const { return passes_; }  // of the last sample

private:
    Result<void> callWith(int (*function)(api::RangeCall*), const char* what)
    {
        auto params = api::make<api::RangeCall>();
        params.object = object_;
        return library_.check(function(&params), what);
    }

    Result<void> makeData()
    {
        std::vector<const char*> names = pointersTo(config_.counters);
        auto size = api::make<api::RangeDataSize>();
        size.object = object_;
        size.names = names.data();
        size.count = names.size();
        size.maxRanges = 1;
        size.maxNodes = 1;
        if (auto done = library_.check(library_.call().rangeDataSize(&size), "making room for the counters"); !done)
            return done;
        data_.assign(size.bytes, 0);
        auto initialize = api::make<api::RangeDataInitialize>();
        initialize.object = object_;
        initialize.bytes = data_.size();
        initialize.data = data_.data();
        return library_.check(library_.call().rangeDataInitialize(&initialize), "making room for the counters");
    }

    Result<void> configure()
    {
        auto params = api::make<api::RangeConfig>();
        params.object = object_;
        params.configBytes = config_.image.size();
        params.config = config_.image.data();
        params.dataBytes = data_.size();
        params.data = data_.data();
        params.range = api::kAutoRange;
        params.replay = api::kUserReplay;
        params.maxRanges = 1;
        params.nestingLevels = params.minNestingLevel = params.targetNestingLevel = 1;
        return library_.check(library_.call().rangeConfig(&params), "setting the counters up");
    }

    // True if another pass is needed.
    Result<bool> pass(const RangeWork& work, int i)
    {
        auto worked = work.prepare(i);
        if (worked)
            worked = context_.synchronize("preparing the kernel");
        if (!worked)
            return tl::unexpected(fromCuda(worked.error()));
        if (auto done = callWith(library_.call().rangeStart, "starting the counters"); !done)
            return tl::unexpected(done.error());
        worked = work.launch(i);
        if (worked)
            worked = context_.synchronize("running the kernel");
        auto stop = api::make<api::RangeStop>();
        stop.object = object_;
        const auto stopped = library_.check(library_.call().rangeStop(&stop), "stopping the counters");
        if (!worked)
            return tl::unexpected(fromCuda(worked.error()));
        if (!stopped)
            return tl::unexpected(stopped.error());
        return stop.isAllSubmitted == 0;
    }

    Result<std::vector<double>> decode(const MetricHost& host)
    {
        auto params = api::make<api::RangeDecode>();
        params.object = object_;
        if (auto done = library_.check(library_.call().rangeDecode(&params), "reading the counters"); !done)
            return tl::unexpected(done.error());
        auto info = api::make<api::RangeDataInfo>();
        info.data = data_.data();
        info.dataBytes = data_.size();
        if (auto done = library_.check(library_.call().rangeDataInfo(&info), "reading the counters"); !done)
            return tl::unexpected(done.error());
        if (params.dropped > 0 || info.ranges > 1)
            return tl::unexpected(Failure{FailureKind::kOther, 0, "reading the counters: more than one kernel ran", "let nothing else use the GPU in this process"});
        return info.ranges == 0 ? Result<std::vector<double>>() : host.evaluate(data_, 0, config_.counters);
    }

    const Library& library_;
    cuda::Context& context_;
    const CounterConfig& config_;
    api::RangeObject object_ = nullptr;
    std::vector<std::uint8_t> data_;
    std::size_t passes_ = 0;
};

// Samples by counter.
using Samples = std::vector<std::vector<double>>;

std::vector<capture::Metric> summarizeAll(const std::vector<ChosenMetric>& metrics, const std::vector<std::string>& counters, const Samples& samples,
                                          int launch)
{
    std::vector<capture::Metric> out;
    for (const ChosenMetric& metric : metrics) {
        const auto at = std::find(counters.begin(), counters.end(), metric.counter) - counters.begin();
        if (const std::vector<double>& found = samples[static_cast<std::size_t>(at)]; !found.empty())
            out.push_back(summarize(metric, launch, found));
    }
    return out;
}

}  // namespace

Failure fromCuda(const cuda::Failure& failure) { return {FailureKind::kOther, 0, failure.message, failure.remedy}; }

capture::Metric summarize(const ChosenMetric& metric, int launch, const std::vector<double>& samples)
{
    const cuda::TimingSummary summary = cuda::summarizeTimes(samples);
    capture::Metric out;
    out.name = metric.name;
    out.unit = metric.unit;
    out.value = summary.median * metric.scale;
    out.launch = launch;
    out.origin = capture::Origin::kMeasured;
    out.samples = static_cast<int>(samples.size());
    out.spread = summary.spread();
    return out;
}

Result<std::unique_ptr<RangeProfiler>> RangeProfiler::open(std::shared_ptr<const Library> library, std::shared_ptr<cuda::Context> context)
{
    if (auto started = startProfiling(*library, context->deviceHandle(), Interface::kRanges); !started)
        return tl::unexpected(started.error());
    const auto chip = chipOf(*library, context->device().ordinal);
    if (!chip)
        return tl::unexpected(chip.error());
    auto availability = availabilityOf(*library, *context);
    if (!availability)
        return tl::unexpected(availability.error());
    auto host = MetricHost::open(library, *chip, Purpose::kRanges, std::move(*availability));
    if (!host)
        return tl::unexpected(host.error());
    return std::unique_ptr<RangeProfiler>(new RangeProfiler(std::move(library), std::move(context), std::move(*host)));
}

Result<RangeReport> RangeProfiler::collect(const std::vector<ChosenMetric>& metrics, const RangeWork& work, int rounds, std::stop_token stop)
{
    const std::vector<std::string> counters = countersOf(metrics);
    if (counters.empty())
        return RangeReport{};
    const auto config = host_->configure(counters);
    if (!config)
        return tl::unexpected(config.error());
    Session session(*library_, *context_, *config);
    if (auto done = session.enable(); !done)
        return tl::unexpected(done.error());
    RangeReport report;
    for (int launch = 0; launch < work.count; ++launch) {
        Samples samples(counters.size());
        for (int round = 0; round < rounds; ++round) {
            if (stop.stop_requested())
                return tl::unexpected(Failure{});
            const auto values = session.sample(*host_, work, launch);
            if (!values)
                return tl::unexpected(values.error());
            for (std::size_t c = 0; c < values->size(); ++c)
                if (std::isfinite((*values)[c]))
                    samples[c].push_back((*values)[c]);
            report.passes = std::max(report.passes, session.passes());
        }
        const std::vector<capture::Metric> found = summarizeAll(metrics, counters, samples, launch);
        report.metrics.insert(report.metrics.end(), found.begin(), found.end());
    }
    return report;
}

}  // namespace tw::cupti
