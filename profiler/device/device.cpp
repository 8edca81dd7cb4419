#include "profiler/device/device.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/support/diagnostic.h"
#include "profiler/device/cpu_device.h"
#include "profiler/device/interp_device.h"

namespace tw::device {

std::vector<std::string> localDevices() { return {"cpu", "interp"}; }

tl::expected<std::unique_ptr<Device>, std::string> openDevice(const std::string& name)
{
    if (name == "interp")
        return makeInterpDevice();
    if (name == "cpu")
        return makeCpuDevice();
    if (name == "sim")
        return tl::unexpected(std::string("not supported: this build has no simulator; cpu and interp run every kernel"));
    const bool isNumbered = name.starts_with("cuda:") && name.size() > 5 && name.size() < 9 &&
                            std::all_of(name.begin() + 5, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (name == "cuda" || isNumbered)
        return tl::unexpected(fmt::format("not supported: this build has no back end for {}; cpu and interp run every kernel", name));
    const std::string near = nearestName(name, {"cpu", "interp", "sim", "cuda:0"});
    return tl::unexpected(fmt::format("\"{}\" is no device{}; known are cpu, interp, sim, cuda:N, ssh:HOST[/DEVICE], cmd:COMMAND", name,
                                      near.empty() ? "" : fmt::format(", did you mean {}", near)));
}

bool isRemote(const std::string& name) { return name.starts_with("ssh:") || name.starts_with("cmd:"); }

RemoteDevice parseRemote(const std::string& name)
{
    const std::string rest = name.substr(4);
    if (name.starts_with("cmd:"))
        return {{"/bin/sh", "-c", "exec " + rest}, "cpu"};
    const std::size_t slash = rest.find('/');
    return {{"ssh", "-T", "-o", "BatchMode=yes", "--", rest.substr(0, slash), "tilec", "serve"},
            slash == std::string::npos ? "cpu" : rest.substr(slash + 1)};
}

}  // namespace tw::device
