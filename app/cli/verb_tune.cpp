// Tries configurations of one kernel on a device.
#include <unistd.h>

#include <algorithm>

#include <fmt/ranges.h>

#include "app/cli/literal.h"
#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/stored_run.h"
#include "app/cli/verbs.h"
#include "profiler/store/file.h"
#include "profiler/tune/tune.h"
#include "profiler/tune/write_back.h"

namespace tw::cli {
namespace {

using tune::Candidate;
using tune::State;

Json candidateJson(const Candidate& c)
{
    Json out = {{"params", paramsToJson(c.params)}, {"medianUs", number(c.medianUs)}, {"modelUs", number(c.modelUs)}, {"ok", c.state == State::kMeasured},
                {"state", stateText(c.state)}};
    if (c.medianUs)
        out.update({{"spread", number(c.spread)}, {"samples", c.samples}, {"stored", c.isFromStore}});
    if (!c.message.empty())
        out["message"] = c.message;
    return out;
}

bool wasRun(const Candidate& c) { return c.state == State::kMeasured || c.state == State::kWrong || c.state == State::kFailed; }

void fillJson(const tune::Request& request, const tune::Result& result, Json& json)
{
    json["space"] = Json::object();
    for (const auto& [name, values] : request.space.values)
        for (const std::string& value : values)
            json["space"][name].push_back(literalToJson(value));
    json["configurations"] = request.space.configs.size();
    json["reference"] = result.reference.empty() ? Json(nullptr) : Json(result.reference);
    json["measured"] = Json::array();
    json["unmeasured"] = Json::array();
    for (const Candidate& c : result.candidates)
        json[wasRun(c) ? "measured" : "unmeasured"].push_back(candidateJson(c));
    json["best"] = nullptr;
    if (const Candidate* best = result.best())
        json["best"] = {{"params", paramsToJson(best->params)}, {"medianUs", number(best->medianUs)}, {"modelUs", number(best->modelUs)},
                        {"source", best->medianUs ? "measured" : "modelled"}};
    if (!result.note.empty())
        json["note"] = result.note;
}

std::string lineOf(const Candidate& c, std::size_t width)
{
    const std::string median = c.medianUs ? fmt::format("{:10.1f} µs ±{:4.1f} %", *c.medianUs, 100 * c.spread) : fmt::format("{:>21}", "-");
    const std::string model = c.modelUs ? fmt::format("{:10.1f} µs", *c.modelUs) : fmt::format("{:>13}", "-");
    return fmt::format("{:{}}  {}  {}  {}{}{}\n", paramsText(c.params), width, median, model, stateText(c.state), c.isFromStore ? ", from the store" : "",
                       c.message.empty() ? "" : ": " + c.message);
}

std::string textOf(const tune::Result& result)
{
    std::size_t width = 13;
    for (const Candidate& c : result.candidates)
        width = std::max(width, paramsText(c.params).size());
    std::string out = fmt::format("{:{}}  {:>20}  {:>12}  state\n", "configuration", width, "measured", "modelled");
    std::size_t shown = 0, invalid = 0;
    for (const Candidate& c : result.candidates) {
        if (c.state == State::kInvalid)
            ++invalid;
        if (wasRun(c) || shown < 20)
            out += lineOf(c, width);
        shown += 1;
    }
    if (result.candidates.size() > 20)
        out += fmt::format("{} configurations in all, {} do not compile; --json lists every one\n", result.candidates.size(), invalid);
    if (result.isModelOnly)
        out += "modelled only: the simulator measures no time\n";
    else if (!result.reference.empty())
        out += result.reference == "each other" ? std::string("answers were checked against each other\n") : fmt::format("answers were checked against {}\n", result.reference);
    if (!result.note.empty())
        out += result.note + "\n";
    if (const Candidate* best = result.best())
        out += fmt::format("best: {}\n", paramsText(best->params));
    return out;
}

// The winner's values into the file. False with an error in the report.
bool writeBest(const OpenedFile& file, const Selected& selected, const Candidate& best, const Options& options, Report& report)
{
    const staging::Kernel& kernel = *selected.kernel;
    const auto named = std::find_if(kernel.instances.begin(), kernel.instances.end(), [&](const auto& i) { return i.name == selected.request.instance; });
    const staging::Instance* instance = named != kernel.instances.end() ? &*named : kernel.instances.empty() ? nullptr : &kernel.instances.front();
    const auto edits = tune::editsFor(kernel, instance, best.params, file.program()->sources());
    if (!edits || options.files.front() == "-") {
        report.note("not written: " + (edits ? std::string("the program came from standard input") : edits.error()));
        return true;
    }
    const auto written = edits->empty() ? store::Result<void>() : store::writeWhole(options.files.front(), tune::applied(file.program()->sources().file(0).text(), *edits));
    if (!written) {
        report.fail(Code::kFile, written.error());
        return false;
    }
    report.json()["written"] = edits->size();
    report.text() += fmt::format("{} default{} of {} changed\n", edits->size(), edits->size() == 1 ? "" : "s", options.files.front());
    return true;
}

// A capture of the winner, for the history and for `compare`.
void keepBest(const tune::Request& request, const Candidate& best, protocol::Client& runner, store::Store& store, Report& report, const std::stop_token& stop)
{
    protocol::ProfileRequest profile;
    profile.job = tune::jobOf(request, best);
    profile.device = request.device;
    profile.inputs = request.inputs;
    profile.seed = request.seed;
    protocol::ProfileResult result = runner.profile(profile, {}, stop);
    if (!result.capture)
        return;
    result.capture->environment.device = request.deviceName;
    result.capture->tags.emplace_back("tune");
    if (const auto id = store.add(*result.capture))
        report.json()["run"] = *id;
    else
        report.note("the winner is not stored: " + id.error());
}

// What a window shows while the search goes on: {"phase","done","total","trial"?}, a trial as in the document at the end.
void writeProgress(const tune::Progress& p)
{
    Json line = {{"phase", p.phase}, {"done", p.done}, {"total", p.total}};
    if (p.changed)
        line["trial"] = candidateJson(*p.changed);
    writeAll(STDERR_FILENO, line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

tune::OnProgress progressOf(const Options& options)
{
    if (options.progress)
        return writeProgress;
    if (options.json || options.quiet || !::isatty(STDERR_FILENO))
        return {};
    return [](const tune::Progress& p) { writeAll(STDERR_FILENO, fmt::format("\r\x1b[K{} {} of {}", p.phase, p.done, p.total)); };
}

int exitOf(const tune::Result& result)
{
    if (result.failure)
        return result.failure->outcome == protocol::Outcome::kFine ? static_cast<int>(kCannot) : static_cast<int>(result.failure->outcome);
    if (result.best())
        return kFine;
    const auto has = [&](State state) { return std::any_of(result.candidates.begin(), result.candidates.end(), [&](const Candidate& c) { return c.state == state; }); };
    return has(State::kWrong) ? kAnswerWrong : has(State::kModelled) ? kCannot : kProgramWrong;
}

}  // namespace

int runTune(const Options& options, Report& report, std::stop_token stop)
{
    const auto opened = openKernel(options, report, stop);
    if (!opened)
        return opened.error();
    const auto& [file, selected] = *opened;
    const auto usage = [&](std::string message) {
        report.fail(Code::kUsage, std::move(message));
        return static_cast<int>(kUsage);
    };
    auto space = tune::spaceOf(*selected.kernel, options.space);
    if (!space)
        return usage(space.error());
    auto inputs = readInputs(options);
    if (!inputs)
        return usage(inputs.error());
    if (options.device == "interp") {
        report.fail(Code::kNotSupported, "not supported: tuning on the interpreter, which has no time; --device cpu and cuda:N measure, sim models");
        return kCannot;
    }
    tune::Request request;
    request.job = file->job(selected.request);
    request.space = std::move(*space);
    request.device = chooseRunner(options.device).device;
    request.deviceName = options.device;
    request.inputs = std::move(*inputs);
    request.seed = options.seed;
    request.makeClient = [&options] { return chooseRunner(options.device).client; };
    request.top = static_cast<std::size_t>(options.top);
    request.budgetSeconds = options.budgetSeconds;
    request.isFresh = options.again;
    if (options.repeatGiven)
        request.repeat = options.repeat;

    auto store = store::Store::open(storePath(options));
    if (!store && !options.store.empty())
        return usage(store.error());
    if (!store)
        report.note("trials are not kept: " + store.error());
    const tune::Result result = tune::tune(request, store ? &*store : nullptr, progressOf(options), stop);
    clearProgressLine(options);
    report.json()["kernel"] = selected.kernel->name;
    report.json()["instance"] = selected.request.instance;
    report.json()["device"] = options.device;
    fillJson(request, result, report.json());
    report.text() = textOf(result);
    if (result.failure)
        report.addAll(result.failure->diagnostics);
    const Candidate* best = result.best();
    if (best && best->medianUs && !best->isFromStore && result.runner && store && !stop.stop_requested())
        keepBest(request, *best, *result.runner, *store, report, stop);
    if (options.write && best && !writeBest(*file, selected, *best, options, report))
        return kUsage;
    return exitOf(result);
}

}  // namespace tw::cli
