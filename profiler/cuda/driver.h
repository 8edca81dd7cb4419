// NVIDIA's driver, opened at run time, and the GPUs it has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/cuda/driver_api.h"
#include "profiler/cuda/failure.h"

namespace tw::cuda {

struct DeviceInfo {
    int ordinal = 0;
    std::string name;
    int major = 0, minor = 0;  // compute capability
    int multiprocessors = 0;
    int clockKhz = 0;  // the highest of the multiprocessors
    std::int64_t memoryBytes = 0, l2Bytes = 0;
    std::int64_t sharedBytesPerBlock = 0;  // the largest dynamic shared memory of one block, opt-in included
    int threadsPerBlock = 0;               // the most
    bool hasCooperativeLaunch = false, hasClusters = false;
};

// Thread-safe: nothing changes after it is opened.
class Driver {
public:
    // Opens libcuda.so.1 and initialises it (tens to hundreds of milliseconds).
    [[nodiscard]] static Result<std::shared_ptr<const Driver>> open();
    // The same with functions from elsewhere: a driver played by a test.
    [[nodiscard]] static Result<std::shared_ptr<const Driver>> adopt(const api::Functions& functions);

    [[nodiscard]] const api::Functions& call() const { return functions_; }
    [[nodiscard]] int version() const { return version_; }  // 13000 for CUDA 13.0: the newest that this driver runs
    [[nodiscard]] int deviceCount() const { return deviceCount_; }
    [[nodiscard]] Result<DeviceInfo> describe(int ordinal) const;

    // Success, or the result in words.
    [[nodiscard]] Result<void> check(int result, const std::string& what) const;

private:
    Driver() = default;

    api::Functions functions_;
    int version_ = 0, deviceCount_ = 0;
};

}  // namespace tw::cuda
