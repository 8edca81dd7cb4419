#include "profiler/cuda/nvml.h"

#include <dlfcn.h>

#include <fmt/core.h>

namespace tw::cuda {
namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;

template <class F>
void resolve(void* library, std::initializer_list<const char*> names, F& function)
{
    for (const char* name : names)
        if (!function)
            function = reinterpret_cast<F>(::dlsym(library, name));
}

struct Reason {
    unsigned long long bit;
    const char* text;
};
// nvmlClocksEventReasons…
constexpr Reason kReasons[] = {{0x2, "application clocks"}, {0x4, "power cap"},          {0x8, "hardware slowdown"},
                               {0x10, "synchronised boost"}, {0x20, "thermal slowdown"},  {0x40, "hardware thermal slowdown"},
                               {0x80, "power brake"},        {0x100, "display clocks"}};

}  // namespace

std::vector<std::string> throttleReasons(unsigned long long bits)
{
    std::vector<std::string> out;
    for (const Reason& reason : kReasons)
        if (bits & reason.bit)
            out.emplace_back(reason.text);
    return out;
}

tl::expected<std::unique_ptr<Nvml>, std::string> Nvml::open(const Context& context)
{
    const api::Functions& driver = context.driver().call();
    char busId[32] = {};
    if (!driver.pciBusId || driver.pciBusId(busId, sizeof busId, context.deviceHandle()) != 0)
        return tl::unexpected(std::string("the driver does not say where the GPU is"));
    // Never closed: it belongs to the driver.
    void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return tl::unexpected(fmt::format("{} is not here: it comes with NVIDIA's driver (in a container: NVIDIA_DRIVER_CAPABILITIES=utility,compute)", kLibrary));
    api::NvmlFunctions f;
    resolve(library, {"nvmlInit_v2"}, f.init);
    resolve(library, {"nvmlShutdown"}, f.shutdown);
    resolve(library, {"nvmlErrorString"}, f.errorText);
    resolve(library, {"nvmlSystemGetDriverVersion"}, f.driverVersion);
    resolve(library, {"nvmlDeviceGetHandleByPciBusId_v2"}, f.deviceByPciBusId);
    resolve(library, {"nvmlDeviceGetClockInfo"}, f.clock);
    resolve(library, {"nvmlDeviceGetTemperature"}, f.temperature);
    resolve(library, {"nvmlDeviceGetPowerUsage"}, f.power);
    resolve(library, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}, f.throttling);
    return adopt(f, busId);
}

tl::expected<std::unique_ptr<Nvml>, std::string> Nvml::adopt(const api::NvmlFunctions& functions, const std::string& busId)
{
    if (!functions.init || !functions.shutdown || !functions.deviceByPciBusId)
        return tl::unexpected(fmt::format("{} is too old", kLibrary));
    const auto words = [&](int result) { return std::string(functions.errorText ? functions.errorText(result) : "no reason given"); };
    if (const int result = functions.init(); result != 0)
        return tl::unexpected(fmt::format("{} does not start: {}", kLibrary, words(result)));
    std::unique_ptr<Nvml> nvml(new Nvml(functions));
    if (const int result = functions.deviceByPciBusId(busId.c_str(), &nvml->device_); result != 0)
        return tl::unexpected(fmt::format("{} does not know the GPU {}: {}", kLibrary, busId, words(result)));
    char version[96] = {};
    if (functions.driverVersion && functions.driverVersion(version, sizeof version) == 0)
        nvml->driverVersion_ = version;
    return nvml;
}

Nvml::~Nvml() { functions_.shutdown(); }

GpuState Nvml::read() const
{
    GpuState state;
    unsigned value = 0;
    if (functions_.clock && functions_.clock(device_, kSmClock, &value) == 0)
        state.smClockMHz = value;
    if (functions_.clock && functions_.clock(device_, kMemoryClock, &value) == 0)
        state.memoryClockMHz = value;
    if (functions_.temperature && functions_.temperature(device_, kGpuSensor, &value) == 0)
        state.temperatureC = value;
    if (functions_.power && functions_.power(device_, &value) == 0)
        state.powerW = value / 1000.0;
    unsigned long long reasons = 0;
    if (functions_.throttling && functions_.throttling(device_, &reasons) == 0)
        state.throttling = throttleReasons(reasons);
    return state;
}

}  // namespace tw::cuda
