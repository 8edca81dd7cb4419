#include "profiler/device/machine_counters.h"

#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "profiler/cupti/library.h"

namespace tw::device {
namespace {

using protocol::Check;

constexpr const char* kAccess = "gpu counters";

std::string textOf(const char* path)
{
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

Check describeAccess(const std::string& moduleParameters, const std::string& status)
{
    const cupti::CounterAccess access = cupti::counterAccess(moduleParameters);
    if (cupti::isPrivileged(status))
        return {kAccess, "ok", "this user may read them (CAP_SYS_ADMIN)", ""};
    if (access == cupti::CounterAccess::kEverybody)
        return {kAccess, "ok", "every user may read them", ""};
    if (access == cupti::CounterAccess::kAdministrators)
        return {kAccess, "limited", "only administrators may read them here; times and timelines work without", cupti::permissionRemedy()};
    return {kAccess, "limited", "the kernel module does not say who may read them; `tilec profile` finds out", cupti::permissionRemedy()};
}

std::vector<Check> describeCounters(const cuda::Driver* driver)
{
    const auto library = cupti::Library::open(driver ? driver->version() : 0);
    if (!library)
        return {{"cupti", "missing", library.error().message, library.error().remedy}};
    std::vector<Check> out = {{"cupti", "ok", fmt::format("NVIDIA's library for counters, {} ({})", (*library)->versionText(), (*library)->path()), ""}};
    if (!driver)
        return out;
    if (const auto started = cupti::startProfiling(**library, 0, cupti::Interface::kRanges); !started)
        out.push_back({kAccess, "limited", started.error().message, started.error().remedy});
    else
        out.push_back(describeAccess(textOf("/proc/driver/nvidia/params"), textOf("/proc/self/status")));
    return out;
}

}  // namespace tw::device
