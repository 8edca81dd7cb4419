#include "profiler/cuda/memory.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "core/support/check.h"

namespace tw::cuda {
namespace {

constexpr std::uint8_t kGuardByte = 0xFF;

}  // namespace

Result<std::unique_ptr<Memory>> Memory::allocate(std::shared_ptr<Context> context, std::int64_t bytes)
{
    TW_CHECK(bytes >= 0, "a buffer has no negative size");
    const api::Functions& call = context->driver().call();
    api::Address base = 0;
    const std::string what = fmt::format("allocating {} bytes on the GPU", bytes);
    if (auto done = context->check(call.allocate(&base, static_cast<std::size_t>(bytes + 2 * kGuardBytes)), what); !done)
        return tl::unexpected(done.error());
    std::unique_ptr<Memory> memory(new Memory(context, base, bytes));
    auto done = context->check(call.fillAsync(base, kGuardByte, kGuardBytes, nullptr), what);
    if (done)
        done = context->check(call.fillAsync(memory->address() + static_cast<api::Address>(bytes), kGuardByte, kGuardBytes, nullptr), what);
    if (!done)
        return tl::unexpected(done.error());
    return memory;
}

Memory::~Memory()
{
    if (!context_->isLost())
        context_->driver().call().release(base_);
}

Result<void> Memory::upload(std::span<const std::uint8_t> from)
{
    TW_CHECK(static_cast<std::int64_t>(from.size()) == bytes_, "an upload fills the buffer");
    if (from.empty())
        return {};
    return context_->check(context_->driver().call().upload(address(), from.data(), from.size()), "copying to the GPU");
}

Result<void> Memory::download(std::span<std::uint8_t> to)
{
    TW_CHECK(static_cast<std::int64_t>(to.size()) == bytes_, "a download takes the whole buffer");
    if (to.empty())
        return {};
    return context_->check(context_->driver().call().download(to.data(), address(), to.size()), "copying from the GPU");
}

Result<void> Memory::copyFrom(const Memory& other)
{
    TW_CHECK(bytes_ == other.bytes_, "only buffers of one size are copied");
    if (bytes_ == 0)
        return {};
    return context_->check(context_->driver().call().copyAsync(address(), other.address(), static_cast<std::size_t>(bytes_), nullptr),
                           "copying on the GPU");
}

Result<void> Memory::fill(std::uint8_t value)
{
    if (bytes_ == 0)
        return {};
    return context_->check(context_->driver().call().fillAsync(address(), value, static_cast<std::size_t>(bytes_), nullptr),
                           "filling memory on the GPU");
}

Result<std::optional<BrokenGuard>> Memory::brokenGuard()
{
    std::vector<std::uint8_t> zone(kGuardBytes);
    for (const bool isBefore : {true, false}) {
        const api::Address from = isBefore ? base_ : address() + static_cast<api::Address>(bytes_);
        if (auto done = context_->check(context_->driver().call().download(zone.data(), from, zone.size()), "checking a buffer's guards"); !done)
            return tl::unexpected(done.error());
        const std::int64_t changed = std::count_if(zone.begin(), zone.end(), [](std::uint8_t b) { return b != kGuardByte; });
        if (changed == 0)
            continue;
        const auto isChanged = [](std::uint8_t b) { return b != kGuardByte; };
        const std::int64_t distance = isBefore ? std::find_if(zone.rbegin(), zone.rend(), isChanged) - zone.rbegin()
                                               : std::find_if(zone.begin(), zone.end(), isChanged) - zone.begin();
        return BrokenGuard{isBefore, distance, changed};
    }
    return std::optional<BrokenGuard>();
}

}  // namespace tw::cuda
