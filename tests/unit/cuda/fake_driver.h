// A driver played by the test: host memory is device memory, a "kernel" is a C++ function that the test names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/cuda/context.h"

namespace tw::cuda {

struct FakeDriver {
    using Kernel = std::function<void(void** parameters)>;

    std::map<std::string, Kernel> kernels;
    int initResult = 0, launchResult = 0, deviceCount = 1;
    int failure = 0;  // what every later call answers, like a lost context
    std::vector<api::LaunchConfig> launches;
    std::vector<api::LaunchAttribute> attributes;  // of the last launch
    std::map<int, int> functionAttributes;         // set by the code under test
    std::vector<std::string> log;                  // "fill N", "launch", "record", …
    int notReady = 0;                              // answers of queryStream before it is done
    int live = 0;                                  // allocations not released

    // One at a time.
    FakeDriver();
    ~FakeDriver();
    [[nodiscard]] static const api::Functions& functions();
    // A context on device 0; fails the test if there is none.
    [[nodiscard]] static std::shared_ptr<Context> context();
};

}  // namespace tw::cuda
