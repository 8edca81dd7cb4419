// What the verbs that use a runner share.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "app/cli/opened_file.h"
#include "profiler/protocol/client.h"

namespace tw::cli {

// kernel, instance, target, device and diagnostics of a result.
void putHead(const protocol::ResultHead& head, Report& report);

// --input options with their files read. Fails with one sentence.
[[nodiscard]] tl::expected<std::map<std::string, protocol::Input>, std::string> readInputs(const Options& options);

// The runner for --device and the device to ask it for. A runner elsewhere may lack a compiler for CUDA: a runner of this
// machine then compiles for it.
struct RunnerChoice {
    std::unique_ptr<protocol::Client> client;
    std::string device;
};
[[nodiscard]] RunnerChoice chooseRunner(const std::string& device);

// A line on a terminal that says how far the runner is; nothing where standard error is no terminal.
[[nodiscard]] protocol::ProgressCallback progressLine(const Options& options);
void clearProgressLine(const Options& options);

}  // namespace tw::cli
