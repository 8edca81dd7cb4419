// What this project uses of CUPTI's binary interface (CUDA 12.6 and newer), declared here so that no header of CUDA is needed to
// build.
//
// The numbers are those of CUPTI's documentation; tests/unit/cupti/abi_test.cpp compares them with its headers where a toolkit is
// installed. Every call takes one structure that begins with its own size as the caller knows it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/cupti/cupti_sass_api.h"

namespace tw::cupti::api {

enum : int { kTypeCounter = 0, kTypeRatio = 1, kTypeThroughput = 2 };  // of a metric
enum : int { kForRanges = 0, kForPmSampling = 1 };                    // of a host object
enum : int { kAutoRange = 1, kUserReplay = 3 };
enum : int { kApiRanges = 0, kApiPcSampling = 1, kApiSass = 2, kApiPmSampling = 3 };
enum : int { kUnknownSupport = 0, kUnsupported = 1, kDisabled = 2, kSupported = 3 };

struct NoParams : Head {};
struct DeviceSupported : Head {
    cuda::api::Device device;
    int isSupported, architecture, sli, virtualGpu, confidential, mining, wsl;  // kUnknownSupport …
    int which;                                                                  // kApiRanges …
};
struct ChipName : Head {
    std::size_t device;
    const char* name;
};
struct Availability : Head {
    Context context;
    std::size_t imageBytes;
    Bytes image;
};

// ---- what a chip offers; works without a GPU ----
struct HostInitialize : Head {
    int kind;  // kForRanges, kForPmSampling
    const char* chip;
    ConstBytes availability;
    HostObject object;
};
struct HostDeinitialize : Head {
    HostObject object;
};
struct SupportedChips : Head {
    std::size_t count;
    const char* const* names;
};
struct BaseMetrics : Head {
    HostObject object;
    int type;  // kTypeCounter …
    const char** names;
    std::size_t count;
};
struct SubMetrics : Head {
    HostObject object;
    int type;
    const char* metric;
    std::size_t count;
    const char** names;
};
struct MetricProperties : Head {
    HostObject object;
    const char* metric;
    const char *description, *unit, *dimension;
    int type;
};
struct AddMetrics : Head {
    HostObject object;
    const char** names;
    std::size_t count;
};
struct ConfigImageSize : Head {
    HostObject object;
    std::size_t bytes;
};
struct ConfigImage : Head {
    HostObject object;
    std::size_t bytes;
    Bytes image;
};
struct PassCount : Head {
    std::size_t bytes;
    Bytes image;
    std::size_t passes;
};
struct Evaluate : Head {
    HostObject object;
    ConstBytes data;
    std::size_t dataBytes;
    std::size_t index;  // of a range or sample
    const char** names;
    std::size_t count;
    double* values;
};

// ---- counters over ranges ----
struct RangeEnable : Head {
    Context context;
    RangeObject object;
};
struct RangeCall : Head {  // Disable, Start
    RangeObject object;
};
struct RangeStop : Head {
    RangeObject object;
    std::size_t pass, nestingLevel;
    std::uint8_t isAllSubmitted;
};
struct RangeDecode : Head {
    RangeObject object;
    std::size_t dropped;
};
struct RangeDataSize : Head {
    RangeObject object;
    const char** names;
    std::size_t count, maxRanges;
    std::uint32_t maxNodes;  // ≥ maxRanges
    std::size_t bytes;
};
struct RangeDataInitialize : Head {
    RangeObject object;
    std::size_t bytes;
    Bytes data;
};
struct RangeConfig : Head {
    RangeObject object;
    std::size_t configBytes;
    ConstBytes config;
    std::size_t dataBytes;
    Bytes data;
    int range, replay;  // kAutoRange, kUserReplay
    std::size_t maxRanges;
    std::uint16_t nestingLevels, minNestingLevel;
    std::size_t pass;
    std::uint16_t targetNestingLevel;
};
struct RangeDataInfo : Head {
    ConstBytes data;
    std::size_t dataBytes;
    std::size_t ranges;
};

// ---- counters over time ----
enum : int { kEveryCycles = 0, kEveryNanoseconds = 1 };
enum : int { kKeepOldest = 0, kKeepLatest = 1 };
enum : int { kStopDataFull = 1, kStopEndOfRecords = 2 };

struct PmAvailability : Head {
    std::size_t device;
    std::size_t imageBytes;
    Bytes image;
};
struct PmEnable : Head {
    std::size_t device;
    PmObject object;
};
struct PmCall : Head {  // Disable, Start, Stop
    PmObject object;
};
struct PmConfig : Head {
    PmObject object;
    std::size_t configBytes;
    ConstBytes config;
    std::size_t hardwareBytes;
    std::uint64_t interval;
    int trigger, append;  // kEveryCycles …, kKeepOldest …
};
struct PmDecode : Head {
    PmObject object;
    Bytes data;
    std::size_t dataBytes;
    int stopReason;
    std::uint8_t overflow;
};
struct PmDataSize : Head {
    PmObject object;
    const char** names;
    std::size_t count;
    std::uint32_t maxSamples;
    std::size_t bytes;
};
struct PmDataInitialize : Head {
    PmObject object;
    std::size_t bytes;
    Bytes data;
};
struct PmDataInfo : Head {
    ConstBytes data;
    std::size_t dataBytes;
    std::size_t total, populated, completed;
};
struct PmSampleInfo : Head {
    PmObject object;
    ConstBytes data;
    std::size_t dataBytes;
    std::size_t index;
    std::uint64_t start, end;  // nanoseconds
};

// ---- samples of program counters ----
inline constexpr int kPcSerialized = 2;  // kernels one after another
enum : int {
    kPcPeriod = 1, kPcScratchBytes = 3, kPcHardwareBytes = 4, kPcMode = 5, kPcFormat = 7, kPcBuffer = 8, kPcSleep = 9
};
inline constexpr int kPcParsed = 1;               // the only output format
inline constexpr std::size_t kReasonBytes = 128;  // of a stall reason's name

struct __attribute__((packed, aligned(8))) PcReason {
    std::uint32_t reason, samples;
};
struct __attribute__((packed, aligned(8))) PcData {
    std::size_t size;
    std::uint64_t cubinCrc, offset;
    std::uint32_t functionIndex, padding;
    char* function;  // to be freed
    std::size_t reasonCount;
    PcReason* reasons;
    std::uint32_t correlation;
};
struct __attribute__((packed, aligned(8))) PcBuffer {
    std::size_t size;
    std::size_t capacity;  // of `data`
    std::uint64_t totalSamples, droppedSamples;
    std::size_t count, remaining;
    std::uint64_t range;
    PcData* data;
    std::uint64_t foreignSamples;  // of kernels that are not the user's
    std::uint8_t isHardwareFull;
};
struct PcOption {
    int attribute, status;
    union Value {
        std::uint64_t words[3];
        std::uint32_t number;
        std::size_t bytes;
        void* pointer;
    } value;
};
struct PcConfigure : Head {
    Context context;
    std::size_t count;
    PcOption* options;
};
struct PcCall : Head {  // Enable, Disable
    Context context;
};
struct PcGetData : Head {
    Context context;
    void* buffer;  // a PcBuffer
};
struct PcReasonCount : Head {
    Context context;
    std::size_t* count;
};
struct PcReasonNames : Head {
    Context context;
    std::size_t count;
    std::uint32_t* indices;
    char** names;
};
// This one begins with its size only.
struct SassToSource {
    std::size_t size;
    const void* cubin;
    const char* function;
    std::size_t cubinBytes;
    std::uint32_t line;
    std::uint64_t offset;
    char *file, *folder;  // to be freed
};

// The size that a structure says of itself.
#define TW_CUPTI_SIZE(type, last) \
    constexpr std::size_t sizeOf(const type*) { return offsetof(type, last) + sizeof(type::last); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of derived structures; GCC defines it, and the test compares the numbers
constexpr std::size_t sizeOf(const NoParams*) { return sizeof(NoParams); }
TW_CUPTI_SIZE(DeviceSupported, which)
TW_CUPTI_SIZE(ChipName, name)
TW_CUPTI_SIZE(Availability, image)
TW_CUPTI_SIZE(HostInitialize, object)
TW_CUPTI_SIZE(HostDeinitialize, object)
TW_CUPTI_SIZE(SupportedChips, names)
TW_CUPTI_SIZE(BaseMetrics, count)
TW_CUPTI_SIZE(SubMetrics, names)
TW_CUPTI_SIZE(MetricProperties, type)
TW_CUPTI_SIZE(AddMetrics, count)
TW_CUPTI_SIZE(ConfigImageSize, bytes)
TW_CUPTI_SIZE(ConfigImage, image)
TW_CUPTI_SIZE(PassCount, passes)
TW_CUPTI_SIZE(Evaluate, values)
TW_CUPTI_SIZE(RangeEnable, object)
TW_CUPTI_SIZE(RangeCall, object)
TW_CUPTI_SIZE(RangeStop, isAllSubmitted)
TW_CUPTI_SIZE(RangeDecode, dropped)
TW_CUPTI_SIZE(RangeDataSize, bytes)
TW_CUPTI_SIZE(RangeDataInitialize, data)
TW_CUPTI_SIZE(RangeConfig, targetNestingLevel)
TW_CUPTI_SIZE(RangeDataInfo, ranges)
TW_CUPTI_SIZE(PmAvailability, image)
TW_CUPTI_SIZE(PmEnable, object)
TW_CUPTI_SIZE(PmCall, object)
TW_CUPTI_SIZE(PmConfig, append)
TW_CUPTI_SIZE(PmDecode, overflow)
TW_CUPTI_SIZE(PmDataSize, bytes)
TW_CUPTI_SIZE(PmDataInitialize, data)
TW_CUPTI_SIZE(PmDataInfo, completed)
TW_CUPTI_SIZE(PmSampleInfo, end)
TW_CUPTI_SIZE(PcConfigure, options)
TW_CUPTI_SIZE(PcCall, context)
TW_CUPTI_SIZE(PcGetData, buffer)
TW_CUPTI_SIZE(PcReasonCount, count)
TW_CUPTI_SIZE(PcReasonNames, names)
TW_CUPTI_SIZE(SassToSource, folder)
TW_CUPTI_SIZE(SassProperties, details)
TW_CUPTI_SIZE(SassConfig, device)
TW_CUPTI_SIZE(SassUnconfig, device)
TW_CUPTI_SIZE(SassEnable, isLazy)
TW_CUPTI_SIZE(SassDisable, dropped)
TW_CUPTI_SIZE(SassDataInfo, instances)
TW_CUPTI_SIZE(SassRecord, values)
TW_CUPTI_SIZE(SassFlush, instances)  // as the header says it
#pragma GCC diagnostic pop
#undef TW_CUPTI_SIZE

// A structure that knows its size, everything else zero.
template <class P>
[[nodiscard]] P make()
{
    P params{};
    params.size = sizeOf(static_cast<const P*>(nullptr));
    return params;
}

// Results. 0 is success.
enum : int {
    kInvalidParameter = 1, kInvalidDevice = 2, kInvalidContext = 3, kInvalidOperation = 7, kOutOfMemory = 8, kHardware = 9,
    kNotCompatible = 14, kNotInitialized = 15, kInvalidMetricName = 17, kInvalidModule = 24, kHardwareBusy = 26, kNotSupported = 27,
    kVirtualized = 33, kInsufficientPrivileges = 35, kOldProfiler = 36, kLegacyProfiler = 38, kMultipleSubscribers = 39,
    kVirtualizedPrivileges = 40, kConfidential = 41, kMining = 42, kMig = 43, kSli = 44, kWsl = 45, kInvalidChip = 46, kUnknown = 999
};

// Every function of CUPTI in use; null where the library lacks it.
struct Functions {
#define TW_CUPTI(member, name, parameters) int(*member) parameters = nullptr;
#include "profiler/cupti/cupti_functions.def"
#undef TW_CUPTI
};

}  // namespace tw::cupti::api
