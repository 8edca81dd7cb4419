#include "profiler/cupti/instruction_counts.h"

#include <algorithm>

#include "profiler/capture/capture.h"
#include "profiler/cuda/timing.h"
#include "profiler/cupti/range_profiler.h"

namespace tw::cupti {
namespace {

struct Wanted {
    const char *name, *metric;
};
constexpr Wanted kWanted[] = {
    {capture::count::kExecuted, "smsp__sass_inst_executed"},
    {capture::count::kThreads, "smsp__sass_thread_inst_executed_pred_on"},
    {capture::count::kSectors, "smsp__sass_sectors_mem_global"},
    {capture::count::kIdealSectors, "smsp__sass_sectors_mem_global_ideal"},
    {capture::count::kWavefronts, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"},
    {capture::count::kIdealWavefronts, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"},
};

class InstructionCounter {
public:
    InstructionCounter(const Library& library, cuda::Context& context) : library_(library), context_(context) {}
    ~InstructionCounter()
    {
        if (isOn_) {
            auto params = api::make<api::SassDisable>();
            params.context = context_.handle();
            library_.call().sassDisable(&params);
        }
        if (isConfigured_) {
            auto params = api::make<api::SassUnconfig>();
            params.device = static_cast<std::uint32_t>(context_.device().ordinal);
            library_.call().sassUnconfig(&params);
        }
    }
    InstructionCounter(const InstructionCounter&) = delete;
    InstructionCounter& operator=(const InstructionCounter&) = delete;

    // What the chip offers of the counts; the others are lacking.
    Result<void> choose(const std::string& chip, std::vector<std::string>& lacking)
    {
        for (const Wanted& wanted : kWanted) {
            auto params = api::make<api::SassProperties>();
            params.chip = chip.c_str();
            params.metric = wanted.metric;
            const int result = library_.call().sassProperties(&params);
            if (result == api::kNotSupported)
                return library_.check(result, "choosing what to count of instructions");
            if (result == 0)
                names_[params.details.id] = wanted.name;
            else
                lacking.emplace_back(wanted.name);
        }
        if (names_.empty())
            return library_.check(api::kNotSupported, "choosing what to count of instructions");
        return {};
    }

    Result<void> start()
    {
        std::vector<api::SassChoice> choices;
        for (const auto& [id, name] : names_)
            choices.push_back({id, api::kWholeGpu});
        auto config = api::make<api::SassConfig>();
        config.count = choices.size();
        config.choices = choices.data();
        config.device = static_cast<std::uint32_t>(context_.device().ordinal);
        if (auto done = library_.check(library_.call().sassConfig(&config), "preparing to count instructions"); !done)
            return done;
        isConfigured_ = true;
        auto enable = api::make<api::SassEnable>();
        enable.context = context_.handle();
        enable.isLazy = 1;  // otherwise nothing was counted on an H200
        if (auto done = library_.check(library_.call().sassEnable(&enable), "starting to count instructions"); !done)
            return done;
        isOn_ = true;
        return {};
    }

    Result<std::vector<CountedInstruction>> read()
    {
        auto info = api::make<api::SassDataInfo>();
        info.context = context_.handle();
        if (auto done = library_.check(library_.call().sassDataInfo(&info), "reading the counts of instructions"); !done)
            return tl::unexpected(done.error());
        std::vector<api::SassRecord> records(info.records, api::make<api::SassRecord>());
        std::vector<api::SassValue> values(info.records * info.instances);
        for (std::size_t i = 0; i < records.size(); ++i)
            records[i].values = values.data() + i * info.instances;
        auto flush = api::make<api::SassFlush>();
        flush.context = context_.handle();
        flush.records = info.records;
        flush.instances = info.instances;
        flush.data = records.data();
        if (!records.empty())
            if (auto done = library_.check(library_.call().sassFlush(&flush), "reading the counts of instructions"); !done)
                return tl::unexpected(done.error());
        return sum(records, info.instances);
    }

    // Leaves everything as it is: switching it off would wait for the kernel.
    void abandon() { isOn_ = isConfigured_ = false; }

private:
    // A record holds one metric of one instruction.
    std::vector<CountedInstruction> sum(const std::vector<api::SassRecord>& records, std::size_t instances) const
    {
        std::map<std::pair<std::string, std::uint64_t>, std::map<std::string, double>> found;
        for (const api::SassRecord& record : records)
            for (std::size_t i = 0; i < instances; ++i)
                if (const auto name = names_.find(record.values[i].id); name != names_.end() && record.function)
                    found[{record.function, record.offset}][name->second] += static_cast<double>(record.values[i].value);
        std::vector<CountedInstruction> out;
        for (auto& [place, counts] : found)
            out.push_back({place.first, place.second, std::move(counts)});
        return out;
    }

    const Library& library_;
    cuda::Context& context_;
    std::map<std::uint64_t, std::string> names_;  // of counts, by CUPTI's number of the metric
    bool isConfigured_ = false, isOn_ = false;
};

}  // namespace

Result<CountReport> countInstructions(std::shared_ptr<const Library> library, cuda::Context& context, const CountWork& work, bool& isSpent,
                                      std::stop_token stop)
{
    if (auto started = startProfiling(*library, context.deviceHandle(), Interface::kInstructions); !started)
        return tl::unexpected(started.error());
    const auto chip = chipOf(*library, context.device().ordinal);
    if (!chip)
        return tl::unexpected(chip.error());
    CountReport report;
    InstructionCounter counter(*library, context);
    if (auto done = counter.choose(*chip, report.lacking); !done)
        return tl::unexpected(done.error());
    auto worked = work.prepare();
    if (worked)
        worked = context.synchronize("preparing the kernel");  // work in flight would keep the code from being patched
    if (!worked)
        return tl::unexpected(fromCuda(worked.error()));
    isSpent = true;
    if (auto done = counter.start(); !done)
        return tl::unexpected(done.error());
    worked = work.launch();
    if (!worked)
        return tl::unexpected(fromCuda(worked.error()));
    const auto finished = cuda::waitFor(context, "running the patched kernel", std::move(stop), work.mostSeconds);
    if (!finished)
        return tl::unexpected(fromCuda(finished.error()));
    report.stillRuns = !*finished;
    if (report.stillRuns) {
        counter.abandon();
        return report;
    }
    auto counted = counter.read();
    if (!counted)
        return tl::unexpected(counted.error());
    report.instructions = std::move(*counted);
    if (report.instructions.empty())
        return tl::unexpected(Failure{FailureKind::kOther, 0, "the patched kernel left no counts of instructions", "run again in a new process"});
    return report;
}

}  // namespace tw::cupti
