#include "profiler/cuda/failure.h"

#include <algorithm>

#include <fmt/core.h>

#include "profiler/cuda/driver_api.h"

namespace tw::cuda {
namespace {

struct Explanation {
    int result;
    FailureKind kind;
    const char* message;
    const char* remedy;
};

// Results that deserve more than the driver's own words.
constexpr Explanation kExplanations[] = {
    {api::kOutOfMemory, FailureKind::kOutOfMemory, "the GPU has not enough free memory", "use smaller extents, or end other programs on it"},
    {api::kStubLibrary, FailureKind::kNoDriver, "libcuda.so.1 is the toolkit's stub, not a driver",
     "install NVIDIA's driver, and take the stub's folder out of LD_LIBRARY_PATH"},
    {api::kDeviceUnavailable, FailureKind::kPermission, "another process holds the GPU", "wait for it, or ask for a shared compute mode"},
    {api::kNoDevice, FailureKind::kNoDevice, "the driver finds no GPU",
     "check nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, start it with access to the GPU"},
    {api::kInvalidDevice, FailureKind::kNoDevice, "there is no such GPU", "see `tilec doctor` for those that are there"},
    {api::kInvalidImage, FailureKind::kBadCode, "the driver cannot read the machine code", ""},
    {api::kNoBinary, FailureKind::kBadCode, "the machine code is for another GPU", "leave --target out, or name this GPU's"},
    {api::kEccError, FailureKind::kFault, "the GPU's memory reports an error that cannot be corrected", "see nvidia-smi -q"},
    {api::kInvalidPtx, FailureKind::kBadCode, "the driver cannot compile the PTX", ""},
    {api::kPtxTooNew, FailureKind::kBadCode, "the PTX is newer than the driver", "update NVIDIA's driver"},
    {api::kOperatingSystem, FailureKind::kPermission, "the driver may not open the GPU", "check the rights of /dev/nvidia*"},
    {api::kIllegalAddress, FailureKind::kFault, "the kernel accessed memory that is not its own", ""},
    {api::kOutOfResources, FailureKind::kBadLaunch, "a block needs more registers or threads than a multiprocessor has",
     "use fewer threads or smaller tiles"},
    {api::kTimeout, FailureKind::kFault, "the kernel ran too long for the watchdog of a GPU with a display", ""},
    {api::kAssert, FailureKind::kFault, "a device assertion failed", ""},
    {api::kStackError, FailureKind::kFault, "a thread's stack overflowed", ""},
    {api::kIllegalInstruction, FailureKind::kFault, "the kernel ran into an illegal instruction", ""},
    {api::kMisalignedAddress, FailureKind::kFault, "the kernel accessed memory at an address that is not aligned for the access", ""},
    {api::kInvalidAddressSpace, FailureKind::kFault, "the kernel used an address of another kind of memory", ""},
    {api::kInvalidPc, FailureKind::kFault, "the kernel jumped out of its code", ""},
    {api::kLaunchFailed, FailureKind::kFault, "the kernel failed on the GPU", ""},
    {api::kCooperativeTooLarge, FailureKind::kBadLaunch, "more blocks than the GPU can hold at once, which a grid-wide barrier needs",
     "launch fewer blocks"},
    {api::kNotPermitted, FailureKind::kPermission, "the driver does not permit this", "check the rights of /dev/nvidia*"},
    {api::kSystemNotReady, FailureKind::kNoDriver, "the GPU's system services do not run",
     "on a machine with NVSwitch, start nvidia-fabricmanager"},
    {api::kDriverMismatch, FailureKind::kNoDriver, "driver library and kernel module are of different versions",
     "restart the machine after a driver update"},
    {api::kInvalidClusterSize, FailureKind::kBadLaunch, "a cluster that this GPU cannot launch", "use a cluster of at most 8 blocks"},
    {api::kUnknown, FailureKind::kOther, "the driver failed without a reason", "see nvidia-smi and dmesg; the GPU may need a reset"},
};

}  // namespace

bool isSticky(int result)
{
    static constexpr int kSticky[] = {api::kEccError, api::kNvlinkError, api::kContained, api::kIllegalAddress, api::kTimeout,
                                      api::kContextDestroyed, api::kAssert, api::kStackError, api::kIllegalInstruction,
                                      api::kMisalignedAddress, api::kInvalidAddressSpace, api::kInvalidPc, api::kLaunchFailed,
                                      api::kTensorMemoryLeak};
    return std::find(std::begin(kSticky), std::end(kSticky), result) != std::end(kSticky);
}

Failure explain(int result, const std::string& what, const std::string& name, const std::string& text)
{
    const std::string driver = name.empty() ? fmt::format("error {}", result) : fmt::format("{} ({})", name, result);
    for (const Explanation& e : kExplanations)
        if (e.result == result)
            return {e.kind, result, fmt::format("{}: {} ({})", what, e.message, driver), e.remedy};
    const FailureKind kind = isSticky(result) ? FailureKind::kFault : FailureKind::kOther;
    return {kind, result, fmt::format("{}: {}{}", what, text.empty() ? "" : text + ", ", driver), ""};
}

}  // namespace tw::cuda
