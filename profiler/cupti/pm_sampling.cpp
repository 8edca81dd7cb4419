#include "profiler/cupti/pm_sampling.h"

#include <algorithm>
#include <cmath>

#include "core/support/statistics.h"
#include "profiler/cupti/range_profiler.h"

namespace tw::cupti {
namespace {

constexpr double kMostSamples = 2000;            // within the launch
constexpr std::uint32_t kRoom = 1 << 12;         // samples in all: idle ones before and behind it, too
constexpr std::size_t kHardwareBytes = 16 << 20;
constexpr double kLongGap = 8;                   // times the interval

struct Counter {
    const char *name, *unit;
    const char *counter, *other;  // `other`: on chips that lack `counter`
};
// The first tells whether the kernel runs. One pass together on GH100; a set of several passes cannot be sampled.
constexpr Counter kMix[] = {
    {"occupancy_pct", "%", "TPC.TriageCompute.tpc__warps_active_shader_cs_realtime.avg.pct_of_peak_sustained_elapsed", ""},
    {"tensor_pipe_pct", "%", "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed", ""},
    {"issue_slots_pct", "%", "TPC.TriageCompute.sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed", ""},
    {"dram_read_pct", "%", "FBSP.TriageCompute.dramc__read_throughput.avg.pct_of_peak_sustained_elapsed",
     "FBSP.TriageCompute.dram__read_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram_write_pct", "%", "FBSP.TriageCompute.dramc__write_throughput.avg.pct_of_peak_sustained_elapsed",
     "FBSP.TriageCompute.dram__write_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l2_bandwidth_pct", "%", "LTS.TriageCompute.lts__t_sector_throughput.avg.pct_of_peak_sustained_elapsed", ""},
    {"l2_hit_pct", "%", "LTS.TriageCompute.lts__average_t_sector_hit_rate_realtime.pct", ""},
    {"shared_bandwidth_pct", "%", "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", ""},
};

struct Mix {
    std::vector<const Counter*> counters;
    std::vector<std::string> names;  // of the chip
};

Mix mixOf(const MetricHost& host)
{
    Mix mix;
    for (const Counter& c : kMix)
        for (const char* name : {c.counter, c.other})
            if (*name && host.offers(name)) {
                mix.counters.push_back(&c);
                mix.names.emplace_back(name);
                break;
            }
    return mix;
}

Result<std::vector<std::uint8_t>> availabilityOf(const Library& library, int ordinal)
{
    auto params = api::make<api::PmAvailability>();
    params.device = static_cast<std::size_t>(ordinal);
    if (auto done = library.check(library.call().pmAvailability(&params), "asking what may be sampled"); !done)
        return tl::unexpected(done.error());
    std::vector<std::uint8_t> image(params.imageBytes);
    params.image = image.data();
    if (auto done = library.check(library.call().pmAvailability(&params), "asking what may be sampled"); !done)
        return tl::unexpected(done.error());
    return image;
}

// The sampler switched on for one GPU. Always switched off again: a failed setup leaves it on otherwise.
class Sampler {
public:
    Sampler(const Library& library, const MetricHost& host, const CounterConfig& config) : library_(library), host_(host), config_(config) {}
    ~Sampler()
    {
        if (object_)
            (void)callWith(library_.call().pmDisable, "");
    }
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    Result<void> enable(int ordinal, double intervalNs)
    {
        auto params = api::make<api::PmEnable>();
        params.device = static_cast<std::size_t>(ordinal);
        if (auto done = library_.check(library_.call().pmEnable(&params), "switching the sampler on"); !done)
            return done;
        object_ = params.object;
        auto set = api::make<api::PmConfig>();
        set.object = object_;
        set.configBytes = config_.image.size();
        set.config = config_.image.data();
        set.hardwareBytes = kHardwareBytes;
        set.interval = static_cast<std::uint64_t>(intervalNs);
        set.trigger = api::kEveryNanoseconds;
        set.append = api::kKeepOldest;
        if (auto done = library_.check(library_.call().pmConfig(&set), "setting the sampler up"); !done)
            return done;
        return makeData();
    }

    Result<void> record(cuda::Context& context, const std::function<cuda::Result<void>()>& work)
    {
        if (auto done = callWith(library_.call().pmStart, "starting the sampler"); !done)
            return done;
        auto worked = work();
        if (worked)
            worked = context.synchronize("running the kernel");
        auto stopped = callWith(library_.call().pmStop, "stopping the sampler");
        if (!worked)
            return tl::unexpected(fromCuda(worked.error()));
        return stopped;
    }

    Result<RawSamples> decode()
    {
        auto params = api::make<api::PmDecode>();
        params.object = object_;
        params.data = data_.data();
        params.dataBytes = data_.size();
        if (auto done = library_.check(library_.call().pmDecode(&params), "reading the samples"); !done)
            return tl::unexpected(done.error());
        if (params.overflow || params.stopReason == api::kStopDataFull)
            return tl::unexpected(Failure{FailureKind::kOther, 0, "more samples came than there is room for", "let nothing else use the GPU meanwhile"});
        auto info = api::make<api::PmDataInfo>();
        info.data = data_.data();
        info.dataBytes = data_.size();
        if (auto done = library_.check(library_.call().pmDataInfo(&info), "reading the samples"); !done)
            return tl::unexpected(done.error());
        RawSamples out;
        out.values.resize(config_.counters.size());
        for (std::size_t i = 0; i < info.completed; ++i)
            if (auto done = readSample(i, out); !done)
                return tl::unexpected(done.error());
        return out;
    }

private:
    Result<void> callWith(int (*function)(api::PmCall*), const char* what)
    {
        auto params = api::make<api::PmCall>();
        params.object = object_;
        return library_.check(function(&params), what);
    }

