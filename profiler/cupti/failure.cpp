#include "profiler/cupti/failure.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include <fmt/core.h>

#include "profiler/cupti/cupti_api.h"

namespace tw::cupti {
namespace {

struct Explanation {
    int result;
    FailureKind kind;
    const char* message;
    const char* remedy;
};

// Results that deserve more than CUPTI's own name.
constexpr Explanation kExplanations[] = {
    {api::kInvalidDevice, FailureKind::kUnsupported, "CUPTI does not know this GPU", "update CUPTI (pip install --upgrade nvidia-cuda-cupti)"},
    {api::kInvalidContext, FailureKind::kOther, "the GPU's context is gone", "run again"},
    {api::kOutOfMemory, FailureKind::kOther, "not enough memory for the samples", "use smaller extents, or sample more rarely"},
    {api::kHardware, FailureKind::kOther, "the counters' hardware reports an error", "see nvidia-smi and dmesg"},
    {api::kNotCompatible, FailureKind::kTooOld, "CUPTI and the driver do not fit together",
     "install the CUPTI of the driver's CUDA version (`tilec doctor` says which), or update the driver"},
    {api::kNotInitialized, FailureKind::kTooOld, "CUPTI cannot start with this driver",
     "install the CUPTI of the driver's CUDA version (`tilec doctor` says which), or update the driver"},
    {api::kInvalidMetricName, FailureKind::kBadMetric, "this chip has no such metric", ""},
    {api::kInvalidModule, FailureKind::kOther, "the machine code cannot be read", ""},
    {api::kHardwareBusy, FailureKind::kBusy, "another profiler holds the counters",
     "end the other one (ncu, nsys, DCGM: `dcgmi profile --pause`) and run again"},
    {api::kNotSupported, FailureKind::kUnsupported, "this GPU cannot count that", ""},
    {api::kVirtualized, FailureKind::kUnsupported, "a virtual GPU has no counters", "use a GPU that is passed through whole"},
    {api::kOldProfiler, FailureKind::kBusy, "another profiling interface is in use by this process", "run again without it"},
    {api::kLegacyProfiler, FailureKind::kUnsupported, "this GPU is too old for CUPTI's counters", "use one of compute capability 7.0 or newer"},
    {api::kMultipleSubscribers, FailureKind::kBusy, "another tool has subscribed to CUPTI in this process",
     "run without it (CUDA_INJECTION64_PATH, nsys, a debugger)"},
    {api::kVirtualizedPrivileges, FailureKind::kPermission, "the host does not let this virtual GPU count",
     "enable profiling in the vGPU's plugin parameters (enable_profiling=1) on the host"},
    {api::kConfidential, FailureKind::kUnsupported, "confidential computing is on, which hides the counters",
     "turn it off (or into its development mode) on the host to count"},
    {api::kMining, FailureKind::kUnsupported, "a mining card has no counters", ""},
    {api::kMig, FailureKind::kUnsupported, "a part of a partitioned GPU (MIG) has no such counters", "use a whole GPU"},
    {api::kSli, FailureKind::kUnsupported, "GPUs linked by SLI have no counters", "turn SLI off"},
    {api::kWsl, FailureKind::kUnsupported, "counters are not available under WSL with this driver", "update the Windows driver, and allow access to counters there"},
    {api::kInvalidChip, FailureKind::kTooOld, "this CUPTI does not know the GPU's chip", "update CUPTI (pip install --upgrade nvidia-cuda-cupti)"},
};

}  // namespace

const std::string& permissionRemedy()
{
    static const std::string kRemedy =
        "run as root or with CAP_SYS_ADMIN (in a container: --cap-add SYS_ADMIN), or let every user count: write `options nvidia "
        "NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia-counters.conf and restart the machine";
    return kRemedy;
}

Failure explain(int result, const std::string& what, const std::string& name)
{
    const std::string code = name.empty() ? fmt::format("CUPTI error {}", result) : fmt::format("{} ({})", name, result);
    if (result == api::kInsufficientPrivileges)
        return {FailureKind::kPermission, result, fmt::format("{}: this user may not read the GPU's counters ({})", what, code), permissionRemedy()};
    for (const Explanation& e : kExplanations)
        if (e.result == result)
            return {e.kind, result, fmt::format("{}: {} ({})", what, e.message, code), e.remedy};
    return {FailureKind::kOther, result, fmt::format("{}: {}", what, code), ""};
}

CounterAccess counterAccess(const std::string& moduleParameters)
{
    std::istringstream in(moduleParameters);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("RmProfilingAdminOnly:"))
            return line.find('0') != std::string::npos ? CounterAccess::kEverybody : CounterAccess::kAdministrators;
    return CounterAccess::kUnknown;
}

bool isPrivileged(const std::string& status)
{
    constexpr std::uint64_t kSysAdmin = std::uint64_t{1} << 21;  // CAP_SYS_ADMIN of linux/capability.h
    std::istringstream in(status);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("CapEff:"))
            return (std::strtoull(line.c_str() + 7, nullptr, 16) & kSysAdmin) != 0;
    return false;
}

}  // namespace tw::cupti
