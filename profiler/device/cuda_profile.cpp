#include "profiler/device/cuda_profile.h"

#include <future>

#include <sys/utsname.h>

#include <fmt/core.h>

#include "codegen/nvrtc/nvrtc.h"
#include "core/target/occupancy.h"
#include "profiler/cuda/cache_flush.h"
#include "profiler/cuda/nvml.h"
#include "profiler/cupti/instruction_counts.h"
#include "profiler/cupti/pc_sampling.h"
#include "profiler/cupti/pm_sampling.h"
#include "profiler/cupti/range_profiler.h"
#include "profiler/device/cuda_executable.h"
#include "profiler/device/cuda_stalls.h"
#include "profiler/device/cuda_timing.h"

namespace tw::device {
namespace {

constexpr double kStateUs = 30000;        // of work while clocks and power are read: NVML averages over some milliseconds
constexpr double kMostStateRounds = 500;
constexpr std::size_t kMostSeries = 8;    // launches that are sampled over time
constexpr double kPatchedSeconds = 10, kPatchedTimes = 1000;  // that patched code may take, and times its own time
constexpr const char* kCounts = "instruction counts";         // among the absences; "instructions" is a metric
constexpr int kMostCounted = 5;           // samples of counters: they scatter less than times, and each is set up anew

class Profiler {
public:
    Profiler(const CudaKernels& kernels, const target::Target& target, const SourceSet& sources, interp::Arguments& arguments,
             const CudaProfileOptions& options, DiagnosticSink& diagnostics, const std::function<void(double)>& progress, std::stop_token stop)
        : kernels_(kernels), target_(target), sources_(sources), arguments_(arguments), options_(options), diagnostics_(diagnostics),
          progress_(progress), stop_(std::move(stop)), call_(kernels, arguments)
    {
    }

    std::optional<CudaProfile> run(const OpenCupti& openCupti)
    {
        const bool ok = call_.prepare(diagnostics_) && measureTimes();
        out_.deviceIsLost = kernels_.context->isLost() || stillRuns_;
        if (!ok)
            return out_.deviceIsLost ? std::optional(std::move(out_)) : std::nullopt;
        describeLaunches();
        describeMachine();
        report(0.2);
        const auto library = openCupti();
        if (library) {
            startDisassembly();
            out_.environment.cupti = (*library)->versionText();
            measureWith(*library);
        } else {
            for (const char* part : {"counters", "stalls", "series", kCounts})
                if (wants(part))
                    out_.absences[part] = library.error().text();
        }
        out_.deviceIsLost = kernels_.context->isLost() || stillRuns_;
        return stop_.stop_requested() ? std::nullopt : std::optional(std::move(out_));
    }

private:
    bool wants(std::string_view part) const
    {
        return part == "counters" || (part == "stalls" && options_.stalls) || (part == "series" && options_.overTime) ||
               (part == kCounts && options_.instructions);
    }

    void report(double fraction) const
    {
        if (progress_)
            progress_(fraction);
    }

    bool failed(const cuda::Failure& failure)
    {
        diagnostics_.report(toDiagnostic(failure, kernels_.program->launches.empty() ? kernels_.function->range : kernels_.program->launches.front().range));
        return false;
    }

    // The first run gives the answer and finds faults; the others the times.
    bool measureTimes()
    {
        if (auto done = call_.keepInputs(); !done)
            return failed(done.error());
        std::string printed;  // a profile is about time: what the kernel prints, `tilec run` shows
        auto samples = timeCall(call_, kernels_, {0, 1, false}, printed, stop_);
        if (samples && samples->size() == 1)
            samples = timeCall(call_, kernels_, {kWarmUpRounds, options_.repeat, options_.coldL2}, printed, stop_);
        if (!samples)
            return failed(samples.error());
        if (stop_.stop_requested() || samples->empty()) {
            stillRuns_ = true;
            return false;
        }
        out_.samplesUs = std::move(*samples);
        const cuda::TimingSummary summary = cuda::summarizeTimes(out_.samplesUs);
        medianUs_ = summary.median;
        out_.metrics.push_back({capture::metric::kDuration, summary.median, "us", -1, capture::Origin::kMeasured,
                                static_cast<int>(out_.samplesUs.size()), summary.spread()});
        out_.environment.coldL2 = options_.coldL2;
        return call_.finish(arguments_, diagnostics_);
    }

