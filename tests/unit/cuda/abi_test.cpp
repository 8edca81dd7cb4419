// Our declarations of the driver against NVIDIA's own.
#include <cstddef>
#include <cstring>
#include <type_traits>

#include <cuda.h>
#include <gtest/gtest.h>

#include "profiler/cuda/driver_api.h"
#include "profiler/cuda/tensor_map.h"

namespace tw::cuda {
namespace {

// Two types of the same size whose kind the calling convention treats alike: an opaque handle is a pointer here and there, an
// enumeration an int.
template <class Ours, class Theirs>
constexpr bool kSamePassing = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
                              (std::is_integral_v<Ours> || std::is_enum_v<Ours>) == (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);

template <class Ours, class Theirs>
struct SameSignature : std::false_type {};
template <class OurResult, class... Ours, class TheirResult, class... Theirs>
    requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameSignature<OurResult (*)(Ours...), TheirResult(Theirs...)> : std::bool_constant<(kSamePassing<Ours, Theirs> && ...)> {};

TEST(Abi, FunctionsTakeWhatTheDriverTakes)
{
    const api::Functions f;
#define TW_SAME(member, function) EXPECT_TRUE((SameSignature<std::remove_const_t<decltype(f.member)>, decltype(function)>::value)) << #function
    TW_SAME(init, cuInit);
    TW_SAME(deviceName, cuDeviceGetName);
    TW_SAME(pciBusId, cuDeviceGetPCIBusId);
    TW_SAME(deviceMemory, cuDeviceTotalMem);
    TW_SAME(deviceAttribute, cuDeviceGetAttribute);
    TW_SAME(retainContext, cuDevicePrimaryCtxRetain);
    TW_SAME(setContext, cuCtxSetCurrent);
    TW_SAME(synchronize, cuCtxSynchronize);
    TW_SAME(loadModule, cuModuleLoadDataEx);
    TW_SAME(function, cuModuleGetFunction);
    TW_SAME(functionAttribute, cuFuncGetAttribute);
    TW_SAME(setFunctionAttribute, cuFuncSetAttribute);
    TW_SAME(residentBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor);
    TW_SAME(launch, cuLaunchKernelEx);
    TW_SAME(allocate, cuMemAlloc);
    TW_SAME(release, cuMemFree);
    TW_SAME(upload, cuMemcpyHtoD);
    TW_SAME(download, cuMemcpyDtoH);
    TW_SAME(copyAsync, cuMemcpyDtoDAsync);
    TW_SAME(fillAsync, cuMemsetD8Async);
    TW_SAME(queryStream, cuStreamQuery);
    TW_SAME(createEvent, cuEventCreate);
    TW_SAME(recordEvent, cuEventRecord);
    TW_SAME(elapsed, cuEventElapsedTime);
    TW_SAME(encodeTensorMap, cuTensorMapEncodeTiled);
#undef TW_SAME
}

TEST(Abi, StructuresLieAlike)
{
    EXPECT_EQ(sizeof(api::TensorMap), sizeof(CUtensorMap));
    EXPECT_GE(alignof(api::TensorMap), alignof(CUtensorMap));
    EXPECT_EQ(sizeof(api::LaunchAttribute), sizeof(CUlaunchAttribute));
    EXPECT_EQ(offsetof(api::LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
    EXPECT_EQ(sizeof(api::LaunchConfig), sizeof(CUlaunchConfig));
    EXPECT_EQ(offsetof(api::LaunchConfig, sharedBytes), offsetof(CUlaunchConfig, sharedMemBytes));
    EXPECT_EQ(offsetof(api::LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
    EXPECT_EQ(offsetof(api::LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
    EXPECT_EQ(offsetof(api::LaunchConfig, attributeCount), offsetof(CUlaunchConfig, numAttrs));
    api::LaunchAttribute::Value ours{};
    ours.cluster = {2, 3, 4};
    CUlaunchAttributeValue theirs{};
    std::memcpy(&theirs, &ours, sizeof ours);
    EXPECT_EQ(theirs.clusterDim.x * 100 + theirs.clusterDim.y * 10 + theirs.clusterDim.z, 234U);
}

TEST(Abi, NumbersMeanTheSame)
{
    EXPECT_EQ(api::kLaunchCluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    EXPECT_EQ(api::kLaunchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    EXPECT_EQ(api::kLaunchProgrammatic, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    const std::pair<int, int> pairs[] = {
        {api::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY}, {api::kStubLibrary, CUDA_ERROR_STUB_LIBRARY},
        {api::kDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE}, {api::kNoDevice, CUDA_ERROR_NO_DEVICE},
        {api::kInvalidDevice, CUDA_ERROR_INVALID_DEVICE}, {api::kInvalidImage, CUDA_ERROR_INVALID_IMAGE},
        {api::kNoBinary, CUDA_ERROR_NO_BINARY_FOR_GPU}, {api::kEccError, CUDA_ERROR_ECC_UNCORRECTABLE},
        {api::kInvalidPtx, CUDA_ERROR_INVALID_PTX}, {api::kNvlinkError, CUDA_ERROR_NVLINK_UNCORRECTABLE},
        {api::kPtxTooNew, CUDA_ERROR_UNSUPPORTED_PTX_VERSION}, {api::kOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM},
        {api::kNotFound, CUDA_ERROR_NOT_FOUND}, {api::kNotReady, CUDA_ERROR_NOT_READY}, {api::kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS},
        {api::kOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES}, {api::kTimeout, CUDA_ERROR_LAUNCH_TIMEOUT},
        {api::kContextDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED}, {api::kAssert, CUDA_ERROR_ASSERT},
        {api::kStackError, CUDA_ERROR_HARDWARE_STACK_ERROR}, {api::kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION},
        {api::kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS}, {api::kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE},
        {api::kInvalidPc, CUDA_ERROR_INVALID_PC}, {api::kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED},
        {api::kCooperativeTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE}, {api::kNotPermitted, CUDA_ERROR_NOT_PERMITTED},
        {api::kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY}, {api::kDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
        {api::kUnknown, CUDA_ERROR_UNKNOWN},
        {api::kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK}, {api::kClockKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {api::kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {api::kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {api::kComputeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR}, {api::kComputeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {api::kCooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
        {api::kSharedPerBlockOptIn, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
        {api::kClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH}, {api::kFunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS},
        {api::kFunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES}, {api::kFunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
        {api::kFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
        {api::kFunctionNonPortableCluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED},
        {api::kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER}, {api::kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
        {static_cast<int>(TensorMapType::kBF16), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}, {static_cast<int>(TensorMapType::kTF32), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},
        {static_cast<int>(TensorMapType::kF16), CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {static_cast<int>(TensorMapType::kTF32Ftz), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ},
        {static_cast<int>(TensorMapSwizzle::k128), CU_TENSOR_MAP_SWIZZLE_128B}, {static_cast<int>(TensorMapPromotion::k256), CU_TENSOR_MAP_L2_PROMOTION_L2_256B},
    };
    for (std::size_t i = 0; i < std::size(pairs); ++i)
        EXPECT_EQ(pairs[i].first, pairs[i].second) << "pair " << i;
}

}  // namespace
}  // namespace tw::cuda
