// Variants side by side: configurations, instances, targets, files, stored runs.
#include <atomic>
#include <filesystem>
#include <thread>

#include <fmt/ranges.h>

#include "app/cli/literal.h"
#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/stored_run.h"
#include "app/cli/verbs.h"
#include "profiler/compare/compare.h"
#include "profiler/report/compare_page.h"
#include "profiler/report/style.h"
#include "profiler/store/file.h"
#include "profiler/tune/modelled.h"
#include "profiler/tune/tune.h"

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

struct Slot {
    std::string id;
    std::optional<protocol::Job> job;  // absent for a kept capture
    std::shared_ptr<const driver::CompileSnapshot> survey;
    std::optional<capture::Capture> capture;
    std::string error;
    int exitCode = kFine;
};

// All combinations of --space, in order; one empty one without it.
std::vector<staging::Bindings> product(const std::map<std::string, std::vector<std::string>>& space)
{
    std::vector<staging::Bindings> out{{}};
    for (const auto& [name, values] : space) {
        std::vector<staging::Bindings> wider;
        for (const staging::Bindings& one : out)
            for (const std::string& value : values) {
                wider.push_back(one);
                wider.back()[name] = value;
            }
        out = std::move(wider);
        if (out.size() > compare::kMostVariants)
            break;
    }
    return out;
}

class Variants {
public:
    Variants(const Options& options, Report& report, std::stop_token stop) : options_(options), report_(report), stop_(std::move(stop)) {}

    // False with an error in the report.
    bool collect()
    {
        for (const std::string& word : options_.files) {
            if (namesRun(word) ? !addRun(word) : !addFile(word))
                return false;
            if (slots_.size() > compare::kMostVariants)
                return fail(fmt::format("compare takes 2 to {} variants, not {}", compare::kMostVariants, slots_.size()));
        }
        return slots_.size() >= 2 || fail("compare takes 2 to 8 variants: more files, FILE.py@INSTANCE, --space NAME=VALUE,VALUE or --target twice");
    }

    // Near stages on all processors.
    void model()
    {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i; (i = next++) < slots_.size();)
                if (slots_[i].job)
                    modelOne(slots_[i]);
        };
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < std::min<std::size_t>(slots_.size(), std::max(1U, std::thread::hardware_concurrency())); ++i)
            workers.emplace_back(work);
    }

    // One after the other: they share a device.
    void measure()
    {
        const RunnerChoice runner = chooseRunner(options_.device);
        for (Slot& slot : slots_) {
            if (!slot.job || stop_.stop_requested())
                continue;
            protocol::ProfileRequest request;
            request.job = *slot.job;
            request.device = runner.device;
            request.seed = options_.seed;
            protocol::ProfileResult result = runner.client->profile(request, progressLine(options_), stop_);
            clearProgressLine(options_);
            slot.capture = std::move(result.capture);
            slot.exitCode = static_cast<int>(result.head.outcome);
            if (slot.capture)
                slot.capture->environment.device = options_.device;
            else
                slot.error = tune::firstError(result.head.diagnostics);
        }
    }

    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

private:
    bool fail(std::string message, Code code = Code::kUsage)
    {
        report_.fail(code, std::move(message));
        return false;
    }

    bool addRun(const std::string& word)
    {
        auto capture = openRun(word, options_);
        if (!capture)
            return fail(capture.error(), Code::kFile);
        slots_.push_back({word.ends_with(".twr") ? word : "run " + word, std::nullopt, nullptr, std::move(*capture), {}, kFine});
        return true;
    }

    bool addFile(const std::string& word)
    {
        auto& own = *ownOptions_.emplace_back(std::make_unique<Options>(options_));
        const std::size_t at = word.rfind('@');
        std::error_code error;
        if (at != std::string::npos && !fs::exists(word, error)) {
            own.instance = word.substr(at + 1);
            own.files = {word.substr(0, at)};
        } else {
            own.files = {word};
        }
        // Ranges of one file mean nothing in another: what is wrong is said with the file's name.
        Report found(own, own.files.front());
        const auto file = OpenedFile::open(own, found, stop_);
        const Selection selection = file ? select(*file, kernelOptions(own, *file), Scope::kOne, found) : Selection{kUsage, {}};
        if (selection.items.empty())
            return fail(fmt::format("{}: {}", word, found.hasErrors() ? tune::firstError(found.diagnostics()) : "the file has no kernel"));
        const auto survey = file->request({}, 0).previous;
        std::vector<std::optional<std::string>> targets(options_.targets.begin(), options_.targets.end());
        if (targets.empty())
            targets.emplace_back();
        for (const auto& target : targets)
            for (const staging::Bindings& config : product(options_.space))
                addVariant(word, *file, selection.items[0].request, target, config, survey);
        return true;
    }

    // An instance with no kernel named is one of whichever kernel has it.
    static Options& kernelOptions(Options& own, const OpenedFile& file)
    {
        if (!own.kernel.empty() || own.instance.empty() || !file.program())
            return own;
        for (const staging::Kernel& kernel : file.program()->kernels())
            for (const staging::Instance& instance : kernel.instances)
                if (instance.name == own.instance && own.kernel.empty())
                    own.kernel = kernel.name;
        return own;
    }

    void addVariant(const std::string& word, const OpenedFile& file, staging::TraceRequest request, const std::optional<std::string>& target,
                    const staging::Bindings& config, const std::shared_ptr<const driver::CompileSnapshot>& survey)
    {
        std::string id = word;
        for (const auto& [name, value] : config) {
            request.params[name] = value;
            id += fmt::format(" {}={}", name, value);
        }
        if (options_.targets.size() > 1)
            id += " " + *target;
        protocol::Job job = file.job(request);
        if (target)
            job.target = target;
        slots_.push_back({std::move(id), std::move(job), survey, std::nullopt, {}, kFine});
    }

    void modelOne(Slot& slot) const
    {
        tune::Modelled made = tune::modelled(*slot.job, slot.survey, stop_);
        slot.capture = std::move(made.capture);
        if (!slot.capture) {
            slot.error = tune::firstError(made.diagnostics);
            slot.exitCode = kProgramWrong;
        }
    }

    const Options& options_;
    Report& report_;
    std::stop_token stop_;
    std::vector<std::unique_ptr<Options>> ownOptions_;
    std::vector<Slot> slots_;
};

