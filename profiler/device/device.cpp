#include "profiler/device/device.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <unistd.h>

#include <fmt/ranges.h>

#include "core/support/diagnostic.h"
#include "profiler/device/cpu_device.h"
#include "profiler/device/cuda_device.h"
#include "profiler/device/interp_device.h"
#include "profiler/device/sim_device.h"

namespace tw::device {
namespace {

bool isGpu(const std::string& name)
{
    return name.starts_with("cuda:") && name.size() > 5 && name.size() < 9 &&
           std::all_of(name.begin() + 5, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether ssh has a program that asks for passwords: it has no terminal here.
bool hasAskpass()
{
    const auto isSet = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    return isSet("SSH_ASKPASS") || (isSet("DISPLAY") && ::access("/usr/bin/ssh-askpass", X_OK) == 0);
}

// Without a program that asks, ssh must not try: an empty password is a wrong one there. A host that is silent for half a minute
// is lost.
std::vector<std::string> sshCommand(const std::string& host)
{
    std::vector<std::string> command = {"ssh", "-T"};
    for (const char* option : {"ConnectTimeout=15", "ServerAliveInterval=10", "ServerAliveCountMax=3"})
        command.insert(command.end(), {"-o", option});
    if (!hasAskpass())
        command.insert(command.end(), {"-o", "BatchMode=yes"});
    command.insert(command.end(), {"--", host, "tilec", "serve"});
    return command;
}

}  // namespace

bool repeatOnHost(interp::Arguments& arguments, int repeat, RunReport& report, const RunOnce& once)
{
    using Clock = std::chrono::steady_clock;
    const interp::Arguments inputs = repeat > 1 ? arguments : interp::Arguments();
    for (int i = 0; i < repeat; ++i) {
        if (i > 0)
            arguments = inputs;
        std::string log;
        const auto start = Clock::now();
        const bool ok = once(arguments, log);
        report.samplesUs.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        if (i == 0)
            report.log = std::move(log);
        if (!ok)
            return false;
    }
    return true;
}

std::vector<std::string> localDevices() { return {"cpu", "interp", "sim"}; }

tl::expected<std::unique_ptr<Device>, std::string> openDevice(const std::string& name, const protocol::CudaCompiler& compiler)
{
    if (name == "interp")
        return makeInterpDevice();
    if (name == "cpu")
        return makeCpuDevice();
    if (name == "sim")
        return makeSimDevice();
    if (name == "cuda" || isGpu(name))
        return makeCudaDevice(name == "cuda" ? 0 : std::stoi(name.substr(5)), compiler);
    const std::string near = nearestName(name, {"cpu", "interp", "sim", "cuda:0"});
    return tl::unexpected(fmt::format("\"{}\" is no device{}; known are cpu, interp, sim, cuda:N, ssh:HOST[/DEVICE], cmd:COMMAND", name,
                                      near.empty() ? "" : fmt::format(", did you mean {}", near)));
}

bool isRemote(const std::string& name) { return name.starts_with("ssh:") || name.starts_with("cmd:"); }

RemoteDevice parseRemote(const std::string& name)
{
    const std::string rest = name.substr(4);
    if (name.starts_with("cmd:")) {
        const std::size_t last = rest.rfind('/');
        const std::string device = last == std::string::npos ? "" : rest.substr(last + 1);
        const bool isNamed = device == "cpu" || device == "interp" || device == "sim" || isGpu(device);
        return {{"/bin/sh", "-c", "exec " + (isNamed ? rest.substr(0, last) : rest)}, isNamed ? device : "cpu"};
    }
    const std::size_t slash = rest.find('/');
    return {sshCommand(rest.substr(0, slash)), slash == std::string::npos ? "cpu" : rest.substr(slash + 1)};
}

}  // namespace tw::device
