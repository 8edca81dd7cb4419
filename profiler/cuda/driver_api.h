// What this project uses of the CUDA driver's binary interface, declared here so that no header of CUDA is needed to build.
//
// The numbers are those of the driver's documentation; tests/unit/cuda/abi_test.cpp compares them with cuda.h where a
// toolkit is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::cuda::api {

using Device = int;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Address = unsigned long long;  // in the device's memory

// An opaque tensor map (TMA descriptor), passed to kernels by value. Aligned to 64 bytes before CUDA 13, to 128 since.
struct alignas(128) TensorMap {
    std::uint64_t words[16];
};

struct LaunchAttribute {
    unsigned id;
    char padding[4];
    union Value {
        char bytes[64];
        int cooperative;
        int programmatic;
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
};
struct LaunchConfig {
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ;
    unsigned sharedBytes;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attributeCount;
};
inline constexpr unsigned kLaunchCooperative = 2, kLaunchCluster = 4, kLaunchProgrammatic = 6;

// Results. 0 is success.
enum : int {
    kOutOfMemory = 2, kStubLibrary = 34, kDeviceUnavailable = 46, kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200,
    kNoBinary = 209, kEccError = 214, kInvalidPtx = 218, kNvlinkError = 220, kPtxTooNew = 222, kContained = 226,
    kOperatingSystem = 304, kNotFound = 500, kNotReady = 600, kIllegalAddress = 700, kOutOfResources = 701, kTimeout = 702,
    kContextDestroyed = 709, kAssert = 710, kStackError = 714, kIllegalInstruction = 715, kMisalignedAddress = 716,
    kInvalidAddressSpace = 717, kInvalidPc = 718, kLaunchFailed = 719, kCooperativeTooLarge = 720, kTensorMemoryLeak = 721,
    kNotPermitted = 800, kSystemNotReady = 802, kDriverMismatch = 803, kInvalidClusterSize = 912, kUnknown = 999
};

// Attributes of a device.
enum : int {
    kMaxThreadsPerBlock = 1, kClockKhz = 13, kMultiprocessors = 16, kL2Bytes = 38, kComputeMajor = 75, kComputeMinor = 76,
    kCooperativeLaunch = 95, kSharedPerBlockOptIn = 97, kClusterLaunch = 120
};

// Attributes of a function.
enum : int {
    kFunctionSharedBytes = 1, kFunctionLocalBytes = 3, kFunctionRegisters = 4, kFunctionMaxDynamicShared = 8,
    kFunctionNonPortableCluster = 14
};

// Options of loading a module.
enum : int { kJitErrorLog = 5, kJitErrorLogBytes = 6 };

// Every function of the driver in use; null where the driver lacks it.
struct Functions {
#define TW_DRIVER(member, name, parameters) int(*member) parameters = nullptr;
#include "profiler/cuda/driver_functions.def"
#undef TW_DRIVER
};

}  // namespace tw::cuda::api
