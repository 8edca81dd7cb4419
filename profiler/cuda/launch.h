// Launching kernels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/cuda/context.h"

namespace tw::cuda {

// Blocks of a grid, threads of a block, blocks of a cluster: x, y, z.
struct LaunchShape {
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::array<std::int64_t, 3> cluster{1, 1, 1};
    std::int64_t dynamicSharedBytes = 0;
    bool isCooperative = false;  // all blocks at once, for a grid-wide barrier
    bool mayStartEarly = false;  // before the launch ahead of it is done, for which the kernel itself waits
};

// The values of a kernel's parameters, in order.
class ParameterList {
public:
    // Any plain value of at most 128 bytes: an address, a number, a tensor map.
    template <class T>
    void add(const T& value)
    {
        static_assert(sizeof(T) <= sizeof(Slot) && alignof(T) <= alignof(Slot));
        addBytes(&value, sizeof(T));
    }
    void addBytes(const void* value, std::size_t bytes);
    [[nodiscard]] std::size_t size() const { return slots_.size(); }
    // One pointer a parameter, as the driver wants them; valid until the list changes.
    [[nodiscard]] std::vector<void*> pointers();

private:
    struct alignas(128) Slot {
        std::array<std::uint8_t, 128> bytes{};
    };
    std::vector<Slot> slots_;
};

// Puts one launch into the default stream and does not wait. An empty grid launches nothing and succeeds. Shapes that the
// GPU cannot launch are refused with numbers (kBadLaunch).
[[nodiscard]] Result<void> launch(Context& context, api::Function function, const LaunchShape& shape, ParameterList& parameters);

// Blocks of this kernel that one multiprocessor holds at once; 0 if none fits.
[[nodiscard]] int residentBlocks(const Context& context, api::Function function, std::int64_t threads, std::int64_t dynamicSharedBytes);

}  // namespace tw::cuda
