#include "profiler/cuda/driver.h"

#include <dlfcn.h>

#include <fmt/core.h>

namespace tw::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// A pointer out of a library as a function: POSIX promises that this works.
template <class F>
void resolve(void* library, const char* name, F*& function)
{
    function = reinterpret_cast<F*>(::dlsym(library, name));
}

}  // namespace

Result<std::shared_ptr<const Driver>> Driver::open()
{
    // Never closed: the driver runs threads of its own and does not survive being unloaded.
    void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* reason = ::dlerror();
        return tl::unexpected(Failure{FailureKind::kNoDriver, 0, fmt::format("{} cannot be opened: {}", kLibrary, reason ? reason : ""),
                                      "install NVIDIA's driver, or use another machine's GPU with --device ssh:HOST/cuda:0"});
    }
    api::Functions functions;
#define TW_DRIVER(member, name, parameters) resolve(library, name, functions.member);
#include "profiler/cuda/driver_functions.def"
#undef TW_DRIVER
    return adopt(functions);
}

Result<std::shared_ptr<const Driver>> Driver::adopt(const api::Functions& functions)
{
    if (!functions.init || !functions.launch)
        return tl::unexpected(Failure{FailureKind::kNoDriver, 0, fmt::format("{} is too old: it lacks cuLaunchKernelEx", kLibrary),
                                      "update NVIDIA's driver to one for CUDA 12 or newer"});
    std::shared_ptr<Driver> driver(new Driver);
    driver->functions_ = functions;
    if (auto done = driver->check(functions.init(0), "starting the driver"); !done)
        return tl::unexpected(done.error());
    functions.driverVersion(&driver->version_);
    if (auto done = driver->check(functions.deviceCount(&driver->deviceCount_), "counting the GPUs"); !done)
        return tl::unexpected(done.error());
    return driver;
}

Result<void> Driver::check(int result, const std::string& what) const
{
    if (result == 0)
        return {};
    const char *name = nullptr, *text = nullptr;
    if (functions_.errorName)
        functions_.errorName(result, &name);
    if (functions_.errorText)
        functions_.errorText(result, &text);
    return tl::unexpected(explain(result, what, name ? name : "", text ? text : ""));
}

Result<DeviceInfo> Driver::describe(int ordinal) const
{
    if (ordinal < 0 || ordinal >= deviceCount_)
        return tl::unexpected(Failure{FailureKind::kNoDevice, api::kInvalidDevice,
                                      deviceCount_ == 0 ? "this machine has no GPU that the driver can use"
                                                        : fmt::format("there is no cuda:{}; this machine has cuda:0 to cuda:{}", ordinal, deviceCount_ - 1),
                                      "see `tilec doctor`"});
    api::Device device = 0;
    if (auto done = check(functions_.device(&device, ordinal), fmt::format("opening cuda:{}", ordinal)); !done)
        return tl::unexpected(done.error());
    DeviceInfo info;
    info.ordinal = ordinal;
    char name[256] = {};
    functions_.deviceName(name, sizeof name - 1, device);
    info.name = name;
    std::size_t bytes = 0;
    functions_.deviceMemory(&bytes, device);
    info.memoryBytes = static_cast<std::int64_t>(bytes);
    const auto attribute = [&](int which) {
        int value = 0;
        functions_.deviceAttribute(&value, which, device);  // 0 for what an older driver does not know
        return value;
    };
    info.major = attribute(api::kComputeMajor);
    info.minor = attribute(api::kComputeMinor);
    info.multiprocessors = attribute(api::kMultiprocessors);
    info.clockKhz = attribute(api::kClockKhz);
    info.l2Bytes = attribute(api::kL2Bytes);
    info.sharedBytesPerBlock = attribute(api::kSharedPerBlockOptIn);
    info.threadsPerBlock = attribute(api::kMaxThreadsPerBlock);
    info.hasCooperativeLaunch = attribute(api::kCooperativeLaunch) != 0;
    info.hasClusters = attribute(api::kClusterLaunch) != 0;
    return info;
}

}  // namespace tw::cuda
