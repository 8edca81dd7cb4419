// What the played CUPTI does, shared by it and the tests.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/cupti/cupti_api.h"

namespace tw::cupti {

struct FakeState {
    std::map<std::string, int> results;  // by the names of cupti_functions.def; absent: success
    std::string unsupported;             // what deviceSupported says no to: "virtualGpu", "confidential", "architecture"
    std::vector<std::string> log;        // calls, in order
    std::size_t passes = 1, dropped = 0;
    std::function<double(const std::string& counter, std::size_t index)> value;  // of a range or sample

    std::vector<std::string> counters;  // as chosen
    int kind = 0;                       // of the host object
    std::size_t ranges = 1;             // kernels that a pass saw
    int passesLeft = 0;

    std::size_t pmSamples = 0;
    bool isFull = false;  // the sampler's memory
    std::uint64_t interval = 0;

    struct Pc {
        std::uint64_t offset = 0;
        std::map<std::uint32_t, std::uint32_t> reasons;
    };
    std::vector<std::string> reasonNames;
    std::vector<Pc> pcs;         // of every fetch
    int looksUntilSamples = 0;
    std::map<int, std::uint32_t> pcOptions;

    std::vector<std::string> sassMetrics;  // that the chip has; the number of one is its place from 1
    std::vector<std::uint64_t> sassChosen;
    int sassConfigs = 0;                   // of this process: a second one fails, as the real one does
    bool isCounting = false;
    struct Sass {
        std::uint32_t offset = 0;
        std::uint64_t metric = 0, value = 0;
    };
    std::vector<Sass> sass;                // records of the kernel
};

// Exported by the played library under this name.
using FakeCupti = FakeState* (*)();

}  // namespace tw::cupti
