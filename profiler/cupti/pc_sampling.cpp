#include "profiler/cupti/pc_sampling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "profiler/cupti/range_profiler.h"

namespace tw::cupti {
namespace {

constexpr std::size_t kCapacity = 4096;                // instructions fetched in one call
constexpr std::size_t kScratchBytes = 8 << 20;
constexpr std::size_t kHardwareBytes = 128 << 20;
constexpr std::uint32_t kSleepMs = 5;                  // of CUPTI's worker threads between looks
constexpr int kLooks = 20;                             // for samples that CUPTI's threads have not parsed yet
constexpr double kSamplesWanted = 400;                 // of one multiprocessor in one round
constexpr double kCyclesPerUs = 1500;

// Room for what one call fetches, with lists of reasons in one block.
class Buffer {
public:
    explicit Buffer(std::size_t reasons) : data_(kCapacity), reasons_(kCapacity * reasons)
    {
        for (std::size_t i = 0; i < kCapacity; ++i) {
            data_[i].size = sizeof(api::PcData);
            data_[i].reasons = &reasons_[i * reasons];
        }
        head_.size = sizeof(api::PcBuffer);
        head_.capacity = kCapacity;
        head_.data = data_.data();
    }
    api::PcBuffer& head() { return head_; }

private:
    api::PcBuffer head_{};
    std::vector<api::PcData> data_;
    std::vector<api::PcReason> reasons_;
};

class Sampler {
public:
    Sampler(const Library& library, cuda::Context& context) : library_(library), context_(context) {}
    ~Sampler()
    {
        if (isOn_)
            (void)callWith(library_.call().pcDisable, "");
    }
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    Result<void> enable(std::uint32_t period)
    {
        if (auto done = callWith(library_.call().pcEnable, "switching the sampler on"); !done)
            return done;
        isOn_ = true;
        if (auto done = readReasons(); !done)
            return done;
        parked_ = std::make_unique<Buffer>(reasons_.size());
        fetched_ = std::make_unique<Buffer>(reasons_.size());
        return configure(period);
    }

    // Everything that has come so far; how many samples that were.
    Result<std::uint64_t> fetch()
    {
        std::uint64_t found = 0;
        for (bool more = true; more;) {
            auto params = api::make<api::PcGetData>();
            params.context = context_.handle();
            params.buffer = &fetched_->head();
            if (auto done = library_.check(library_.call().pcGetData(&params), "reading the samples"); !done)
                return tl::unexpected(done.error());
            found += take(fetched_->head());
            more = fetched_->head().remaining > 0 && fetched_->head().count > 0;
        }
        return found;
    }

    PcReport finish()
    {
        (void)callWith(library_.call().pcDisable, "");
        isOn_ = false;
        take(parked_->head());  // what came last was put there
        PcReport report;
        for (auto& [place, reasons] : samples_)
            report.samples.push_back({place.first, place.second, std::move(reasons)});
        for (const PcSample& sample : report.samples)
            report.total += sample.total();
        report.dropped = dropped_;
        return report;
    }

private:
    Result<void> callWith(int (*function)(api::PcCall*), const char* what)
    {
        auto params = api::make<api::PcCall>();
        params.context = context_.handle();
        return library_.check(function(&params), what);
    }

    Result<void> readReasons()
    {
        std::size_t count = 0;
        auto ask = api::make<api::PcReasonCount>();
        ask.context = context_.handle();
        ask.count = &count;
        if (auto done = library_.check(library_.call().pcReasonCount(&ask), "listing the reasons to wait"); !done)
            return done;
        std::vector<std::string> texts(count, std::string(api::kReasonBytes, '\0'));
        std::vector<char*> names;
        for (std::string& text : texts)
            names.push_back(text.data());
        std::vector<std::uint32_t> indices(count);
        auto list = api::make<api::PcReasonNames>();
        list.context = context_.handle();
        list.count = count;
        list.indices = indices.data();
        list.names = names.data();
        if (auto done = library_.check(library_.call().pcReasonNames(&list), "listing the reasons to wait"); !done)
            return done;
        for (std::size_t i = 0; i < count; ++i)
            reasons_[indices[i]] = reasonText(texts[i].c_str());
        return {};
    }

