#include "app/cli/runner.h"

#include <unistd.h>

#include <fmt/core.h>

#include "app/cli/own_program.h"
#include "profiler/device/device.h"

namespace tw::cli {

void putHead(const protocol::ResultHead& head, Report& report)
{
    report.json()["kernel"] = head.kernel;
    report.json()["instance"] = head.instance;
    report.json()["target"] = head.target;
    if (!head.device.empty())
        report.json()["device"] = head.device;
    report.addAll(head.diagnostics);
}

tl::expected<std::map<std::string, protocol::Input>, std::string> readInputs(const Options& options)
{
    std::map<std::string, protocol::Input> inputs;
    for (const auto& [name, value] : options.inputs) {
        if (!value.ends_with(".npy")) {
            inputs[name] = {{}, value};
            continue;
        }
        auto bytes = readFile(value);
        if (!bytes)
            return tl::unexpected(fmt::format("--input {}: {}", name, bytes.error()));
        if (bytes->empty())
            return tl::unexpected(fmt::format("--input {}: {} is empty", name, value));
        inputs[name] = {std::move(*bytes), {}};
    }
    return inputs;
}

RunnerChoice chooseRunner(const std::string& device)
{
    if (!device::isRemote(device))
        return {std::make_unique<protocol::Client>(ownRunnerCommand()), device};
    device::RemoteDevice remote = device::parseRemote(device);
    RunnerChoice choice{std::make_unique<protocol::Client>(std::move(remote.command)), std::move(remote.device)};
    const auto local = std::make_shared<protocol::Client>(ownRunnerCommand());
    choice.client->setCudaCompiler([local](const protocol::CudaCompileRequest& request) { return local->compileCuda(request); });
    return choice;
}

namespace {

bool showsProgress(const Options& options) { return !options.json && !options.quiet && ::isatty(STDERR_FILENO); }

}  // namespace

protocol::ProgressCallback progressLine(const Options& options)
{
    if (!showsProgress(options))
        return {};
    return [](const protocol::Progress& p) { writeAll(STDERR_FILENO, fmt::format("\r\x1b[K{} {:3.0f} %", p.phase, 100 * p.fraction)); };
}

void clearProgressLine(const Options& options)
{
    if (showsProgress(options))
        writeAll(STDERR_FILENO, "\r\x1b[K");
}

}  // namespace tw::cli
