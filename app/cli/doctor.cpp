#include <unistd.h>

#include <filesystem>

#include <fmt/core.h>

#include "app/cli/own_program.h"
#include "app/cli/runner.h"
#include "app/cli/verbs.h"
#include "profiler/device/execute.h"

namespace tw::cli {
namespace {

using protocol::Check;

// A kernel whose answer everybody knows: y = 2 x + 1.
constexpr const char* kProbe = R"(import tilelang.language as T

@T.prim_func
def probe(X: T.Tensor((256,), T.float32), Y: T.Tensor((256,), T.float32)):
    with T.Kernel(2, threads=128) as b:
        for i in T.Parallel(128):
            Y[b * 128 + i] = X[b * 128 + i] * 2.0 + 1.0
)";

Check device(protocol::Client& client, const char* name, std::stop_token stop)
{
    protocol::RunRequest request;
    request.job.fileName = "probe.py";
    request.job.text = kProbe;
    request.device = name;
    request.inputs["X"].literal = "3";
    const protocol::RunResult result = client.run(request, {}, std::move(stop));
    const bool ok = result.outputs.size() == 1 && result.outputs[0].min == 7.0 && result.outputs[0].max == 7.0;
    std::string detail = ok ? fmt::format("runs a kernel; compiled in {:.1f} ms", result.compileMs) : "does not run a small kernel";
    for (const Diagnostic& d : result.head.diagnostics)
        if (d.severity == Severity::kError && !ok)
            detail = d.message;
    return {fmt::format("device {}", name), ok ? "ok" : "missing", detail, ok ? "" : "reinstall; this is a bug if it stays"};
}

Check window()
{
    std::error_code error;
    const std::filesystem::path program = ownProgram().parent_path() / "tilewright";
    if (std::filesystem::exists(program, error))
        return {"window", "ok", program.string(), ""};
    return {"window", "missing", "the program tilewright is not beside tilec", "build with TW_WITH_APP=ON (./dev build)"};
}

}  // namespace

int runDoctor(const Options& options, Report& report, std::stop_token stop)
{
    const RunnerChoice runner = chooseRunner(options.device);
    const protocol::MachineResult machine = runner.client->machine(stop);
    std::vector<Check> checks = machine.checks;
    if (machine.head.diagnostics.empty())
        for (const char* name : {"interp", "cpu"})
            checks.push_back(device(*runner.client, name, stop));
    for (const Diagnostic& d : machine.head.diagnostics)
        checks.push_back({"runner", "missing", d.message, "start `tilec serve` there by hand and see what it says"});
    checks.push_back(window());
    report.json()["checks"] = Json::array();
    for (const Check& c : checks) {
        report.json()["checks"].push_back({{"name", c.name}, {"state", c.state}, {"detail", c.detail}, {"remedy", c.remedy}});
        report.text() += fmt::format("{:8} {:14} {}{}\n", c.state, c.name, c.detail, c.remedy.empty() ? "" : "; " + c.remedy);
    }
    return kFine;
}

}  // namespace tw::cli