    Result<void> configure(std::uint32_t period)
    {
        std::vector<api::PcOption> options;
        const auto add = [&](int attribute) -> api::PcOption::Value& {
            api::PcOption& option = options.emplace_back();
            option = {};
            option.attribute = attribute;
            return option.value;
        };
        options.reserve(8);
        // In continuous mode no sample came on an H200; one kernel at a time is what is profiled anyway.
        add(api::kPcMode).number = api::kPcSerialized;
        add(api::kPcPeriod).number = period;
        add(api::kPcScratchBytes).bytes = kScratchBytes;
        add(api::kPcHardwareBytes).bytes = kHardwareBytes;
        add(api::kPcFormat).number = api::kPcParsed;
        add(api::kPcBuffer).pointer = &parked_->head();
        add(api::kPcSleep).number = kSleepMs;
        auto params = api::make<api::PcConfigure>();
        params.context = context_.handle();
        params.count = options.size();
        params.options = options.data();
        return library_.check(library_.call().pcConfigure(&params), "setting the sampler up");
    }

    std::uint64_t take(const api::PcBuffer& buffer)
    {
        std::uint64_t found = 0;
        dropped_ += buffer.droppedSamples;
        for (std::size_t i = 0; i < std::min(buffer.count, kCapacity); ++i) {
            const api::PcData& data = buffer.data[i];
            // The name is shared with records that CUPTI still holds: it is not freed.
            auto& reasons = samples_[{data.function ? data.function : "", data.offset}];
            for (std::size_t r = 0; r < data.reasonCount; ++r) {
                const auto name = reasons_.find(data.reasons[r].reason);
                if (name == reasons_.end() || name->second.empty() || data.reasons[r].samples == 0)
                    continue;
                reasons[name->second] += data.reasons[r].samples;
                found += data.reasons[r].samples;
            }
        }
        return found;
    }

    const Library& library_;
    cuda::Context& context_;
    bool isOn_ = false;
    std::map<std::uint32_t, std::string> reasons_;
    std::unique_ptr<Buffer> parked_, fetched_;  // what CUPTI fills when it is switched off, and at our calls
    std::map<std::pair<std::string, std::uint64_t>, std::map<std::string, std::uint64_t>> samples_;
    std::uint64_t dropped_ = 0;
};

}  // namespace

std::uint64_t PcSample::total() const
{
    std::uint64_t sum = 0;
    for (const auto& [reason, count] : reasons)
        sum += count;
    return sum;
}

std::string reasonText(const std::string& name)
{
    static const std::string kPrefix = "smsp__pcsamp_warps_issue_", kStalled = "stalled_", kAgain = "_not_issued";
    std::string text = name;
    if (text.starts_with(kPrefix))
        text = text.substr(kPrefix.size());
    if (text.starts_with(kStalled))
        text = text.substr(kStalled.size());
    return text.ends_with(kAgain) ? "" : text;
}

std::uint32_t periodFor(double microseconds)
{
    const double n = std::floor(std::log2(std::max(1.0, microseconds * kCyclesPerUs / kSamplesWanted)));
    return static_cast<std::uint32_t>(std::clamp(n, 5.0, 20.0));  // CUPTI takes 5 to 31
}

Result<PcReport> samplePcs(std::shared_ptr<const Library> library, cuda::Context& context, const PcWork& work, const PcOptions& options,
                           std::stop_token stop)
{
    if (auto started = startProfiling(*library, context.deviceHandle(), Interface::kPcSampling); !started)
        return tl::unexpected(started.error());
    Sampler sampler(*library, context);
    const std::uint32_t period = periodFor(options.expectedUs);
    if (auto done = sampler.enable(period); !done)
        return tl::unexpected(done.error());
    if (auto loaded = work.load(); !loaded)
        return tl::unexpected(fromCuda(loaded.error()));
    std::uint64_t found = 0;
    for (int i = 0; i < options.maxRounds && found < options.enough && !stop.stop_requested(); ++i) {
        auto worked = work.round();
        if (worked)
            worked = context.synchronize("running the kernel");
        if (!worked)
            return tl::unexpected(fromCuda(worked.error()));
        const std::uint64_t before = found;
        for (int look = 0; look < kLooks && found == before; ++look) {
            if (look > 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(kSleepMs));
            const auto fetched = sampler.fetch();
            if (!fetched)
                return tl::unexpected(fetched.error());
            found += *fetched;
        }
    }
    PcReport report = sampler.finish();
    if (report.total == 0 && !stop.stop_requested())
        return tl::unexpected(Failure{FailureKind::kOther, 0, "no sample of a program counter came", "use larger extents, so that the kernel runs longer"});
    return report;
}

SourceLine lineOf(const Library& library, const std::string& cubin, const std::string& entry, std::uint64_t offset)
{
    auto params = api::make<api::SassToSource>();
    params.cubin = cubin.data();
    params.cubinBytes = cubin.size();
    params.function = entry.c_str();
    params.offset = offset;
    SourceLine out;
    if (library.call().sassToSource(&params) == 0) {
        out.file = params.file ? params.file : "";
        out.line = static_cast<int>(params.line);
    }
    std::free(params.file);
    std::free(params.folder);
    return out;
}

}  // namespace tw::cupti
