// One function a verb: fills the report and gives the exit code.
#pragma once

#include <stop_token>

#include "app/cli/options.h"
#include "app/cli/report.h"

namespace tw::cli {

[[nodiscard]] int runList(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runCheck(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runIr(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runEmit(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runRun(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runVerify(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runProfile(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runListMetrics(const Options& options, Report& report, std::stop_token stop);  // `profile --list-metrics`
[[nodiscard]] int runTune(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runCompare(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runRuns(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runExport(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runDoctor(const Options& options, Report& report, std::stop_token stop);
// Text of `tilec help [VERB]`, the completion script of a shell, the manual page.
[[nodiscard]] int runHelp(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runCompletion(const Options& options, Report& report, std::stop_token stop);
[[nodiscard]] int runManpage(const Options& options, Report& report, std::stop_token stop);

// One whole call: parses, runs, prints, gives the exit code.
[[nodiscard]] int runCommand(const std::vector<std::string>& arguments, std::stop_token stop);

}  // namespace tw::cli
