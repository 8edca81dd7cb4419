#include <unistd.h>

#include <fmt/core.h>

#include "app/cli/serve.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "core/support/check.h"
#include "core/target/names.h"

namespace tw::cli {
namespace {

int dispatch(const Options& options, Report& report, const std::stop_token& stop)
{
    if (options.help)
        return runHelp(options, report, stop);
    switch (options.verb->bit) {
        case VerbBit::kList: return runList(options, report, stop);
        case VerbBit::kCheck: return runCheck(options, report, stop);
        case VerbBit::kIr: return runIr(options, report, stop);
        case VerbBit::kEmit: return runEmit(options, report, stop);
        case VerbBit::kRun: return runRun(options, report, stop);
        case VerbBit::kVerify: return runVerify(options, report, stop);
        case VerbBit::kProfile: return options.listMetrics ? runListMetrics(options, report, stop) : runProfile(options, report, stop);
        case VerbBit::kTune: return runTune(options, report, stop);
        case VerbBit::kCompare: return runCompare(options, report, stop);
        case VerbBit::kExport: return runExport(options, report, stop);
        case VerbBit::kRuns: return runRuns(options, report, stop);
        case VerbBit::kDoctor: return runDoctor(options, report, stop);
        case VerbBit::kHelp: return runHelp(options, report, stop);
        case VerbBit::kCompletion: return runCompletion(options, report, stop);
        case VerbBit::kManpage: return runManpage(options, report, stop);
        default: TW_UNREACHABLE("serve is no verb with a report");
    }
}

// `--target` is checked before anything is read: a wrong word is bad usage, not a wrong program.
bool hasGoodTarget(const Options& options, Report& report)
{
    std::vector<std::string> given = options.targets;
    if (options.target)
        given.push_back(*options.target);
    const auto wrong = std::find_if(given.begin(), given.end(), [](const std::string& name) { return !target::parse(name); });
    if (wrong == given.end())
        return true;
    report.fail(Code::kUsage, fmt::format("unknown target \"{}\"; known are {}", *wrong, target::names()));
    return false;
}

}  // namespace

int runCommand(const std::vector<std::string>& arguments, std::stop_token stop)
{
    if (arguments == std::vector<std::string>{"--version"})
        return writeAll(STDOUT_FILENO, fmt::format("tilec {}\n", kVersion)) ? kFine : kUsage;
    const auto options = parseOptions(arguments);
    if (!options) {
        Options fallback;
        fallback.json = wantsJson(arguments);
        fallback.verb = arguments.empty() ? nullptr : findVerb(arguments.front());
        Report report(fallback, "");
        report.fail(Code::kUsage, options.error());
        return report.finish(kUsage);
    }
    if (options->verb->bit == VerbBit::kServe && !options->help)
        return serve();
    Report report(*options, options->files.empty() ? "" : options->files.front());
    int exitCode = kUsage;
    try {
        if (hasGoodTarget(*options, report))
            exitCode = dispatch(*options, report, stop);
    } catch (const std::exception& e) {
        report.fail(Code::kInternal, fmt::format("internal failure in tilec {}: {}", options->verb->name, e.what()));
        exitCode = kProgramWrong;
    }
    if (stop.stop_requested()) {
        report.note("cancelled");
        exitCode = kInterrupted;
    }
    return report.finish(exitCode);
}

}  // namespace tw::cli