    void describeLaunches()
    {
        out_.launches.resize(kernels_.program->launches.size());
        for (const CudaCall::Launch& made : call_.launches()) {
            const gpu::KernelLaunch& launch = kernels_.program->launches[made.index];
            const cuda::FunctionInfo info = kernels_.module->describe(made.function);
            capture::Launch& out = out_.launches[made.index];
            out.entry = launch.entry;
            out.grid.assign(made.shape.grid.begin(), made.shape.grid.end());
            out.block.assign(made.shape.block.begin(), made.shape.block.end());
            out.cluster = launch.cluster;
            out.staticSharedBytes = info.staticSharedBytes;
            out.dynamicSharedBytes = made.shape.dynamicSharedBytes;
            out.registers = info.registers;
            out.spillBytes = info.localBytes;
            const std::int64_t threads = made.shape.block[0] * made.shape.block[1] * made.shape.block[2];
            const target::Occupancy occupancy =
                target::occupancyOf(target_, {threads, info.registers, info.staticSharedBytes + made.shape.dynamicSharedBytes});
            out.blocksPerSm = cuda::residentBlocks(*kernels_.context, made.function, threads, made.shape.dynamicSharedBytes);
            out.occupancy = occupancy.fraction;
            out.limiter = occupancy.limiter;
            out_.metrics.push_back({capture::metric::kRegisters, static_cast<double>(info.registers), "count", static_cast<int>(made.index),
                                    capture::Origin::kMeasured, 1, 0});
        }
    }

    void describeMachine()
    {
        capture::Environment& e = out_.environment;
        const cuda::Context& context = *kernels_.context;
        e.gpu = context.device().name;
        const int version = context.driver().version();
        e.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
        if (utsname system{}; ::uname(&system) == 0)
            e.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
        const auto nvml = cuda::Nvml::open(context);
        if (!nvml) {
            out_.absences["clocks"] = nvml.error();
            return;
        }
        e.driver = (*nvml)->driverVersion();
        // Clocks are those of work: read half way through some milliseconds of it.
        const double rounds = std::clamp(kStateUs / std::max(medianUs_, 1.0), 1.0, kMostStateRounds);
        for (int i = 0; i < static_cast<int>(rounds) + 1; ++i)
            if (!call_.launchAll())
                return;
        const cuda::GpuState state = (*nvml)->read();
        if (!kernels_.context->synchronize("running the kernel"))
            return;
        e.smClockMHz = state.smClockMHz;
        e.memoryClockMHz = state.memoryClockMHz;
        e.temperatureC = state.temperatureC;
        e.powerW = state.powerW;
        e.throttling = state.throttling;
    }

    // One after the other: they share the counters.
    void measureWith(const std::shared_ptr<const cupti::Library>& library)
    {
        const auto part = [&](const char* name, double fraction, auto&& measure) {
            if (!wants(name) || stop_.stop_requested() || kernels_.context->isLost())
                return;
            if (const cupti::Result<void> done = measure(); !done)
                out_.absences[name] = done.error().text();
            report(fraction);
        };
        part("counters", 0.5, [&] { return count(library); });
        part("series", 0.7, [&] { return sampleSeries(library); });
        part("stalls", 0.9, [&] { return sampleStalls(library); });
        part(kCounts, 1.0, [&] { return countInstructions(library); });  // last: patched code may hang or break the context
    }

    // The state in which launch `i` finds the GPU, from the same inputs and the same cache each time.
    cuda::Result<void> prepareLaunch(std::size_t i, cuda::CacheFlush* flush)
    {
        auto done = call_.restore();
        if (done && flush)
            done = flush->run();
        for (std::size_t before = 0; done && before < i; ++before) {
            done = call_.clearWorkspaces();
            if (done)
                done = call_.launch(before);
        }
        return done ? call_.clearWorkspaces() : done;
    }

    // Of a launch that was made, among the program's.
    int indexOf(std::size_t made) const { return static_cast<int>(call_.launches().at(made).index); }

    cupti::Result<std::unique_ptr<cuda::CacheFlush>> makeFlush()
    {
        if (!options_.coldL2)
            return nullptr;
        auto flush = cuda::CacheFlush::make(kernels_.context);
        if (!flush)
            return tl::unexpected(cupti::fromCuda(flush.error()));
        return std::move(*flush);
    }

