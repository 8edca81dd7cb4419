// Device memory between two guard zones, which notice stores outside it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "profiler/cuda/context.h"

namespace tw::cuda {

// A store outside of a buffer.
struct BrokenGuard {
    bool isBefore = false;      // before the first byte, else behind the last one
    std::int64_t distance = 0;  // from the buffer's edge to the nearest changed byte, in bytes; 0 touches the edge
    std::int64_t bytes = 0;     // changed bytes that were found
};

class Memory {
public:
    // Bytes of each guard zone. They hold 0xFF, which floats read as NaN, so that loads from there show too.
    static constexpr std::int64_t kGuardBytes = 64 << 10;

    // `bytes` ≥ 0, on the device, contents undefined. The address is aligned to 256 bytes, as the driver's own are (CUDA C++ Programming Guide,
    // "Size and Alignment Requirement"). Fails with kOutOfMemory.
    [[nodiscard]] static Result<std::unique_ptr<Memory>> allocate(std::shared_ptr<Context> context, std::int64_t bytes);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    [[nodiscard]] api::Address address() const { return base_ + kGuardBytes; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

    // `from` and `to` hold `bytes()` bytes.
    [[nodiscard]] Result<void> upload(std::span<const std::uint8_t> from);
    [[nodiscard]] Result<void> download(std::span<std::uint8_t> to);
    [[nodiscard]] Result<void> copyFrom(const Memory& other);  // in order with launches
    [[nodiscard]] Result<void> fill(std::uint8_t value);       // in order with launches
    // Waits for the GPU. The nearest changed byte of the first broken zone, or empty.
    [[nodiscard]] Result<std::optional<BrokenGuard>> brokenGuard();

private:
    Memory(std::shared_ptr<Context> context, api::Address base, std::int64_t bytes) : context_(std::move(context)), base_(base), bytes_(bytes) {}

    std::shared_ptr<Context> context_;
    api::Address base_ = 0;
    std::int64_t bytes_ = 0;
};

}  // namespace tw::cuda
