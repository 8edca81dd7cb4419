#include <fmt/ranges.h>

#include "app/cli/opened_file.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"
#include "core/ir/print.h"
#include "profiler/device/workload.h"

namespace tw::cli {
namespace {

const char* stageName(const ir::Function& f) { return f.stage == ir::Stage::kTile ? "tile" : "thread"; }

// The records that the options ask for; empty, with an error, if there is no such pass.
std::vector<const passes::PassRecord*> chosen(const driver::CompileSnapshot& snapshot, const Options& options, Report& report)
{
    std::vector<const passes::PassRecord*> out;
    std::vector<std::string> names;
    for (const passes::PassRecord& record : snapshot.passes) {
        names.push_back(record.name);
        const bool isStage = options.stage.empty() || options.stage == stageName(*record.after);
        if (options.all ? isStage : options.after.empty() || options.after == record.name)
            out.push_back(&record);
    }
    if (options.all)
        return out;
    if (!options.after.empty()) {
        if (out.empty())
            report.fail(Code::kUsage, fmt::format("there is no pass {} for {}; there are {}", options.after, snapshot.target.name, fmt::join(names, ", ")));
        return out.empty() ? out : std::vector{out.back()};
    }
    if (out.empty())
        return out;
    // Without a pass: the tile stage as traced, or the thread stage as it ends.
    if (options.stage != "thread")
        return {out.front()};
    if (out.back()->after->stage != ir::Stage::kThread) {
        report.fail(Code::kNotSupported, fmt::format("not supported: no pass lowers to the thread stage for {} in this build", snapshot.target.name));
        return {};
    }
    return {out.back()};
}

}  // namespace

int runIr(const Options& options, Report& report, std::stop_token stop)
{
    if (options.why) {
        report.fail(Code::kNotSupported, "not supported: this build does not record why a layout was chosen");
        return kCannot;
    }
    const auto file = OpenedFile::open(options, report, stop);
    if (!file)
        return kUsage;
    const Selection selection = select(*file, options, Scope::kOne, report);
    if (selection.exitCode != kFine || selection.items.empty())
        return selection.exitCode == kFine ? static_cast<int>(kProgramWrong) : selection.exitCode;
    bool choseExtents = false;
    const auto snapshot = device::compileWithExtents(
        file->request(selection.items[0].request,
                      (driver::StageWanted::kTrace | driver::StageWanted::kCheck) | static_cast<unsigned>(driver::StageWanted::kPasses)),
        1024, choseExtents, stop);
    report.addAll(snapshot->diagnostics);
    report.json()["kernel"] = snapshot->kernel;
    report.json()["instance"] = snapshot->instance.name;
    report.json()["target"] = snapshot->target.name;
    report.json()["passes"] = Json::array();
    if (const auto missing = device::missingParameters(*snapshot); !missing.empty()) {
        report.fail(Code::kUsage, fmt::format("{} needs --param {}", snapshot->kernel, fmt::join(missing, ", ")));
        return kUsage;
    }
    for (const passes::PassRecord* record : chosen(*snapshot, options, report)) {
        const std::string text = ir::print(*record->after).text;
        report.json()["passes"].push_back({{"name", record->name}, {"stage", stageName(*record->after)}, {"changed", record->changed},
                                           {"ms", record->milliseconds}, {"text", text}});
        if (options.all)
            report.text() += fmt::format("# ---- {}{}\n", record->name, record->changed || record == &snapshot->passes.front() ? "" : " (unchanged)");
        report.text() += text;
    }
    const auto isUsage = [](const Diagnostic& d) { return d.severity == Severity::kError && d.code == Code::kUsage; };
    if (std::any_of(report.diagnostics().begin(), report.diagnostics().end(), isUsage))
        return kUsage;
    const auto isMistake = [](const Diagnostic& d) { return d.severity == Severity::kError && d.code != Code::kNotSupported; };
    if (std::any_of(report.diagnostics().begin(), report.diagnostics().end(), isMistake))
        return kProgramWrong;
    return report.hasErrors() ? kCannot : kFine;
}

}  // namespace tw::cli