    cupti::Result<void> count(const std::shared_ptr<const cupti::Library>& library)
    {
        auto profiler = cupti::RangeProfiler::open(library, kernels_.context);
        if (!profiler)
            return tl::unexpected(profiler.error());
        cupti::Choice choice = cupti::chooseMetrics((*profiler)->host(), options_.metrics);
        out_.absences.merge(choice.lacking);
        auto flush = makeFlush();
        if (!flush)
            return tl::unexpected(flush.error());
        cupti::RangeWork work;
        work.count = static_cast<int>(call_.launches().size());
        work.prepare = [&](int i) { return prepareLaunch(static_cast<std::size_t>(i), flush->get()); };
        work.launch = [&](int i) { return call_.launch(static_cast<std::size_t>(i)); };
        auto counted = (*profiler)->collect(choice.metrics, work, std::min(options_.repeat, kMostCounted), stop_);
        if (!counted)
            return tl::unexpected(counted.error());
        for (capture::Metric& metric : counted->metrics) {
            metric.launch = indexOf(static_cast<std::size_t>(metric.launch));
            out_.metrics.push_back(std::move(metric));
        }
        out_.metrics.push_back({"counter_passes", static_cast<double>(counted->passes), "count", -1, capture::Origin::kMeasured, 1, 0});
        return {};
    }

    cupti::Result<void> sampleSeries(const std::shared_ptr<const cupti::Library>& library)
    {
        auto flush = makeFlush();
        if (!flush)
            return tl::unexpected(flush.error());
        const std::size_t launches = std::min(call_.launches().size(), kMostSeries);
        for (std::size_t i = 0; i < launches; ++i) {
            auto prepared = prepareLaunch(i, flush->get());
            if (prepared)
                prepared = kernels_.context->synchronize("preparing the kernel");
            if (!prepared)
                return tl::unexpected(cupti::fromCuda(prepared.error()));
            auto sampled = cupti::sampleOverTime(library, *kernels_.context, [&] { return call_.launch(i); }, {medianUs_});
            if (!sampled)
                return tl::unexpected(sampled.error());
            for (capture::Series& series : sampled->series) {
                series.launch = indexOf(i);
                out_.series.push_back(std::move(series));
            }
        }
        return {};
    }

    cupti::Result<void> sampleStalls(const std::shared_ptr<const cupti::Library>& library)
    {
        std::optional<CudaKernels> again;  // the same code, loaded anew
        cupti::PcWork work;
        work.load = [&]() -> cuda::Result<void> {
            auto loaded = loadKernels(kernels_.context, kernels_.function, kernels_.program, kernels_.cubin);
            if (!loaded)
                return tl::unexpected(loaded.error());
            again = std::move(*loaded);
            call_.use(again->functions);
            return {};
        };
        work.round = [&] {
            auto done = call_.restore();
            return done ? call_.launchAll() : done;
        };
        cupti::PcOptions options;
        options.expectedUs = medianUs_;
        const auto sampled = cupti::samplePcs(library, *kernels_.context, work, options, stop_);
        call_.use(kernels_.functions);
        if (!sampled)
            return tl::unexpected(sampled.error());
        std::vector<std::pair<std::string, std::uint64_t>> instructions;
        for (const cupti::PcSample& sample : sampled->samples)
            instructions.emplace_back(sample.entry, sample.offset);
        findPlaces(*library, instructions);
        StallAttribution found = attribute(sampled->samples, places_, sources_);
        out_.operations = std::move(found.operations);
        out_.lines = std::move(found.lines);
        out_.metrics.push_back({"pc_samples", static_cast<double>(sampled->total), "count", -1, capture::Origin::kMeasured, 1, 0});
        out_.metrics.push_back({"pc_samples_placed_pct", 100 * found.placed, "%", -1, capture::Origin::kMeasured, 1, 0});
        return {};
    }

    // Another program's work, half a second of it for a large kernel: it goes on while the GPU is measured.
    void startDisassembly()
    {
        if (wants("stalls") || wants(kCounts))
            sass_ = std::async(std::launch::async, [this] { return nvrtc::disassemble(kernels_.cubin, *kernels_.program, &sources_); });
    }

    // What these instructions stand for: all of them from a disassembly, else each from the cubin's line table.
    void findPlaces(const cupti::Library& library, const std::vector<std::pair<std::string, std::uint64_t>>& instructions)
    {
        if (sass_.valid()) {
            if (auto sass = sass_.get()) {
                places_ = placesInSass(sass->text, sass->lines);
                out_.sass.format = "sass";
                out_.sass.text = std::move(sass->text);
                for (const gpu::LineSource& line : sass->lines)
                    out_.sass.lines.push_back({line.line, line.source, line.op});
            } else {
                out_.absences["sass"] = sass.error().message;
            }
        }
        if (out_.sass.text.empty())
            addPlacesInCubin(library, kernels_.cubin, instructions, *kernels_.program, sources_, places_);
    }