Json valueOf(const compare::Value& value) { return value.number ? number(*value.number) : value.text.empty() ? Json(nullptr) : Json(value.text); }

void fillJson(const std::vector<compare::Variant>& variants, const std::vector<compare::Row>& rows, Json& json)
{
    const auto names = compare::shortNames(variants, rows);
    json["variants"] = Json::array();
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const capture::Capture& c = *variants[i].capture;
        json["variants"].push_back({{"id", variants[i].id}, {"name", names[i]}, {"kernel", c.kernel}, {"instance", c.instance}, {"params", paramsToJson(c.params)},
                                    {"target", c.target}, {"device", c.environment.device}});
    }
    json["rows"] = Json::array();
    for (const compare::Row& row : rows) {
        Json values = Json::array();
        for (const compare::Value& value : row.values)
            values.push_back(valueOf(value));
        json["rows"].push_back({{"name", row.name}, {"unit", row.unit}, {"values", values}, {"source", originText(row.origin)}, {"group", groupText(row.group)},
                                {"differs", row.differs}, {"best", row.best < 0 ? Json(nullptr) : Json(row.best)}});
    }
}

// --format, else the ending of --output, else text.
std::string formatOf(const Options& options)
{
    const std::string ending = fs::path(options.output).extension().string();
    return !options.format.empty() ? options.format : ending.size() > 1 ? ending.substr(1) : "text";
}

int deliver(const Options& options, const std::string& format, const std::vector<compare::Variant>& variants, const std::vector<compare::Row>& rows, Report& report)
{
    std::string out = format == "html" ? report::comparisonPage(variants, rows)
                      : format == "csv" ? report::comparisonCsv(variants, rows)
                      : format == "svg" ? report::standalone(report::comparisonChart(variants, rows))
                                        : compare::toText(variants, rows);
    if (format == "json") {
        Json document = Json::object();
        fillJson(variants, rows, document);
        out = document.dump(1) + "\n";
    }
    if (options.output.empty()) {
        report.text() = std::move(out);
        return kFine;
    }
    if (const auto written = store::writeWhole(options.output, out); !written) {
        report.fail(Code::kFile, written.error());
        return kUsage;
    }
    report.json()["path"] = options.output;
    return kFine;
}

}  // namespace

int runCompare(const Options& options, Report& report, std::stop_token stop)
{
    const std::string format = formatOf(options);
    if (format != "text" && format != "html" && format != "csv" && format != "svg" && format != "json") {
        report.fail(Code::kUsage, fmt::format("--format takes text, html, csv, svg, json; not {}", format));
        return kUsage;
    }
    Variants all(options, report, stop);
    if (!all.collect())
        return kUsage;
    if (options.deviceGiven)
        all.measure();
    else
        all.model();
    int exitCode = kFine;
    std::vector<compare::Variant> variants;
    for (const Slot& slot : all.slots()) {
        if (slot.capture) {
            variants.push_back({slot.id, &*slot.capture});
            continue;
        }
        if (stop.stop_requested())
            continue;  // not measured is not wrong
        report.fail(slot.exitCode == kCannot ? Code::kNotSupported : Code::kUsage, fmt::format("{}{}", slot.error.starts_with("not supported: ") ? "" : slot.id + ": ", slot.error));
        exitCode = slot.exitCode == kFine ? static_cast<int>(kProgramWrong) : slot.exitCode;
    }
    const auto rows = compare::rowsOf(variants);
    fillJson(variants, rows, report.json());
    if (variants.empty())
        return exitCode;
    const int delivered = deliver(options, format, variants, rows, report);
    return delivered == kFine ? exitCode : delivered;
}

}  // namespace tw::cli
