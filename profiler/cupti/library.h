// CUPTI, NVIDIA's library for counters, opened at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/cupti/cupti_api.h"
#include "profiler/cupti/failure.h"

namespace tw::cupti {

// Thread-safe: nothing changes after it is opened. CUPTI itself wants one thread at a time for one GPU.
class Library {
public:
    // Looks in the loader's path, in toolkits (CUDA_HOME, /usr/local/cuda) and in PyPI's wheels; the one of the driver's own CUDA
    // version first. `driverVersion`: 13000 for CUDA 13.0; 0 where there is no driver, which is enough to list metrics.
    [[nodiscard]] static Result<std::shared_ptr<const Library>> open(int driverVersion);
    // One file, for tests.
    [[nodiscard]] static Result<std::shared_ptr<const Library>> openFile(const std::string& path);

    [[nodiscard]] const api::Functions& call() const { return functions_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int version() const { return version_; }  // CUPTI_API_VERSION: 130001 with CUDA 13.0
    [[nodiscard]] std::string versionText() const;          // "13.0.1"

    // Success, or the result in words. `what`: what was tried, as in "reading the counters".
    [[nodiscard]] Result<void> check(int result, const std::string& what) const;

    // Chips whose metrics can be listed here, "GH100" among them.
    [[nodiscard]] std::vector<std::string> chips() const;

private:
    Library() = default;

    api::Functions functions_;
    std::string path_;
    int version_ = 0;
};

// Which of CUPTI's interfaces a question is about.
enum class Interface { kRanges, kPcSampling, kPmSampling, kInstructions };

// Starts CUPTI's profiling in this process (the driver must be initialised) and asks whether this GPU supports it.
// `device`: the driver's handle, its ordinal.
[[nodiscard]] Result<void> startProfiling(const Library& library, cuda::api::Device device, Interface which);

// The chip of a GPU, as in "GH100". After startProfiling: before it, CUPTI 13.0 crashes.
[[nodiscard]] Result<std::string> chipOf(const Library& library, int ordinal);

}  // namespace tw::cupti