    // Among the launches that were made.
    std::size_t longestLaunch() const
    {
        std::size_t longest = 0;
        double most = 0;
        for (std::size_t made = 0; made < call_.launches().size(); ++made)
            for (const capture::Metric& m : out_.metrics)
                if (m.launch == indexOf(made) && m.name == capture::metric::kDuration && m.value > most) {
                    most = m.value;
                    longest = made;
                }
        return longest;
    }

    cupti::Result<void> countInstructions(const std::shared_ptr<const cupti::Library>& library)
    {
        if (call_.launches().empty())
            return {};
        const std::size_t launch = longestLaunch();
        cupti::CountWork work;
        work.prepare = [&] { return prepareLaunch(launch, nullptr); };
        work.launch = [&] { return call_.launch(launch); };
        work.mostSeconds = kPatchedSeconds + kPatchedTimes * medianUs_ * 1e-6;
        const auto counted = cupti::countInstructions(library, *kernels_.context, work, out_.isSpent, stop_);
        if (!counted)
            return tl::unexpected(counted.error());
        stillRuns_ = counted->stillRuns;
        if (stillRuns_)
            return tl::unexpected(cupti::Failure{cupti::FailureKind::kOther, 0,
                                                 fmt::format("the patched kernel did not end within {:.0f} s", work.mostSeconds), "use smaller extents"});
        std::vector<std::pair<std::string, std::uint64_t>> instructions;
        for (const cupti::CountedInstruction& instruction : counted->instructions)
            instructions.emplace_back(instruction.entry, instruction.offset);
        findPlaces(*library, instructions);
        const double placed = chargeCounts(counted->instructions, places_, sources_, out_.operations, out_.lines);
        out_.metrics.push_back({"instructions_placed_pct", 100 * placed, "%", indexOf(launch), capture::Origin::kMeasured, 1, 0});
        if (call_.launches().size() > 1)
            out_.absences["instruction counts of other launches"] = fmt::format("CUPTI counts one kernel in a process: the longest launch, {}, was counted",
                                                                          out_.launches[call_.launches()[launch].index].entry);
        for (const std::string& name : counted->lacking)
            out_.absences["instruction counts, " + name] = "this chip does not count them";
        return {};
    }

    const CudaKernels& kernels_;
    const target::Target& target_;
    const SourceSet& sources_;
    interp::Arguments& arguments_;
    const CudaProfileOptions& options_;
    DiagnosticSink& diagnostics_;
    const std::function<void(double)>& progress_;
    std::stop_token stop_;
    CudaCall call_;
    CudaProfile out_;
    double medianUs_ = 0;
    InstructionPlaces places_;
    bool stillRuns_ = false;  // a kernel that was not waited for
    std::future<tl::expected<nvrtc::Sass, nvrtc::Failure>> sass_;  // until it is taken; last, since its thread uses the others
};

}  // namespace

std::optional<CudaProfile> profileOnCuda(int ordinal, const driver::CompileSnapshot& snapshot, interp::Arguments& arguments,
                                         const CudaProfileOptions& options, const protocol::CudaCompiler& client, DiagnosticSink& diagnostics,
                                         const std::function<void(double)>& progress, std::stop_token stop)
{
    const auto context = openCudaContext(ordinal);
    if (!context) {
        diagnostics.error(Code::kNotSupported, snapshot.function ? snapshot.function->range : SourceRange{}, context.error());
        return std::nullopt;
    }
    if (auto entered = (*context)->enter(); !entered) {
        diagnostics.report(toDiagnostic(entered.error(), {}));
        return std::nullopt;
    }
    const auto kernels = compileKernels(*context, snapshot, client, diagnostics);
    if (!kernels)
        return std::nullopt;
    const OpenCupti openCupti = [&] { return cupti::Library::open((*context)->driver().version()); };
    return profileKernels(*kernels, snapshot.target, snapshot.program->sources(), arguments, options, openCupti, diagnostics, progress, std::move(stop));
}

std::optional<CudaProfile> profileKernels(const CudaKernels& kernels, const target::Target& target, const SourceSet& sources,
                                          interp::Arguments& arguments, const CudaProfileOptions& options, const OpenCupti& openCupti,
                                          DiagnosticSink& diagnostics, const std::function<void(double)>& progress, std::stop_token stop)
{
    return Profiler(kernels, target, sources, arguments, options, diagnostics, progress, std::move(stop)).run(openCupti);
}

}  // namespace tw::device
