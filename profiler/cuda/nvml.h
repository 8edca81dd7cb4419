// What a GPU is doing right now: clocks, why they are low, temperature, power. NVIDIA's management library, opened at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/cuda/context.h"

namespace tw::cuda {

namespace api {
// As nvml.h declares them; a result of 0 is success.
struct NvmlFunctions {
    using Device = struct NvmlDeviceTag*;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    const char* (*errorText)(int result) = nullptr;
    int (*driverVersion)(char* text, unsigned bytes) = nullptr;
    int (*deviceByPciBusId)(const char* id, Device* device) = nullptr;
    int (*clock)(Device device, int which, unsigned* mhz) = nullptr;
    int (*temperature)(Device device, int sensor, unsigned* celsius) = nullptr;
    int (*power)(Device device, unsigned* milliwatts) = nullptr;
    int (*throttling)(Device device, unsigned long long* reasons) = nullptr;
};
}  // namespace api

// Zero where the library does not say.
struct GpuState {
    double smClockMHz = 0, memoryClockMHz = 0, temperatureC = 0, powerW = 0;
    std::vector<std::string> throttling;  // why the clocks are below their best: "power cap", "thermal slowdown", …
};

// One GPU. Used by one thread at a time.
class Nvml {
public:
    // Finds the GPU of this context. Fails with a sentence: no library, or one that does not know the GPU.
    [[nodiscard]] static tl::expected<std::unique_ptr<Nvml>, std::string> open(const Context& context);
    // The same with functions from elsewhere: a library played by a test. `busId`: as the driver spells it.
    [[nodiscard]] static tl::expected<std::unique_ptr<Nvml>, std::string> adopt(const api::NvmlFunctions& functions, const std::string& busId);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    // Under a millisecond. Clocks sink soon after the GPU falls idle: read while it works.
    [[nodiscard]] GpuState read() const;
    [[nodiscard]] const std::string& driverVersion() const { return driverVersion_; }  // "580.95.05"

private:
    explicit Nvml(const api::NvmlFunctions& functions) : functions_(functions) {}

    api::NvmlFunctions functions_;
    api::NvmlFunctions::Device device_ = nullptr;
    std::string driverVersion_;
};

// The bits of NVML's clock reasons in words; being idle is none.
[[nodiscard]] std::vector<std::string> throttleReasons(unsigned long long bits);

}  // namespace tw::cuda