    Result<void> makeData()
    {
        std::vector<const char*> names = pointersTo(config_.counters);
        auto size = api::make<api::PmDataSize>();
        size.object = object_;
        size.names = names.data();
        size.count = names.size();
        size.maxSamples = kRoom;
        if (auto done = library_.check(library_.call().pmDataSize(&size), "making room for the samples"); !done)
            return done;
        data_.resize(size.bytes);
        auto initialize = api::make<api::PmDataInitialize>();
        initialize.object = object_;
        initialize.bytes = data_.size();
        initialize.data = data_.data();
        return library_.check(library_.call().pmDataInitialize(&initialize), "making room for the samples");
    }

    Result<void> readSample(std::size_t i, RawSamples& out)
    {
        auto sample = api::make<api::PmSampleInfo>();
        sample.object = object_;
        sample.data = data_.data();
        sample.dataBytes = data_.size();
        sample.index = i;
        if (auto done = library_.check(library_.call().pmSampleInfo(&sample), "reading the samples"); !done)
            return done;
        const auto values = host_.evaluate(data_, i, config_.counters);
        if (!values)
            return tl::unexpected(values.error());
        out.startNs.push_back(static_cast<double>(sample.start));
        out.endNs.push_back(static_cast<double>(sample.end));
        for (std::size_t c = 0; c < values->size(); ++c)
            out.values[c].push_back(std::isfinite((*values)[c]) ? (*values)[c] : 0);
        return {};
    }

    const Library& library_;
    const MetricHost& host_;
    const CounterConfig& config_;
    api::PmObject object_ = nullptr;
    std::vector<std::uint8_t> data_;
};

}  // namespace

RawSamples trimToActive(const RawSamples& samples, std::size_t active)
{
    RawSamples out;
    out.values.resize(samples.values.size());
    if (active >= samples.values.size())
        return out;
    const std::vector<double>& alive = samples.values[active];
    std::vector<double> lengths;
    for (std::size_t i = 0; i < alive.size(); ++i)
        lengths.push_back(samples.endNs[i] - samples.startNs[i]);
    const double usual = median(std::move(lengths));
    const auto counts = [&](std::size_t i) { return alive[i] > 0 && samples.endNs[i] - samples.startNs[i] <= kLongGap * usual; };
    std::size_t first = alive.size(), last = 0;
    for (std::size_t i = 0; i < alive.size(); ++i)
        if (counts(i)) {
            first = std::min(first, i);
            last = i;
        }
    for (std::size_t i = first; i < alive.size() && i <= last; ++i) {
        out.startNs.push_back(samples.startNs[i] - samples.startNs[first]);
        out.endNs.push_back(samples.endNs[i] - samples.startNs[first]);
        for (std::size_t c = 0; c < samples.values.size(); ++c)
            out.values[c].push_back(samples.values[c][i]);
    }
    return out;
}

Result<OverTimeReport> sampleOverTime(std::shared_ptr<const Library> library, cuda::Context& context,
                                      const std::function<cuda::Result<void>()>& work, const OverTimeOptions& options)
{
    if (auto started = startProfiling(*library, context.deviceHandle(), Interface::kPmSampling); !started)
        return tl::unexpected(started.error());
    const int ordinal = context.device().ordinal;
    const auto chip = chipOf(*library, ordinal);
    if (!chip)
        return tl::unexpected(chip.error());
    auto availability = availabilityOf(*library, ordinal);
    if (!availability)
        return tl::unexpected(availability.error());
    auto host = MetricHost::open(library, *chip, Purpose::kOverTime, std::move(*availability));
    if (!host)
        return tl::unexpected(host.error());
    const Mix mix = mixOf(**host);
    if (mix.counters.empty() || mix.counters.front() != &kMix[0])
        return tl::unexpected(Failure{FailureKind::kUnsupported, 0, *chip + " has none of the counters that are sampled over time", "use a GPU of the Hopper generation or newer"});
    const auto config = (*host)->configure(mix.names);
    if (!config)
        return tl::unexpected(config.error());

    OverTimeReport report;
    report.intervalNs = std::max({options.intervalNs, 1000.0, std::ceil(options.expectedUs * 1000 / kMostSamples)});
    Sampler sampler(*library, **host, *config);
    if (auto done = sampler.enable(ordinal, report.intervalNs); !done)
        return tl::unexpected(done.error());
    if (auto done = sampler.record(context, work); !done)
        return tl::unexpected(done.error());
    const auto raw = sampler.decode();
    if (!raw)
        return tl::unexpected(raw.error());
    const RawSamples samples = trimToActive(*raw, 0);
    if (samples.startNs.empty())
        return tl::unexpected(Failure{FailureKind::kOther, 0, "no sample fell into the launch", "it is shorter than two samples: use larger extents"});
    for (std::size_t c = 0; c < mix.counters.size(); ++c) {
        capture::Series series{mix.counters[c]->name, mix.counters[c]->unit, 0, capture::Origin::kMeasured, {}, samples.values[c]};
        for (std::size_t i = 0; i < samples.startNs.size(); ++i)
            series.timeNs.push_back((samples.startNs[i] + samples.endNs[i]) / 2);
        report.series.push_back(std::move(series));
    }
    return report;
}

}  // namespace tw::cupti
