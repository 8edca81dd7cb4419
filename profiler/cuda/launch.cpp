#include "profiler/cuda/launch.h"

#include <cstring>

#include <fmt/core.h>

#include "core/support/check.h"

namespace tw::cuda {
namespace {

// Above this a kernel must ask for its dynamic shared memory, and a cluster for its size.
constexpr std::int64_t kSharedWithoutAsking = 48 << 10;
constexpr std::int64_t kPortableClusterBlocks = 8;
constexpr std::array<std::int64_t, 3> kMaxGrid = {2147483647, 65535, 65535};

std::int64_t product(const std::array<std::int64_t, 3>& v) { return v[0] * v[1] * v[2]; }

Failure badLaunch(std::string message) { return {FailureKind::kBadLaunch, 0, std::move(message), ""}; }

// What can be said better than the driver says it.
Result<void> examine(const DeviceInfo& device, const LaunchShape& shape)
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (shape.grid[axis] > kMaxGrid[axis])
            return tl::unexpected(badLaunch(fmt::format("a grid of {} × {} × {} blocks; axis {} may have {}", shape.grid[0], shape.grid[1],
                                                        shape.grid[2], "xyz"[axis], kMaxGrid[axis])));
        if (shape.grid[axis] % shape.cluster[axis] != 0)
            return tl::unexpected(badLaunch(fmt::format("the grid's {} blocks along {} are no multiple of the cluster's {}", shape.grid[axis],
                                                        "xyz"[axis], shape.cluster[axis])));
    }
    if (product(shape.block) > device.threadsPerBlock)
        return tl::unexpected(badLaunch(fmt::format("{} threads a block; the GPU has at most {}", product(shape.block), device.threadsPerBlock)));
    if (shape.dynamicSharedBytes > device.sharedBytesPerBlock)
        return tl::unexpected(badLaunch(fmt::format("{} bytes of shared memory a block; the GPU has at most {}", shape.dynamicSharedBytes,
                                                    device.sharedBytesPerBlock)));
    if (product(shape.cluster) > 1 && !device.hasClusters)
        return tl::unexpected(badLaunch("this GPU has no clusters"));
    if (shape.isCooperative && !device.hasCooperativeLaunch)
        return tl::unexpected(badLaunch("this GPU has no grid-wide barriers"));
    return {};
}

// Attributes of the function that a launch of this shape needs.
Result<void> prepare(Context& context, api::Function function, const LaunchShape& shape)
{
    const auto set = [&](int attribute, std::int64_t value, const char* what) {
        return context.check(context.driver().call().setFunctionAttribute(function, attribute, static_cast<int>(value)), what);
    };
    Result<void> done;
    // What the kernel declares itself (barriers) counts, too, and is not known here: ask in good time.
    if (shape.dynamicSharedBytes > kSharedWithoutAsking / 2)
        done = set(api::kFunctionMaxDynamicShared, shape.dynamicSharedBytes, "asking for shared memory");
    if (done && product(shape.cluster) > kPortableClusterBlocks)
        done = set(api::kFunctionNonPortableCluster, 1, "asking for a large cluster");
    return done;
}

unsigned narrow(std::int64_t value) { return static_cast<unsigned>(value); }

}  // namespace

void ParameterList::addBytes(const void* value, std::size_t bytes)
{
    TW_CHECK(bytes <= sizeof(Slot), "a parameter has at most 128 bytes");
    std::memcpy(slots_.emplace_back().bytes.data(), value, bytes);
}

std::vector<void*> ParameterList::pointers()
{
    std::vector<void*> out;
    for (Slot& slot : slots_)
        out.push_back(slot.bytes.data());
    return out;
}

Result<void> launch(Context& context, api::Function function, const LaunchShape& shape, ParameterList& parameters)
{
    if (product(shape.grid) <= 0)
        return {};
    if (auto done = examine(context.device(), shape); !done)
        return done;
    if (auto done = prepare(context, function, shape); !done)
        return done;
    std::array<api::LaunchAttribute, 3> attributes{};
    unsigned count = 0;
    if (product(shape.cluster) > 1) {
        attributes[count].id = api::kLaunchCluster;
        attributes[count++].value.cluster = {narrow(shape.cluster[0]), narrow(shape.cluster[1]), narrow(shape.cluster[2])};
    }
    if (shape.isCooperative) {
        attributes[count].id = api::kLaunchCooperative;
        attributes[count++].value.cooperative = 1;
    }
    if (shape.mayStartEarly) {
        attributes[count].id = api::kLaunchProgrammatic;
        attributes[count++].value.programmatic = 1;
    }
    const api::LaunchConfig config{narrow(shape.grid[0]), narrow(shape.grid[1]), narrow(shape.grid[2]), narrow(shape.block[0]),
                                   narrow(shape.block[1]), narrow(shape.block[2]), narrow(shape.dynamicSharedBytes), nullptr,
                                   attributes.data(), count};
    std::vector<void*> pointers = parameters.pointers();
    return context.check(context.driver().call().launch(&config, function, pointers.data(), nullptr), "launching the kernel");
}

int residentBlocks(const Context& context, api::Function function, std::int64_t threads, std::int64_t dynamicSharedBytes)
{
    int blocks = 0;
    const int result = context.driver().call().residentBlocks(&blocks, function, static_cast<int>(threads), static_cast<std::size_t>(dynamicSharedBytes));
    return result == 0 ? blocks : 0;
}

}  // namespace tw::cuda
