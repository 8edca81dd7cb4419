#include <cmath>

#include <fmt/ranges.h>

#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/verbs.h"

namespace tw::cli {
namespace {

// NaN and infinities as words: JSON has no numbers for them.
Json valueOf(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json comparison(const protocol::Comparison& c)
{
    Json out = {{"name", c.name}, {"maxAbs", number(c.maxAbs)}, {"maxRel", number(c.maxRel)}, {"wrong", c.wrong}, {"total", c.total},
                {"orderDependent", c.orderDependent}};
    out["firstWrong"] = c.firstWrong ? Json(*c.firstWrong) : Json(nullptr);
    out["expected"] = c.firstWrong ? valueOf(c.expected) : Json(nullptr);
    out["got"] = c.firstWrong ? valueOf(c.got) : Json(nullptr);
    return out;
}

std::string describe(const protocol::Comparison& c)
{
    std::string out = fmt::format("  {}: {} of {} wrong, max abs {:.3g}, max rel {:.3g}", c.name, c.wrong, c.total, c.maxAbs, c.maxRel);
    if (c.firstWrong)
        out += fmt::format(", first [{}]: expected {}, got {}", fmt::join(*c.firstWrong, ", "), c.expected, c.got);
    if (c.orderDependent > 0)
        out += fmt::format(", {} depend on the order of blocks", c.orderDependent);
    return out + "\n";
}

// A wrong program outweighs a wrong answer, which outweighs what this machine cannot do.
int worse(int a, int b)
{
    static constexpr int kRank[] = {0, 4, 2, 3, 1};  // of the exit codes 0 … 4
    return kRank[a] >= kRank[b] ? a : b;
}

}  // namespace

int runVerify(const Options& options, Report& report, std::stop_token stop)
{
    report.json()["device"] = options.device;
    report.json()["reference"] = "interp";
    report.json()["results"] = Json::array();
    if (options.device == "interp") {
        report.fail(Code::kUsage, "verify compares a device with the interpreter; --device interp leaves nothing to compare");
        return kUsage;
    }
    const auto file = OpenedFile::open(options, report, stop);
    if (!file)
        return kUsage;
    const Selection selection = select(*file, options, Scope::kEverything, report);
    if (selection.exitCode != kFine)
        return selection.exitCode;
    if (report.hasErrors())
        return kProgramWrong;
    const auto inputs = readInputs(options);
    if (!inputs) {
        report.fail(Code::kFile, inputs.error());
        return kUsage;
    }
    const RunnerChoice runner = chooseRunner(options.device);
    int exitCode = kFine;
    for (const Selected& selected : selection.items) {
        const protocol::VerifyResult result = runner.client->verify(
            {file->job(selected.request), runner.device, *inputs, options.seed, options.inputSets, options.rtol, options.atol},
            progressLine(options), stop);
        clearProgressLine(options);
        if (stop.stop_requested())
            break;
        report.addAll(result.head.diagnostics);
        Json outputs = Json::array();
        const bool ok = result.head.outcome == protocol::Outcome::kFine;
        const std::string instance = result.head.instance.empty() ? selected.request.instance : result.head.instance;
        report.text() += fmt::format("{}@{}: {}\n", selected.kernel->name, instance, ok ? "ok" : "failed");
        for (const protocol::Comparison& c : result.outputs) {
            outputs.push_back(comparison(c));
            report.text() += describe(c);
        }
        Json entry = {{"kernel", selected.kernel->name}, {"instance", instance}, {"ok", ok}, {"outputs", outputs}};
        for (const Diagnostic& d : result.head.diagnostics) {
            if (d.severity == Severity::kError && !entry.contains("error"))
                entry["error"] = toJson(d, &file->program()->sources(), file->survey().source->name());
        }
        report.json()["results"].push_back(std::move(entry));
        exitCode = worse(exitCode, static_cast<int>(result.head.outcome));
    }
    return exitCode;
}

}  // namespace tw::cli
