#include <chrono>

#include <fmt/core.h>

#include "app/cli/opened_file.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"
#include "profiler/device/workload.h"

namespace tw::cli {
namespace {

class Checker {
public:
    Checker(const Options& options, const OpenedFile& file, Report& report, std::stop_token stop)
        : asksForTarget_(options.target.has_value()), file_(file), report_(report), stop_(std::move(stop)), stages_(driver::StageWanted::kTrace | driver::StageWanted::kCheck)
    {
        if (!options.noLower)
            stages_ |= static_cast<unsigned>(driver::StageWanted::kPasses);
    }

    // Empty where nobody knows the values that the instance needs, or no extent that was tried fits.
    std::optional<Json> instance(const Selected& selected)
    {
        const auto start = std::chrono::steady_clock::now();
        device::ExtentChoice choice{};
        const auto snapshot = device::compileWithExtents(file_.request(selected.request, stages_), 1024, choice, stop_);
        if (choice == device::ExtentChoice::kNothingFits) {
            noteNothingFits(snapshot->diagnostics, report_);
            return std::nullopt;
        }
        tell(*snapshot);
        if (const auto missing = device::missingParameters(*snapshot); !snapshot->function && !missing.empty()) {
            noteMissing(selected, missing, report_);
            return std::nullopt;
        }
        const bool ok = isFine(*snapshot);
        if (ok)
            configurations(selected);
        const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        const std::string name = selected.request.instance.empty() ? snapshot->instance.name : selected.request.instance;
        return Json{{"kernel", selected.kernel->name}, {"instance", name}, {"ok", ok}, {"ms", ms}};
    }

    // Whether all that was found is that the target asked for cannot do it.
    [[nodiscard]] bool onlyRefuses() const { return refuses_ && !isWrong_; }

private:
    void tell(const driver::CompileSnapshot& snapshot)
    {
        for (const Diagnostic& d : snapshot.diagnostics) {
            // What a target lacks is no mistake of the file, but the answer to a question about that target. A back end that
            // this build lacks is neither.
            const bool isRefusal = d.code == Code::kNotSupported && snapshot.function;
            refuses_ |= isRefusal && answers(snapshot);
            if (!isRefusal || answers(snapshot))
                report_.add(d);
            isWrong_ |= d.severity == Severity::kError && !isRefusal;
        }
    }

    // Whether the question is what this target can do.
    [[nodiscard]] bool answers(const driver::CompileSnapshot& snapshot) const { return asksForTarget_ && snapshot.target.isCuda(); }

    [[nodiscard]] bool isFine(const driver::CompileSnapshot& snapshot) const
    {
        return snapshot.function && std::none_of(snapshot.diagnostics.begin(), snapshot.diagnostics.end(), [&](const Diagnostic& d) {
                   return d.severity == Severity::kError && (d.code != Code::kNotSupported || answers(snapshot));
               });
    }

    // The other configurations of an autotuned kernel, up to the first that cannot be. Tuning leaves such ones out: the program is none the worse.
    void configurations(const Selected& selected)
    {
        if (!selected.request.params.empty() || selected.kernel->configs.size() < 2)
            return;
        for (std::size_t i = 1; i < selected.kernel->configs.size() && !stop_.stop_requested(); ++i) {
            staging::TraceRequest request = selected.request;
            request.params = selected.kernel->configs[i];
            device::ExtentChoice choice{};
            const auto stages = driver::StageWanted::kTrace | driver::StageWanted::kCheck;
            const auto snapshot = device::compileWithExtents(file_.request(request, stages), 1024, choice, stop_);
            if (!isFine(*snapshot) && choice != device::ExtentChoice::kNothingFits)
                return leftOut(*snapshot, request.params);
        }
    }

    void leftOut(const driver::CompileSnapshot& snapshot, const staging::Bindings& configuration)
    {
        std::string values;
        for (const auto& [name, value] : configuration)
            values += fmt::format("{}{}={}", values.empty() ? "" : ", ", name, value);
        for (Diagnostic d : snapshot.diagnostics) {
            if (d.severity != Severity::kError)
                continue;
            d.severity = Severity::kWarning;
            d.message = fmt::format("tuning leaves the configuration {} out: {}", values, d.message);
            report_.add(d);
        }
    }

    bool asksForTarget_;
    bool refuses_ = false, isWrong_ = false;
    const OpenedFile& file_;
    Report& report_;
    std::stop_token stop_;
    unsigned stages_;
};

}  // namespace

int runCheck(const Options& options, Report& report, std::stop_token stop)
{
    report.json()["results"] = Json::array();
    const auto file = OpenedFile::open(options, report, stop);
    if (!file)
        return kUsage;
    const Selection selection = select(*file, options, Scope::kEverything, report);
    if (selection.exitCode != kFine)
        return selection.exitCode;
    Checker checker(options, *file, report, stop);
    for (const Selected& selected : selection.items) {
        if (stop.stop_requested())
            break;
        if (auto result = checker.instance(selected))
            report.json()["results"].push_back(std::move(*result));
    }
    const std::size_t checked = report.json()["results"].size();
    if (!report.hasErrors())
        report.text() = fmt::format("{}: {} kernel instance{} checked, no error\n", file->survey().source->name(), checked,
                                    checked == 1 ? "" : "s");
    return !report.hasErrors() ? kFine : checker.onlyRefuses() ? kCannot : kProgramWrong;
}

}  // namespace tw::cli
