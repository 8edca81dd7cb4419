// A CUPTI played by the tests, as a library of its own: opened like the real one. It answers what fake_cupti.h sets.
//
// With TW_FAKE_OLD it is one from before the range profiler.
#include "tests/unit/cupti/fake_cupti.h"

#include <algorithm>
#include <cstring>

using namespace tw::cupti;
using namespace tw::cupti::api;

namespace {

FakeState state;

// The answer of one function: the one that a test sets, else success.
int answer(const char* function)
{
    state.log.emplace_back(function);
    const auto found = state.results.find(function);
    return found == state.results.end() ? 0 : found->second;
}

template <class P>
bool isWhole(const P* params)
{
    return params->size == sizeOf(params);
}

// Memory images are a few bytes; what they would hold is in `state`.
constexpr std::size_t kImageBytes = 16;

std::vector<const char*> kBases = {"dram__bytes_read", "gpu__time_duration", "lts__t_sectors_op_read"};
std::vector<const char*> kPmBases = {"LTS.TriageCompute.lts__t_sector_throughput", "TPC.TriageCompute.tpc__warps_active_shader_cs_realtime"};
const char* kSuffixes[] = {".avg", ".sum"};
const char* kChips[] = {"GH100"};

}  // namespace

extern "C" {

FakeState* fakeCupti() { return &state; }

#define FAKE(name, ...) __attribute__((visibility("default"))) int name(__VA_ARGS__)

FAKE(cuptiGetVersion, std::uint32_t* version) { return *version = 130001, 0; }
FAKE(cuptiGetResultString, int result, const char** text) { return *text = result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : nullptr, 0; }
FAKE(cuptiProfilerInitialize, NoParams*) { return answer("initialize"); }
FAKE(cuptiProfilerDeviceSupported, DeviceSupported* p)
{
    const int result = answer("deviceSupported");
    p->isSupported = p->architecture = p->sli = p->virtualGpu = p->confidential = p->mining = p->wsl = kSupported;
    if (state.unsupported == "virtualGpu")
        p->isSupported = p->virtualGpu = kDisabled;
    if (state.unsupported == "confidential")
        p->isSupported = p->confidential = kUnsupported;
    if (state.unsupported == "architecture")
        p->isSupported = p->architecture = kUnsupported;
    return isWhole(p) ? result : kInvalidParameter;
}
FAKE(cuptiDeviceGetChipName, ChipName* p) { return p->name = kChips[0], answer("chipName"); }
FAKE(cuptiProfilerGetCounterAvailability, Availability* p) { return p->imageBytes = kImageBytes, answer("availability"); }

FAKE(cuptiProfilerHostInitialize, HostInitialize* p)
{
    if (std::strcmp(p->chip, kChips[0]) != 0)
        return kInvalidChip;
    p->object = reinterpret_cast<HostObject>(&state);
    state.kind = p->kind;
    return isWhole(p) ? answer("hostInitialize") : kInvalidParameter;
}
FAKE(cuptiProfilerHostDeinitialize, HostDeinitialize*) { return answer("hostDeinitialize"); }
FAKE(cuptiProfilerHostGetSupportedChips, SupportedChips* p) { return p->count = 1, p->names = kChips, 0; }
FAKE(cuptiProfilerHostGetBaseMetrics, BaseMetrics* p)
{
    if (p->type != kTypeCounter)
        return p->count = 0, 0;
    std::vector<const char*>& bases = state.kind == kForPmSampling ? kPmBases : kBases;
    return p->count = bases.size(), p->names = bases.data(), isWhole(p) ? 0 : kInvalidParameter;
}
FAKE(cuptiProfilerHostGetSubMetrics, SubMetrics* p) { return p->count = 2, p->names = kSuffixes, p->type == kTypeCounter ? 0 : kInvalidParameter; }
FAKE(cuptiProfilerHostGetMetricProperties, MetricProperties* p) { return p->description = "fake", p->dimension = "byte", answer("metricProperties"); }
FAKE(cuptiProfilerHostConfigAddMetrics, AddMetrics* p) { return state.counters.assign(p->names, p->names + p->count), answer("addMetrics"); }
FAKE(cuptiProfilerHostGetConfigImageSize, ConfigImageSize* p) { return p->bytes = kImageBytes, answer("configImageSize"); }
FAKE(cuptiProfilerHostGetConfigImage, ConfigImage*) { return answer("configImage"); }
FAKE(cuptiProfilerHostGetNumOfPasses, PassCount* p) { return p->passes = state.passes, answer("passCount"); }
FAKE(cuptiProfilerHostEvaluateToGpuValues, Evaluate* p)
{
    for (std::size_t i = 0; i < p->count; ++i)
        p->values[i] = state.value ? state.value(p->names[i], p->index) : 0;
    return isWhole(p) ? answer("evaluate") : kInvalidParameter;
}

FAKE(cuptiPCSamplingEnable, PcCall*) { return answer("pcEnable"); }
FAKE(cuptiPCSamplingDisable, PcCall*) { return answer("pcDisable"); }
FAKE(cuptiPCSamplingSetConfigurationAttribute, PcConfigure* p)
{
    for (std::size_t i = 0; i < p->count; ++i)
        state.pcOptions[p->options[i].attribute] = p->options[i].value.number;
    return isWhole(p) ? answer("pcConfigure") : kInvalidParameter;
}
FAKE(cuptiPCSamplingGetData, PcGetData* p)
{
    auto* buffer = static_cast<PcBuffer*>(p->buffer);
    buffer->count = 0;
    buffer->remaining = 0;
    if (state.looksUntilSamples-- > 0)
        return answer("pcGetData");
    static char function[] = "kernel";
    for (const FakeState::Pc& pc : state.pcs) {
        PcData& data = buffer->data[buffer->count++];
        data.function = function;
        data.offset = pc.offset;
        data.reasonCount = 0;
        for (const auto& [reason, samples] : pc.reasons)
            data.reasons[data.reasonCount++] = {reason, samples};
    }
    return answer("pcGetData");
}
FAKE(cuptiPCSamplingGetNumStallReasons, PcReasonCount* p) { return *p->count = state.reasonNames.size(), answer("pcReasonCount"); }
FAKE(cuptiPCSamplingGetStallReasons, PcReasonNames* p)
{
    for (std::size_t i = 0; i < p->count; ++i) {
        p->indices[i] = static_cast<std::uint32_t>(i);
        std::strcpy(p->names[i], state.reasonNames[i].c_str());
    }
    return isWhole(p) ? 0 : kInvalidParameter;
}
FAKE(cuptiGetSassToSourceCorrelation, SassToSource* p)
{
    p->line = static_cast<std::uint32_t>(p->offset / 16 + 1);
    p->file = ::strdup("kernel.py");
    return p->size == sizeOf(p) ? answer("sassToSource") : kInvalidParameter;
}

#ifndef TW_FAKE_OLD
FAKE(cuptiRangeProfilerEnable, RangeEnable* p) { return p->object = reinterpret_cast<RangeObject>(&state), answer("rangeEnable"); }
FAKE(cuptiRangeProfilerDisable, RangeCall*) { return answer("rangeDisable"); }
FAKE(cuptiRangeProfilerStart, RangeCall*) { return answer("rangeStart"); }
FAKE(cuptiRangeProfilerStop, RangeStop* p)
{
    p->isAllSubmitted = --state.passesLeft <= 0;
    return isWhole(p) ? answer("rangeStop") : kInvalidParameter;
}
FAKE(cuptiRangeProfilerDecodeData, RangeDecode* p) { return p->dropped = state.dropped, answer("rangeDecode"); }
FAKE(cuptiRangeProfilerGetCounterDataSize, RangeDataSize* p) { return p->bytes = kImageBytes, isWhole(p) ? answer("rangeDataSize") : kInvalidParameter; }
FAKE(cuptiRangeProfilerCounterDataImageInitialize, RangeDataInitialize*) { return answer("rangeDataInitialize"); }
FAKE(cuptiRangeProfilerSetConfig, RangeConfig* p)
{
    state.passesLeft = static_cast<int>(state.passes);
    const bool isOurs = p->range == kAutoRange && p->replay == kUserReplay && p->maxRanges == 1;
    return isWhole(p) && isOurs ? answer("rangeConfig") : kInvalidParameter;
}
FAKE(cuptiRangeProfilerGetCounterDataInfo, RangeDataInfo* p) { return p->ranges = state.ranges, answer("rangeDataInfo"); }

FAKE(cuptiPmSamplingGetCounterAvailability, PmAvailability* p) { return p->imageBytes = kImageBytes, answer("pmAvailability"); }
FAKE(cuptiPmSamplingEnable, PmEnable* p) { return p->object = reinterpret_cast<PmObject>(&state), answer("pmEnable"); }
FAKE(cuptiPmSamplingDisable, PmCall*) { return answer("pmDisable"); }
FAKE(cuptiPmSamplingSetConfig, PmConfig* p) { return state.interval = p->interval, isWhole(p) ? answer("pmConfig") : kInvalidParameter; }
FAKE(cuptiPmSamplingStart, PmCall*) { return answer("pmStart"); }
FAKE(cuptiPmSamplingStop, PmCall*) { return answer("pmStop"); }
FAKE(cuptiPmSamplingDecodeData, PmDecode* p)
{
    p->stopReason = state.isFull ? kStopDataFull : kStopEndOfRecords;
    return isWhole(p) ? answer("pmDecode") : kInvalidParameter;
}
FAKE(cuptiPmSamplingGetCounterDataSize, PmDataSize* p) { return p->bytes = kImageBytes, answer("pmDataSize"); }
FAKE(cuptiPmSamplingCounterDataImageInitialize, PmDataInitialize*) { return answer("pmDataInitialize"); }
FAKE(cuptiPmSamplingGetCounterDataInfo, PmDataInfo* p) { return p->completed = state.pmSamples, answer("pmDataInfo"); }
FAKE(cuptiPmSamplingCounterDataGetSampleInfo, PmSampleInfo* p)
{
    p->start = 1000000 + p->index * 2000;
    p->end = p->start + 2000;
    return isWhole(p) ? answer("pmSampleInfo") : kInvalidParameter;
}

FAKE(cuptiSassMetricsGetProperties, SassProperties* p)
{
    const auto found = std::find(state.sassMetrics.begin(), state.sassMetrics.end(), p->metric);
    if (!isWhole(p) || found == state.sassMetrics.end())
        return kInvalidParameter;
    p->details.id = static_cast<std::uint64_t>(found - state.sassMetrics.begin()) + 1;
    return answer("sassProperties");
}
FAKE(cuptiSassMetricsSetConfig, SassConfig* p)
{
    if (state.sassConfigs++ > 0)
        return kOutOfMemory;
    for (std::size_t i = 0; i < p->count; ++i)
        state.sassChosen.push_back(p->choices[i].id);
    return isWhole(p) ? answer("sassConfig") : kInvalidParameter;
}
FAKE(cuptiSassMetricsUnsetConfig, SassUnconfig* p) { return isWhole(p) ? answer("sassUnconfig") : kInvalidParameter; }
FAKE(cuptiSassMetricsEnable, SassEnable* p) { return state.isCounting = p->isLazy != 0, isWhole(p) ? answer("sassEnable") : kInvalidParameter; }
FAKE(cuptiSassMetricsDisable, SassDisable* p) { return state.isCounting = false, isWhole(p) ? answer("sassDisable") : kInvalidParameter; }
FAKE(cuptiSassMetricsGetDataProperties, SassDataInfo* p)
{
    p->records = state.sass.size();
    p->instances = 1;
    return state.isCounting ? answer("sassDataInfo") : kInvalidOperation;
}
FAKE(cuptiSassMetricsFlushData, SassFlush* p)
{
    static const char kFunction[] = "kernel";
    for (std::size_t i = 0; i < p->records; ++i) {
        p->data[i].function = kFunction;
        p->data[i].offset = state.sass[i].offset;
        p->data[i].values[0] = {state.sass[i].metric, state.sass[i].value};
    }
    return isWhole(p) && state.isCounting ? answer("sassFlush") : kInvalidOperation;
}
#endif

}  // extern "C"
