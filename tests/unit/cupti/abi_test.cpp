// Our declarations of CUPTI against NVIDIA's own.
#include <cstddef>

#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <gtest/gtest.h>

#include "profiler/cupti/cupti_api.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // ours derive from a common beginning

namespace tw::cupti::api {
namespace {

// The size that a caller says, and the size in memory.
#define TW_SIZE(ours, theirs, said)                                             \
    EXPECT_EQ(sizeOf(static_cast<const ours*>(nullptr)), said) << #theirs;      \
    EXPECT_EQ(sizeof(ours), sizeof(theirs)) << #theirs
#define TW_MEMBER(ours, member, theirs, their)                                         \
    EXPECT_EQ(offsetof(ours, member), offsetof(theirs, their)) << #theirs "::" #their; \
    EXPECT_EQ(sizeof(ours::member), sizeof(theirs::their)) << #theirs "::" #their

TEST(CuptiAbi, HostsLieAlike)
{
    TW_SIZE(NoParams, CUpti_Profiler_Initialize_Params, CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    TW_SIZE(DeviceSupported, CUpti_Profiler_DeviceSupported_Params, CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
    TW_MEMBER(DeviceSupported, device, CUpti_Profiler_DeviceSupported_Params, cuDevice);
    TW_MEMBER(DeviceSupported, isSupported, CUpti_Profiler_DeviceSupported_Params, isSupported);
    TW_MEMBER(DeviceSupported, architecture, CUpti_Profiler_DeviceSupported_Params, architecture);
    TW_MEMBER(DeviceSupported, sli, CUpti_Profiler_DeviceSupported_Params, sli);
    TW_MEMBER(DeviceSupported, virtualGpu, CUpti_Profiler_DeviceSupported_Params, vGpu);
    TW_MEMBER(DeviceSupported, confidential, CUpti_Profiler_DeviceSupported_Params, confidentialCompute);
    TW_MEMBER(DeviceSupported, mining, CUpti_Profiler_DeviceSupported_Params, cmp);
    TW_MEMBER(DeviceSupported, wsl, CUpti_Profiler_DeviceSupported_Params, wsl);
    TW_MEMBER(DeviceSupported, which, CUpti_Profiler_DeviceSupported_Params, api);
    TW_SIZE(ChipName, CUpti_Device_GetChipName_Params, CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    TW_MEMBER(ChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
    TW_MEMBER(ChipName, name, CUpti_Device_GetChipName_Params, pChipName);
    TW_SIZE(Availability, CUpti_Profiler_GetCounterAvailability_Params, CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
    TW_MEMBER(Availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
    TW_MEMBER(Availability, imageBytes, CUpti_Profiler_GetCounterAvailability_Params, counterAvailabilityImageSize);
    TW_MEMBER(Availability, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage);
    TW_SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params, CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    TW_MEMBER(HostInitialize, kind, CUpti_Profiler_Host_Initialize_Params, profilerType);
    TW_MEMBER(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
    TW_MEMBER(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);
    TW_MEMBER(HostInitialize, object, CUpti_Profiler_Host_Initialize_Params, pHostObject);
    TW_SIZE(HostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params, CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    TW_MEMBER(HostDeinitialize, object, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
    TW_SIZE(SupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params, CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
    TW_MEMBER(SupportedChips, count, CUpti_Profiler_Host_GetSupportedChips_Params, numChips);
    TW_MEMBER(SupportedChips, names, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames);
    TW_SIZE(BaseMetrics, CUpti_Profiler_Host_GetBaseMetrics_Params, CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE);
    TW_MEMBER(BaseMetrics, object, CUpti_Profiler_Host_GetBaseMetrics_Params, pHostObject);
    TW_MEMBER(BaseMetrics, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType);
    TW_MEMBER(BaseMetrics, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
    TW_MEMBER(BaseMetrics, count, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics);
    TW_SIZE(SubMetrics, CUpti_Profiler_Host_GetSubMetrics_Params, CUpti_Profiler_Host_GetSubMetrics_Params_STRUCT_SIZE);
    TW_MEMBER(SubMetrics, object, CUpti_Profiler_Host_GetSubMetrics_Params, pHostObject);
    TW_MEMBER(SubMetrics, type, CUpti_Profiler_Host_GetSubMetrics_Params, metricType);
    TW_MEMBER(SubMetrics, metric, CUpti_Profiler_Host_GetSubMetrics_Params, pMetricName);
    TW_MEMBER(SubMetrics, count, CUpti_Profiler_Host_GetSubMetrics_Params, numOfSubmetrics);
    TW_MEMBER(SubMetrics, names, CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics);
    TW_SIZE(MetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params, CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
    TW_MEMBER(MetricProperties, object, CUpti_Profiler_Host_GetMetricProperties_Params, pHostObject);
    TW_MEMBER(MetricProperties, metric, CUpti_Profiler_Host_GetMetricProperties_Params, pMetricName);
    TW_MEMBER(MetricProperties, description, CUpti_Profiler_Host_GetMetricProperties_Params, pDescription);
    TW_MEMBER(MetricProperties, unit, CUpti_Profiler_Host_GetMetricProperties_Params, pHwUnit);
    TW_MEMBER(MetricProperties, dimension, CUpti_Profiler_Host_GetMetricProperties_Params, pDimUnit);
    TW_MEMBER(MetricProperties, type, CUpti_Profiler_Host_GetMetricProperties_Params, metricType);
    TW_SIZE(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params, CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    TW_MEMBER(AddMetrics, object, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
    TW_MEMBER(AddMetrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
    TW_MEMBER(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
    TW_SIZE(ConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params, CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    TW_MEMBER(ConfigImageSize, object, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
    TW_MEMBER(ConfigImageSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
    TW_SIZE(ConfigImage, CUpti_Profiler_Host_GetConfigImage_Params, CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    TW_MEMBER(ConfigImage, object, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
    TW_MEMBER(ConfigImage, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
    TW_MEMBER(ConfigImage, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
    TW_SIZE(PassCount, CUpti_Profiler_Host_GetNumOfPasses_Params, CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
    TW_MEMBER(PassCount, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
    TW_MEMBER(PassCount, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
    TW_MEMBER(PassCount, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
    TW_SIZE(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params, CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    TW_MEMBER(Evaluate, object, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
    TW_MEMBER(Evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
    TW_MEMBER(Evaluate, dataBytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
    TW_MEMBER(Evaluate, index, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
    TW_MEMBER(Evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
    TW_MEMBER(Evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
    TW_MEMBER(Evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
}

TEST(CuptiAbi, RangesLieAlike)
{
    TW_SIZE(RangeEnable, CUpti_RangeProfiler_Enable_Params, CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    TW_MEMBER(RangeEnable, context, CUpti_RangeProfiler_Enable_Params, ctx);
    TW_MEMBER(RangeEnable, object, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
    TW_SIZE(RangeCall, CUpti_RangeProfiler_Disable_Params, CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    TW_MEMBER(RangeCall, object, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
    TW_SIZE(RangeCall, CUpti_RangeProfiler_Start_Params, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    TW_MEMBER(RangeCall, object, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
    TW_SIZE(RangeStop, CUpti_RangeProfiler_Stop_Params, CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    TW_MEMBER(RangeStop, object, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
    TW_MEMBER(RangeStop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
    TW_MEMBER(RangeStop, nestingLevel, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);
    TW_MEMBER(RangeStop, isAllSubmitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
    TW_SIZE(RangeDecode, CUpti_RangeProfiler_DecodeData_Params, CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    TW_MEMBER(RangeDecode, object, CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject);
    TW_MEMBER(RangeDecode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
    TW_SIZE(RangeDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params, CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    TW_MEMBER(RangeDataSize, object, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject);
    TW_MEMBER(RangeDataSize, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
    TW_MEMBER(RangeDataSize, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
    TW_MEMBER(RangeDataSize, maxRanges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
    TW_MEMBER(RangeDataSize, maxNodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
    TW_MEMBER(RangeDataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
    TW_SIZE(RangeDataInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    TW_MEMBER(RangeDataInitialize, object, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pRangeProfilerObject);
    TW_MEMBER(RangeDataInitialize, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, counterDataSize);
    TW_MEMBER(RangeDataInitialize, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
    TW_SIZE(RangeConfig, CUpti_RangeProfiler_SetConfig_Params, CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    TW_MEMBER(RangeConfig, object, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject);
    TW_MEMBER(RangeConfig, configBytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
    TW_MEMBER(RangeConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
    TW_MEMBER(RangeConfig, dataBytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
    TW_MEMBER(RangeConfig, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
    TW_MEMBER(RangeConfig, range, CUpti_RangeProfiler_SetConfig_Params, range);
    TW_MEMBER(RangeConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
    TW_MEMBER(RangeConfig, maxRanges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
    TW_MEMBER(RangeConfig, nestingLevels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
    TW_MEMBER(RangeConfig, minNestingLevel, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
    TW_MEMBER(RangeConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
    TW_MEMBER(RangeConfig, targetNestingLevel, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
    TW_SIZE(RangeDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params, CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    TW_MEMBER(RangeDataInfo, data, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
    TW_MEMBER(RangeDataInfo, dataBytes, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize);
    TW_MEMBER(RangeDataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
}

TEST(CuptiAbi, PmSamplesLieAlike)
{
    TW_SIZE(PmAvailability, CUpti_PmSampling_GetCounterAvailability_Params, CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
    TW_MEMBER(PmAvailability, device, CUpti_PmSampling_GetCounterAvailability_Params, deviceIndex);
    TW_MEMBER(PmAvailability, imageBytes, CUpti_PmSampling_GetCounterAvailability_Params, counterAvailabilityImageSize);
    TW_MEMBER(PmAvailability, image, CUpti_PmSampling_GetCounterAvailability_Params, pCounterAvailabilityImage);
    TW_SIZE(PmEnable, CUpti_PmSampling_Enable_Params, CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
    TW_MEMBER(PmEnable, device, CUpti_PmSampling_Enable_Params, deviceIndex);
    TW_MEMBER(PmEnable, object, CUpti_PmSampling_Enable_Params, pPmSamplingObject);
    TW_SIZE(PmCall, CUpti_PmSampling_Disable_Params, CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
    TW_MEMBER(PmCall, object, CUpti_PmSampling_Disable_Params, pPmSamplingObject);
    TW_SIZE(PmCall, CUpti_PmSampling_Start_Params, CUpti_PmSampling_Start_Params_STRUCT_SIZE);
    TW_MEMBER(PmCall, object, CUpti_PmSampling_Start_Params, pPmSamplingObject);
    TW_SIZE(PmCall, CUpti_PmSampling_Stop_Params, CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
    TW_MEMBER(PmCall, object, CUpti_PmSampling_Stop_Params, pPmSamplingObject);
    TW_SIZE(PmConfig, CUpti_PmSampling_SetConfig_Params, CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
    TW_MEMBER(PmConfig, object, CUpti_PmSampling_SetConfig_Params, pPmSamplingObject);
    TW_MEMBER(PmConfig, configBytes, CUpti_PmSampling_SetConfig_Params, configSize);
    TW_MEMBER(PmConfig, config, CUpti_PmSampling_SetConfig_Params, pConfig);
    TW_MEMBER(PmConfig, hardwareBytes, CUpti_PmSampling_SetConfig_Params, hardwareBufferSize);
    TW_MEMBER(PmConfig, interval, CUpti_PmSampling_SetConfig_Params, samplingInterval);
    TW_MEMBER(PmConfig, trigger, CUpti_PmSampling_SetConfig_Params, triggerMode);
    TW_MEMBER(PmConfig, append, CUpti_PmSampling_SetConfig_Params, hwBufferAppendMode);
    TW_SIZE(PmDecode, CUpti_PmSampling_DecodeData_Params, CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
    TW_MEMBER(PmDecode, object, CUpti_PmSampling_DecodeData_Params, pPmSamplingObject);
    TW_MEMBER(PmDecode, data, CUpti_PmSampling_DecodeData_Params, pCounterDataImage);
    TW_MEMBER(PmDecode, dataBytes, CUpti_PmSampling_DecodeData_Params, counterDataImageSize);
    TW_MEMBER(PmDecode, stopReason, CUpti_PmSampling_DecodeData_Params, decodeStopReason);
    TW_MEMBER(PmDecode, overflow, CUpti_PmSampling_DecodeData_Params, overflow);
    TW_SIZE(PmDataSize, CUpti_PmSampling_GetCounterDataSize_Params, CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
    TW_MEMBER(PmDataSize, object, CUpti_PmSampling_GetCounterDataSize_Params, pPmSamplingObject);
    TW_MEMBER(PmDataSize, names, CUpti_PmSampling_GetCounterDataSize_Params, pMetricNames);
    TW_MEMBER(PmDataSize, count, CUpti_PmSampling_GetCounterDataSize_Params, numMetrics);
    TW_MEMBER(PmDataSize, maxSamples, CUpti_PmSampling_GetCounterDataSize_Params, maxSamples);
    TW_MEMBER(PmDataSize, bytes, CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize);
    TW_SIZE(PmDataInitialize, CUpti_PmSampling_CounterDataImage_Initialize_Params, CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    TW_MEMBER(PmDataInitialize, object, CUpti_PmSampling_CounterDataImage_Initialize_Params, pPmSamplingObject);
    TW_MEMBER(PmDataInitialize, bytes, CUpti_PmSampling_CounterDataImage_Initialize_Params, counterDataSize);
    TW_MEMBER(PmDataInitialize, data, CUpti_PmSampling_CounterDataImage_Initialize_Params, pCounterData);
    TW_SIZE(PmDataInfo, CUpti_PmSampling_GetCounterDataInfo_Params, CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
    TW_MEMBER(PmDataInfo, data, CUpti_PmSampling_GetCounterDataInfo_Params, pCounterDataImage);
    TW_MEMBER(PmDataInfo, dataBytes, CUpti_PmSampling_GetCounterDataInfo_Params, counterDataImageSize);
    TW_MEMBER(PmDataInfo, total, CUpti_PmSampling_GetCounterDataInfo_Params, numTotalSamples);
    TW_MEMBER(PmDataInfo, populated, CUpti_PmSampling_GetCounterDataInfo_Params, numPopulatedSamples);
    TW_MEMBER(PmDataInfo, completed, CUpti_PmSampling_GetCounterDataInfo_Params, numCompletedSamples);
    TW_SIZE(PmSampleInfo, CUpti_PmSampling_CounterData_GetSampleInfo_Params, CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
    TW_MEMBER(PmSampleInfo, object, CUpti_PmSampling_CounterData_GetSampleInfo_Params, pPmSamplingObject);
    TW_MEMBER(PmSampleInfo, data, CUpti_PmSampling_CounterData_GetSampleInfo_Params, pCounterDataImage);
    TW_MEMBER(PmSampleInfo, dataBytes, CUpti_PmSampling_CounterData_GetSampleInfo_Params, counterDataImageSize);
    TW_MEMBER(PmSampleInfo, index, CUpti_PmSampling_CounterData_GetSampleInfo_Params, sampleIndex);
    TW_MEMBER(PmSampleInfo, start, CUpti_PmSampling_CounterData_GetSampleInfo_Params, startTimestamp);
    TW_MEMBER(PmSampleInfo, end, CUpti_PmSampling_CounterData_GetSampleInfo_Params, endTimestamp);
}

TEST(CuptiAbi, PcSamplesLieAlike)
{
    TW_SIZE(PcConfigure, CUpti_PCSamplingConfigurationInfoParams, CUpti_PCSamplingConfigurationInfoParamsSize);
    TW_MEMBER(PcConfigure, context, CUpti_PCSamplingConfigurationInfoParams, ctx);
    TW_MEMBER(PcConfigure, count, CUpti_PCSamplingConfigurationInfoParams, numAttributes);
    TW_MEMBER(PcConfigure, options, CUpti_PCSamplingConfigurationInfoParams, pPCSamplingConfigurationInfo);
    TW_SIZE(PcCall, CUpti_PCSamplingEnableParams, CUpti_PCSamplingEnableParamsSize);
    TW_MEMBER(PcCall, context, CUpti_PCSamplingEnableParams, ctx);
    TW_SIZE(PcCall, CUpti_PCSamplingDisableParams, CUpti_PCSamplingDisableParamsSize);
    TW_MEMBER(PcCall, context, CUpti_PCSamplingDisableParams, ctx);
    TW_SIZE(PcGetData, CUpti_PCSamplingGetDataParams, CUpti_PCSamplingGetDataParamsSize);
    TW_MEMBER(PcGetData, context, CUpti_PCSamplingGetDataParams, ctx);
    TW_MEMBER(PcGetData, buffer, CUpti_PCSamplingGetDataParams, pcSamplingData);
    TW_SIZE(PcReasonCount, CUpti_PCSamplingGetNumStallReasonsParams, CUpti_PCSamplingGetNumStallReasonsParamsSize);
    TW_MEMBER(PcReasonCount, context, CUpti_PCSamplingGetNumStallReasonsParams, ctx);
    TW_MEMBER(PcReasonCount, count, CUpti_PCSamplingGetNumStallReasonsParams, numStallReasons);
    TW_SIZE(PcReasonNames, CUpti_PCSamplingGetStallReasonsParams, CUpti_PCSamplingGetStallReasonsParamsSize);
    TW_MEMBER(PcReasonNames, context, CUpti_PCSamplingGetStallReasonsParams, ctx);
    TW_MEMBER(PcReasonNames, count, CUpti_PCSamplingGetStallReasonsParams, numStallReasons);
    TW_MEMBER(PcReasonNames, indices, CUpti_PCSamplingGetStallReasonsParams, stallReasonIndex);
    TW_MEMBER(PcReasonNames, names, CUpti_PCSamplingGetStallReasonsParams, stallReasons);
    TW_SIZE(SassToSource, CUpti_GetSassToSourceCorrelationParams, CUpti_GetSassToSourceCorrelationParamsSize);
    TW_MEMBER(SassToSource, cubin, CUpti_GetSassToSourceCorrelationParams, cubin);
    TW_MEMBER(SassToSource, function, CUpti_GetSassToSourceCorrelationParams, functionName);
    TW_MEMBER(SassToSource, cubinBytes, CUpti_GetSassToSourceCorrelationParams, cubinSize);
    TW_MEMBER(SassToSource, line, CUpti_GetSassToSourceCorrelationParams, lineNumber);
    TW_MEMBER(SassToSource, offset, CUpti_GetSassToSourceCorrelationParams, pcOffset);
    TW_MEMBER(SassToSource, file, CUpti_GetSassToSourceCorrelationParams, fileName);
    TW_MEMBER(SassToSource, folder, CUpti_GetSassToSourceCorrelationParams, dirName);
}

TEST(CuptiAbi, PcDataLiesAlike)
{
    EXPECT_EQ(sizeof(PcReason), sizeof(CUpti_PCSamplingStallReason));
    TW_MEMBER(PcReason, reason, CUpti_PCSamplingStallReason, pcSamplingStallReasonIndex);
    TW_MEMBER(PcReason, samples, CUpti_PCSamplingStallReason, samples);
    EXPECT_EQ(sizeof(PcData), sizeof(CUpti_PCSamplingPCData));
    TW_MEMBER(PcData, cubinCrc, CUpti_PCSamplingPCData, cubinCrc);
    TW_MEMBER(PcData, offset, CUpti_PCSamplingPCData, pcOffset);
    TW_MEMBER(PcData, functionIndex, CUpti_PCSamplingPCData, functionIndex);
    TW_MEMBER(PcData, function, CUpti_PCSamplingPCData, functionName);
    TW_MEMBER(PcData, reasonCount, CUpti_PCSamplingPCData, stallReasonCount);
    TW_MEMBER(PcData, reasons, CUpti_PCSamplingPCData, stallReason);
    TW_MEMBER(PcData, correlation, CUpti_PCSamplingPCData, correlationId);
    EXPECT_EQ(sizeof(PcBuffer), sizeof(CUpti_PCSamplingData));
    TW_MEMBER(PcBuffer, capacity, CUpti_PCSamplingData, collectNumPcs);
    TW_MEMBER(PcBuffer, totalSamples, CUpti_PCSamplingData, totalSamples);
    TW_MEMBER(PcBuffer, droppedSamples, CUpti_PCSamplingData, droppedSamples);
    TW_MEMBER(PcBuffer, count, CUpti_PCSamplingData, totalNumPcs);
    TW_MEMBER(PcBuffer, remaining, CUpti_PCSamplingData, remainingNumPcs);
    TW_MEMBER(PcBuffer, range, CUpti_PCSamplingData, rangeId);
    TW_MEMBER(PcBuffer, data, CUpti_PCSamplingData, pPcData);
    TW_MEMBER(PcBuffer, foreignSamples, CUpti_PCSamplingData, nonUsrKernelsTotalSamples);
    TW_MEMBER(PcBuffer, isHardwareFull, CUpti_PCSamplingData, hardwareBufferFull);
    EXPECT_EQ(sizeof(PcOption), sizeof(CUpti_PCSamplingConfigurationInfo));
    TW_MEMBER(PcOption, attribute, CUpti_PCSamplingConfigurationInfo, attributeType);
    TW_MEMBER(PcOption, status, CUpti_PCSamplingConfigurationInfo, attributeStatus);
    TW_MEMBER(PcOption, value, CUpti_PCSamplingConfigurationInfo, attributeData);
}

TEST(CuptiAbi, CountsOfInstructionsLieAlike)
{
    EXPECT_EQ(sizeof(SassDetails), sizeof(CUpti_SassMetrics_MetricDetails));
    TW_MEMBER(SassDetails, id, CUpti_SassMetrics_MetricDetails, metricId);
    TW_MEMBER(SassDetails, description, CUpti_SassMetrics_MetricDetails, pMetricDescription);
    TW_SIZE(SassProperties, CUpti_SassMetrics_GetProperties_Params, CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE);
    TW_MEMBER(SassProperties, chip, CUpti_SassMetrics_GetProperties_Params, pChipName);
    TW_MEMBER(SassProperties, metric, CUpti_SassMetrics_GetProperties_Params, pMetricName);
    TW_MEMBER(SassProperties, details, CUpti_SassMetrics_GetProperties_Params, metric);
    EXPECT_EQ(sizeof(SassChoice), sizeof(CUpti_SassMetrics_Config));
    TW_MEMBER(SassChoice, id, CUpti_SassMetrics_Config, metricId);
    TW_MEMBER(SassChoice, granularity, CUpti_SassMetrics_Config, outputGranularity);
    TW_SIZE(SassConfig, CUpti_SassMetricsSetConfig_Params, CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE);
    TW_MEMBER(SassConfig, count, CUpti_SassMetricsSetConfig_Params, numOfMetricConfig);
    TW_MEMBER(SassConfig, choices, CUpti_SassMetricsSetConfig_Params, pConfigs);
    TW_MEMBER(SassConfig, device, CUpti_SassMetricsSetConfig_Params, deviceIndex);
    TW_SIZE(SassUnconfig, CUpti_SassMetricsUnsetConfig_Params, CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE);
    TW_MEMBER(SassUnconfig, device, CUpti_SassMetricsUnsetConfig_Params, deviceIndex);
    TW_SIZE(SassEnable, CUpti_SassMetricsEnable_Params, CUpti_SassMetricsEnable_Params_STRUCT_SIZE);
    TW_MEMBER(SassEnable, context, CUpti_SassMetricsEnable_Params, ctx);
    TW_MEMBER(SassEnable, isLazy, CUpti_SassMetricsEnable_Params, enableLazyPatching);
    TW_SIZE(SassDisable, CUpti_SassMetricsDisable_Params, CUpti_SassMetricsDisable_Params_STRUCT_SIZE);
    TW_MEMBER(SassDisable, dropped, CUpti_SassMetricsDisable_Params, numOfDroppedRecords);
    TW_SIZE(SassDataInfo, CUpti_SassMetricsGetDataProperties_Params, CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE);
    TW_MEMBER(SassDataInfo, records, CUpti_SassMetricsGetDataProperties_Params, numOfPatchedInstructionRecords);
    TW_MEMBER(SassDataInfo, instances, CUpti_SassMetricsGetDataProperties_Params, numOfInstances);
    EXPECT_EQ(sizeof(SassValue), sizeof(CUpti_SassMetrics_InstanceValue));
    TW_MEMBER(SassValue, value, CUpti_SassMetrics_InstanceValue, value);
    EXPECT_EQ(sizeof(SassRecord), sizeof(CUpti_SassMetrics_Data));
    TW_MEMBER(SassRecord, cubinCrc, CUpti_SassMetrics_Data, cubinCrc);
    TW_MEMBER(SassRecord, function, CUpti_SassMetrics_Data, functionName);
    TW_MEMBER(SassRecord, offset, CUpti_SassMetrics_Data, pcOffset);
    TW_MEMBER(SassRecord, values, CUpti_SassMetrics_Data, pInstanceValues);
    TW_SIZE(SassFlush, CUpti_SassMetricsFlushData_Params, CUpti_SassMetricsFlushData_Params_STRUCT_SIZE);
    TW_MEMBER(SassFlush, records, CUpti_SassMetricsFlushData_Params, numOfPatchedInstructionRecords);
    TW_MEMBER(SassFlush, data, CUpti_SassMetricsFlushData_Params, pMetricsData);
}

TEST(CuptiAbi, NumbersAreTheirs)
{
    EXPECT_EQ(static_cast<int>(kTypeCounter), static_cast<int>(CUPTI_METRIC_TYPE_COUNTER));
    EXPECT_EQ(static_cast<int>(kTypeThroughput), static_cast<int>(CUPTI_METRIC_TYPE_THROUGHPUT));
    EXPECT_EQ(static_cast<int>(kForRanges), static_cast<int>(CUPTI_PROFILER_TYPE_RANGE_PROFILER));
    EXPECT_EQ(static_cast<int>(kForPmSampling), static_cast<int>(CUPTI_PROFILER_TYPE_PM_SAMPLING));
    EXPECT_EQ(static_cast<int>(kAutoRange), static_cast<int>(CUPTI_AutoRange));
    EXPECT_EQ(static_cast<int>(kUserReplay), static_cast<int>(CUPTI_UserReplay));
    EXPECT_EQ(static_cast<int>(kApiRanges), static_cast<int>(CUPTI_PROFILER_RANGE_PROFILING));
    EXPECT_EQ(static_cast<int>(kApiPcSampling), static_cast<int>(CUPTI_PROFILER_PC_SAMPLING));
    EXPECT_EQ(static_cast<int>(kApiSass), static_cast<int>(CUPTI_PROFILER_SASS_METRICS));
    EXPECT_EQ(static_cast<int>(kApiPmSampling), static_cast<int>(CUPTI_PROFILER_PM_SAMPLING));
    EXPECT_EQ(static_cast<int>(kWholeGpu), static_cast<int>(CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU));
    EXPECT_EQ(static_cast<int>(kUnsupported), static_cast<int>(CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED));
    EXPECT_EQ(static_cast<int>(kDisabled), static_cast<int>(CUPTI_PROFILER_CONFIGURATION_DISABLED));
    EXPECT_EQ(static_cast<int>(kSupported), static_cast<int>(CUPTI_PROFILER_CONFIGURATION_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kEveryNanoseconds), static_cast<int>(CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL));
    EXPECT_EQ(static_cast<int>(kKeepLatest), static_cast<int>(CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST));
    EXPECT_EQ(static_cast<int>(kStopEndOfRecords), static_cast<int>(CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS));
    EXPECT_EQ(static_cast<int>(kPcSerialized), static_cast<int>(CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED));
    EXPECT_EQ(static_cast<int>(kPcPeriod), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD));
    EXPECT_EQ(static_cast<int>(kPcScratchBytes), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE));
    EXPECT_EQ(static_cast<int>(kPcHardwareBytes), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE));
    EXPECT_EQ(static_cast<int>(kPcMode), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE));
    EXPECT_EQ(static_cast<int>(kPcFormat), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT));
    EXPECT_EQ(static_cast<int>(kPcBuffer), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER));
    EXPECT_EQ(static_cast<int>(kPcSleep), static_cast<int>(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN));
    EXPECT_EQ(static_cast<int>(kPcParsed), static_cast<int>(CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED));
    EXPECT_EQ(static_cast<int>(kInvalidParameter), static_cast<int>(CUPTI_ERROR_INVALID_PARAMETER));
    EXPECT_EQ(static_cast<int>(kInvalidDevice), static_cast<int>(CUPTI_ERROR_INVALID_DEVICE));
    EXPECT_EQ(static_cast<int>(kInvalidContext), static_cast<int>(CUPTI_ERROR_INVALID_CONTEXT));
    EXPECT_EQ(static_cast<int>(kInvalidOperation), static_cast<int>(CUPTI_ERROR_INVALID_OPERATION));
    EXPECT_EQ(static_cast<int>(kOutOfMemory), static_cast<int>(CUPTI_ERROR_OUT_OF_MEMORY));
    EXPECT_EQ(static_cast<int>(kHardware), static_cast<int>(CUPTI_ERROR_HARDWARE));
    EXPECT_EQ(static_cast<int>(kNotCompatible), static_cast<int>(CUPTI_ERROR_NOT_COMPATIBLE));
    EXPECT_EQ(static_cast<int>(kNotInitialized), static_cast<int>(CUPTI_ERROR_NOT_INITIALIZED));
    EXPECT_EQ(static_cast<int>(kInvalidMetricName), static_cast<int>(CUPTI_ERROR_INVALID_METRIC_NAME));
    EXPECT_EQ(static_cast<int>(kInvalidModule), static_cast<int>(CUPTI_ERROR_INVALID_MODULE));
    EXPECT_EQ(static_cast<int>(kHardwareBusy), static_cast<int>(CUPTI_ERROR_HARDWARE_BUSY));
    EXPECT_EQ(static_cast<int>(kNotSupported), static_cast<int>(CUPTI_ERROR_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kVirtualized), static_cast<int>(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kInsufficientPrivileges), static_cast<int>(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES));
    EXPECT_EQ(static_cast<int>(kOldProfiler), static_cast<int>(CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED));
    EXPECT_EQ(static_cast<int>(kLegacyProfiler), static_cast<int>(CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kMultipleSubscribers), static_cast<int>(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kVirtualizedPrivileges), static_cast<int>(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES));
    EXPECT_EQ(static_cast<int>(kConfidential), static_cast<int>(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kMining), static_cast<int>(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kMig), static_cast<int>(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kSli), static_cast<int>(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kWsl), static_cast<int>(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED));
    EXPECT_EQ(static_cast<int>(kInvalidChip), static_cast<int>(CUPTI_ERROR_INVALID_CHIP_NAME));
}

}  // namespace
}  // namespace tw::cupti::api
