// Tensor maps: what TMA copies need to know of a tensor in global memory.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/cuda/context.h"

namespace tw::cuda {

enum class TensorMapType { kU8, kU16, kU32, kI32, kU64, kI64, kF16, kF32, kF64, kBF16, kF32Ftz, kTF32, kTF32Ftz };
enum class TensorMapSwizzle { kNone, k32, k64, k128 };  // bytes of a row that are permuted
enum class TensorMapPromotion { kNone, k64, k128, k256 };  // bytes that L2 fetches at once

// All lists start with the fastest axis; rank 1 to 5. What lies outside of the tensor reads as zero. The limits are those of
// cuTensorMapEncodeTiled (CUDA Driver API, Tensor Map Object Management).
struct TensorMapSpec {
    TensorMapType type = TensorMapType::kF16;
    api::Address address = 0;            // aligned to 16 bytes
    std::vector<std::int64_t> extents;   // in elements
    std::vector<std::int64_t> strides;   // in bytes, of every axis but the fastest; multiples of 16
    std::vector<std::int64_t> box;       // in elements, at most 256 along an axis
    std::vector<std::int64_t> elementStrides;  // empty: all 1
    TensorMapSwizzle swizzle = TensorMapSwizzle::kNone;
    TensorMapPromotion promotion = TensorMapPromotion::k128;
};

[[nodiscard]] int elementBytes(TensorMapType type);

// Fails with the rule that is broken, in numbers.
[[nodiscard]] Result<api::TensorMap> encodeTensorMap(const Driver& driver, const TensorMapSpec& spec);

}  // namespace tw::cuda
