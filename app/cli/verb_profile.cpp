// Runs one kernel under the profiler and prints what came out.
#include <optional>

#include <fmt/ranges.h>

#include "app/cli/profile_text.h"
#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/stored_run.h"
#include "app/cli/timeline_text.h"
#include "app/cli/verbs.h"
#include "profiler/report/html.h"
#include "profiler/store/file.h"
#include "profiler/store/twr.h"
#include "profiler/timeline/perfetto.h"

namespace tw::cli {
namespace {

constexpr int kSamples = 10;  // where --repeat says nothing

std::vector<std::string> words(const std::string& list)
{
    std::vector<std::string> out;
    std::string word;
    for (const char c : list + ",") {
        if (c != ',' && c != ' ')
            word += c;
        else if (!word.empty())
            out.push_back(std::exchange(word, {}));
    }
    return out;
}

Json rangeOf(const SourceText& text, const SourceRange& range)
{
    const LineColumn begin = text.lineColumn(range.begin), end = text.lineColumn(range.end);
    return {{"line", begin.line}, {"column", begin.column}, {"endLine", end.line}, {"endColumn", end.column}};
}

Json toJson(const capture::Edit& edit, const std::vector<capture::SourceFile>& files)
{
    Json json = {{"label", edit.label}, {"modelledGain", number(edit.modelledGain)}, {"changes", Json::array()}};
    for (const FixIt& change : edit.changes) {
        if (change.range.file >= files.size())
            continue;
        Json place = rangeOf(SourceText(files[change.range.file].name, files[change.range.file].text), change.range);
        place["replacement"] = change.replacement;
        json["changes"].push_back(std::move(place));
    }
    return json;
}

Json countsJson(const std::map<std::string, double>& counts)
{
    Json json = Json::object();
    for (const auto& [name, count] : counts)
        json[name] = number(count);
    return json;
}

// Heat and counts of lines of the source, the CUDA text and SASS.
void fillLines(const capture::Capture& c, Json& json)
{
    json["lines"] = Json::array();
    for (const capture::LineCost& line : c.lines) {
        Json stalls = Json::object();
        for (const auto& [reason, share] : line.stalls)
            stalls[reason] = number(share);
        json["lines"].push_back({{"text", line.text}, {"line", line.line}, {"op", line.op}, {"share", number(line.share)}, {"stalls", stalls},
                                 {"source", originText(line.origin)}});
        if (!line.counts.empty())
            json["lines"].back()["counts"] = countsJson(line.counts);
    }
}

void fillJson(const capture::Capture& c, Json& json)
{
    json["metrics"] = Json::array();
    for (const capture::Metric& m : c.metrics)
        json["metrics"].push_back({{"name", m.name}, {"value", number(m.value)}, {"unit", m.unit}, {"launch", m.launch < 0 ? Json(nullptr) : Json(m.launch)},
                                   {"source", originText(m.origin)}, {"samples", m.samples}, {"spread", number(m.spread)}});
    json["operations"] = Json::array();
    for (const capture::Operation& op : c.operations) {
        Json stalls = Json::object(), bytes = Json::object();
        for (const auto& [reason, share] : op.stalls)
            stalls[reason] = number(share);
        for (const auto& [level, count] : op.bytes)
            bytes[level] = number(count);
        json["operations"].push_back({{"id", op.id}, {"name", op.name}, {"line", op.line}, {"timeShare", number(op.timeShare)}, {"bytes", bytes},
                                      {"stalls", stalls}, {"flops", number(op.flops)}, {"source", originText(op.origin)}});
        if (!op.counts.empty())
            json["operations"].back()["counts"] = countsJson(op.counts);
    }
    fillLines(c, json);
    json["launches"] = Json::array();
    for (const capture::Launch& l : c.launches)
        json["launches"].push_back({{"entry", l.entry}, {"grid", l.grid}, {"block", l.block}, {"registers", l.registers},
                                    {"sharedBytes", l.staticSharedBytes + l.dynamicSharedBytes}, {"spillBytes", l.spillBytes}, {"blocksPerSm", l.blocksPerSm},
                                    {"occupancy", number(l.occupancy)}, {"limiter", l.limiter}, {"bound", l.bound}});
    json["ceilings"] = Json::array();
    for (const capture::Ceiling& ceiling : c.roofline.ceilings)
        json["ceilings"].push_back({{"name", ceiling.name}, {"perSecond", number(ceiling.perSecond)}, {"unit", ceiling.isBandwidth ? "bytes/s" : "operations/s"},
                                    {"source", originText(ceiling.origin)}, {"samples", ceiling.samples}, {"spread", number(ceiling.spread)}});
    json["findings"] = Json::array();
    for (const capture::Finding& f : c.findings) {
        Json finding = {{"code", f.code}, {"value", number(f.value)}, {"unit", f.unit}, {"reason", f.reason}, {"line", f.line},
                        {"gain", number(f.gain)}, {"source", originText(f.origin)}};
        if (f.edit.isPossible())
            finding["edit"] = toJson(f.edit, c.files);
        json["findings"].push_back(std::move(finding));
    }
    json["absences"] = c.absences;
}

// Into the store; gives the baseline. What cannot be stored is kept in a file beside the store: measuring took its time.
store::Result<std::optional<capture::Capture>> keepInStore(const capture::Capture& c, const std::string& path, Report& report)
{
    const auto elsewhere = [&](const std::string& why) {
        const std::string file = fmt::format("{}.{}.twr", path, c.created);
        const auto written = store::writeTwr(file, c);
        return tl::unexpected(written ? fmt::format("{}; the capture is in {}", why, file) : fmt::format("{}; {}", why, written.error()));
    };
    auto store = store::Store::open(path);
    if (!store)
        return elsewhere(store.error());
    std::optional<capture::Capture> baseline;
    if (const auto pinned = store->baselineFor(c); pinned && *pinned)
        if (auto loaded = store->load((*pinned)->id))
            baseline = std::move(*loaded);
    const auto id = store->add(c);
    if (!id)
        return elsewhere(id.error());
    report.json()["run"] = *id;
    report.text() += fmt::format("\nstored as run {} of {}\n", *id, path);
    return baseline;
}

// --store, --timeline and --report: each as far as it goes. Empty, or what went wrong first.
std::string keep(const capture::Capture& c, const Options& options, Report& report)
{
    std::string wrong;
    std::optional<capture::Capture> baseline;
    if (!options.store.empty()) {
        auto kept = keepInStore(c, options.store, report);
        if (kept)
            baseline = std::move(*kept);
        else
            wrong = kept.error();
    }
    const auto write = [&](const char* field, const std::string& path, const std::string& text) {
        const auto written = store::writeWhole(path, text);
        if (written)
            report.json()[field] = path;
        else if (wrong.empty())
            wrong = written.error();
    };
    if (!options.timeline.empty())
        write("timeline", options.timeline, timeline::toPerfetto(c));
    if (!options.reportFile.empty())
        write("report", options.reportFile, report::toHtml(c, baseline ? &*baseline : nullptr));
    return wrong;
}

}  // namespace

int runProfile(const Options& options, Report& report, std::stop_token stop)
{
    const auto opened = openKernel(options, report, stop);
    if (!opened)
        return opened.error();
    const auto& [file, selected] = *opened;
    auto inputs = readInputs(options);
    if (!inputs) {
        report.fail(Code::kFile, inputs.error());
        return kUsage;
    }
    RunnerChoice runner = chooseRunner(options.device);
    protocol::ProfileRequest request;
    request.job = file->job(selected.request);
    request.device = runner.device;
    request.inputs = std::move(*inputs);
    request.seed = options.seed;
    request.repeat = options.repeatGiven ? options.repeat : kSamples;
    request.metrics = words(options.metrics);
    request.stalls = request.overTime = request.instructions = true;
    request.timeline = !options.timeline.empty();
    protocol::ProfileResult result = runner.client->profile(request, progressLine(options), stop);
    clearProgressLine(options);
    putHead(result.head, report);
    report.json()["device"] = options.device;
    if (!result.capture)
        return result.head.outcome == protocol::Outcome::kFine ? static_cast<int>(kProgramWrong) : static_cast<int>(result.head.outcome);
    result.capture->environment.device = options.device;  // as it is named here
    fillJson(*result.capture, report.json());
    report.text() = profileText(*result.capture) + timelineText(*result.capture);
    if (std::string failure = keep(*result.capture, options, report); !failure.empty()) {
        report.fail(Code::kFile, std::move(failure));
        return kUsage;
    }
    return static_cast<int>(result.head.outcome);
}

}  // namespace tw::cli
