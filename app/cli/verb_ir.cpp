#include <fmt/ranges.h>

#include "app/cli/opened_file.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"
#include "core/ir/print.h"
#include "core/passes/layout_reasons.h"
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

Json lineOf(const ir::Provenance& where, const SourceSet& sources)
{
    if (!where.range.isKnown() || where.range.file >= sources.size())
        return nullptr;
    return sources.file(where.range.file).lineColumn(where.range.begin).line;
}

Json reasonJson(const passes::LayoutReason& reason, const SourceSet& sources)
{
    Json candidates = Json::array();
    for (const passes::LayoutCandidate& c : reason.candidates)
        candidates.push_back({{"layout", c.layout}, {"wantedBy", c.wantedBy}, {"line", lineOf(c.where, sources)}, {"cost", c.cost}, {"chosen", c.chosen}});
    Json json = {{"buffer", reason.buffer}, {"why", reason.why}, {"line", lineOf(reason.demandedBy, sources)}, {"unit", reason.unit}, {"provenance", "modelled"}};
    json["registers"] = reason.registers > 0 ? Json(reason.registers) : Json(nullptr);
    json["copies"] = reason.copies;
    json["candidates"] = std::move(candidates);
    return json;
}

void addReasons(const driver::CompileSnapshot& snapshot, Report& report)
{
    if (!snapshot.program)
        return;
    const SourceSet& sources = snapshot.program->sources();
    report.json()["layouts"] = Json::array();
    for (const passes::LayoutReason& reason : snapshot.layoutReasons) {
        report.json()["layouts"].push_back(reasonJson(reason, sources));
        report.text() += passes::reasonText(reason, sources);
    }
    if (!snapshot.target.isCuda())
        report.text() += fmt::format("# no layouts are chosen for {}: tiles are arrays there\n", snapshot.target.name);
}

}  // namespace

int runIr(const Options& options, Report& report, std::stop_token stop)
{
    const auto opened = openKernel(options, report, stop);
    if (!opened)
        return opened.error();
    const auto& [file, selected] = *opened;
    device::ExtentChoice choice{};
    const auto snapshot = device::compileWithExtents(
        file->request(selected.request,
                      (driver::StageWanted::kTrace | driver::StageWanted::kCheck) | static_cast<unsigned>(driver::StageWanted::kPasses)),
        1024, choice, stop);
    report.addAll(snapshot->diagnostics);
    report.json()["kernel"] = snapshot->kernel;
    report.json()["instance"] = snapshot->instance.name;
    report.json()["target"] = snapshot->target.name;
    report.json()["passes"] = Json::array();
    if (const auto missing = device::missingParameters(*snapshot); !missing.empty()) {
        report.fail(Code::kUsage, fmt::format("{} needs --param {}", snapshot->kernel, fmt::join(missing, ", ")));
        return kUsage;
    }
    if (options.why)
        addReasons(*snapshot, report);
    // With --why the IR itself only if a pass is named.
    const bool isWanted = !options.why || options.all || !options.after.empty() || !options.stage.empty();
    for (const passes::PassRecord* record : isWanted ? chosen(*snapshot, options, report) : std::vector<const passes::PassRecord*>{}) {
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
