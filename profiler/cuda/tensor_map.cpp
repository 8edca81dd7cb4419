#include "profiler/cuda/tensor_map.h"

#include <fmt/core.h>

namespace tw::cuda {
namespace {

constexpr int kNotInterleaved = 0, kZerosOutside = 0;  // CUtensorMapInterleave and CUtensorMapFloatOOBfill

Failure broken(std::string rule) { return {FailureKind::kBadLaunch, 0, "a tensor map " + std::move(rule), ""}; }

// The rules of cuTensorMapEncodeTiled, which itself says no more than "invalid value". Empty if they hold.
std::string brokenRule(const TensorMapSpec& s)
{
    const std::size_t rank = s.extents.size();
    if (rank < 1 || rank > 5)
        return fmt::format("has 1 to 5 axes, not {}", rank);
    if (s.box.size() != rank || s.strides.size() + 1 != rank || (!s.elementStrides.empty() && s.elementStrides.size() != rank))
        return fmt::format("of {} axes needs {} box extents and {} strides", rank, rank, rank - 1);
    if (s.address % 16 != 0)
        return "starts at an address aligned to 16 bytes";
    const std::int64_t size = elementBytes(s.type);
    for (std::size_t i = 0; i < rank; ++i) {
        if (s.extents[i] < 1 || s.extents[i] > (std::int64_t{1} << 32))
            return fmt::format("has extents from 1 to 2^32; axis {} has {}", i, s.extents[i]);
        if (s.box[i] < 1 || s.box[i] > 256)
            return fmt::format("copies 1 to 256 elements along an axis; axis {} of the box has {}", i, s.box[i]);
        if (!s.elementStrides.empty() && (s.elementStrides[i] < 1 || s.elementStrides[i] > 8))
            return fmt::format("has element strides from 1 to 8, not {}", s.elementStrides[i]);
        if (i > 0 && (s.strides[i - 1] % 16 != 0 || s.strides[i - 1] < 0 || s.strides[i - 1] >= (std::int64_t{1} << 40)))
            return fmt::format("has strides that are multiples of 16 bytes below 2^40; axis {} has {}", i, s.strides[i - 1]);
    }
    const std::int64_t row = s.box[0] * size;
    if (row % 16 != 0)
        return fmt::format("copies rows of a multiple of 16 bytes, not {}", row);
    static constexpr std::int64_t kSwizzled[] = {0, 32, 64, 128};
    const std::int64_t swizzled = kSwizzled[static_cast<int>(s.swizzle)];
    if (swizzled > 0 && row > swizzled)
        return fmt::format("with a {}-byte swizzle copies rows of at most {} bytes, not {}", swizzled, swizzled, row);
    return {};
}

}  // namespace

int elementBytes(TensorMapType type)
{
    static constexpr int kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return kBytes[static_cast<int>(type)];
}

Result<api::TensorMap> encodeTensorMap(const Driver& driver, const TensorMapSpec& spec)
{
    if (!driver.call().encodeTensorMap)
        return tl::unexpected(Failure{FailureKind::kNoDriver, 0, "this driver has no tensor maps", "update NVIDIA's driver"});
    if (std::string rule = brokenRule(spec); !rule.empty())
        return tl::unexpected(broken(std::move(rule)));
    const auto list = [](const std::vector<std::int64_t>& v) { return std::vector<std::uint64_t>(v.begin(), v.end()); };
    const auto shortList = [](const std::vector<std::int64_t>& v) { return std::vector<std::uint32_t>(v.begin(), v.end()); };
    const auto extents = list(spec.extents), strides = list(spec.strides);
    const auto box = shortList(spec.box);
    const auto steps = spec.elementStrides.empty() ? std::vector<std::uint32_t>(box.size(), 1) : shortList(spec.elementStrides);
    api::TensorMap map{};
    const int result = driver.call().encodeTensorMap(&map, static_cast<int>(spec.type), static_cast<std::uint32_t>(extents.size()),
                                                     reinterpret_cast<void*>(spec.address), extents.data(), strides.data(), box.data(),
                                                     steps.data(), kNotInterleaved, static_cast<int>(spec.swizzle), static_cast<int>(spec.promotion),
                                                     kZerosOutside);
    if (auto done = driver.check(result, "making a tensor map"); !done)
        return tl::unexpected(done.error());
    return map;
}

}  // namespace tw::cuda
