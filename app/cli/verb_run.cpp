#include <unistd.h>

#include <filesystem>

#include <fmt/ranges.h>

#include "app/cli/opened_file.h"
#include "app/cli/runner.h"
#include "app/cli/select.h"
#include "app/cli/simulation.h"
#include "app/cli/verbs.h"
#include "profiler/cuda/timing.h"
#include "profiler/device/npy.h"

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

std::string describe(const Json& o)
{
    std::vector<std::string> extents;
    for (const Json& e : o["shape"])
        extents.push_back(e.dump());
    std::string out = fmt::format("{}: {}[{}]", o["name"].get<std::string>(), o["dtype"].get<std::string>(), fmt::join(extents, ", "));
    if (!o["min"].is_null())
        out += fmt::format("  min {} max {} mean {}", o["min"].dump(), o["max"].dump(), o["mean"].dump());
    for (const char* count : {"nan", "inf"})
        if (o[count].get<std::int64_t>() > 0)
            out += fmt::format("  {} {}", o[count].get<std::int64_t>(), count);
    if (o.contains("path"))
        out += "  -> " + o["path"].get<std::string>();
    return out + "\n";
}

int fillOutputs(const Options& options, const protocol::RunResult& result, Report& report)
{
    std::error_code error;
    if (!options.outputDir.empty())
        fs::create_directories(options.outputDir, error);
    if (error) {
        report.fail(Code::kFile, fmt::format("cannot make the folder {}: {}", options.outputDir, error.message()));
        return kUsage;
    }
    for (const protocol::Output& o : result.outputs) {
        Json out = {{"name", o.name}, {"dtype", o.dtype}, {"shape", o.shape}, {"min", number(o.min)}, {"max", number(o.max)},
                    {"mean", number(o.mean)}, {"nan", o.nan}, {"inf", o.inf}};
        if (!options.outputDir.empty() && o.data) {
            const std::string path = (fs::path(options.outputDir) / (o.name + ".npy")).string();
            if (const auto written = writeFile(path, device::writeNpy(*o.data)); !written) {
                report.fail(Code::kFile, written.error());
                return kUsage;
            }
            out["path"] = path;
        }
        report.text() += describe(out);
        report.json()["outputs"].push_back(std::move(out));
    }
    return kFine;
}

}  // namespace

int runRun(const Options& options, Report& report, std::stop_token stop)
{
    report.json()["outputs"] = Json::array();
    const auto opened = openKernel(options, report, stop);
    if (!opened)
        return opened.error();
    const auto& [file, selected] = *opened;
    auto inputs = readInputs(options);
    if (!inputs) {
        report.fail(Code::kFile, inputs.error());
        return kUsage;
    }
    const RunnerChoice runner = chooseRunner(options.device);
    const protocol::RunResult result = runner.client->run(
        {file->job(selected.request), runner.device, std::move(*inputs), options.seed, options.repeat, !options.outputDir.empty()},
        progressLine(options), stop);
    clearProgressLine(options);
    putHead(result.head, report);
    report.json()["device"] = options.device;
    report.json()["log"] = result.log;
    writeAll(STDERR_FILENO, result.log);
    if (result.simulation)
        report.json()["simulation"] = simulationJson(*result.simulation, result.head.target, report);
    if (result.head.outcome != protocol::Outcome::kFine)
        return static_cast<int>(result.head.outcome);

    const cuda::TimingSummary times = cuda::summarizeTimes(result.samplesUs);
    const double spreadPct = 100 * times.spread();
    report.text() = fmt::format("{}@{} on {}\n", result.head.kernel, result.head.instance, options.device);
    const int exitCode = fillOutputs(options, result, report);
    report.json()["timing"] = {{"compileMs", result.compileMs}, {"medianUs", times.median}, {"minUs", times.min}, {"samples", result.samplesUs.size()},
                                {"spreadPct", spreadPct}, {"clock", result.clock}};
    report.text() += fmt::format("time: {:.1f} µs median ± {:.1f} %, {:.1f} µs least of {} run{} ({}); compiled in {:.1f} ms\n", times.median,
                                 spreadPct, times.min, result.samplesUs.size(), result.samplesUs.size() == 1 ? "" : "s", result.clock, result.compileMs);
    if (result.simulation)
        report.text() += simulationText(*result.simulation, result.head.target, report);
    return exitCode;
}

}  // namespace tw::cli
