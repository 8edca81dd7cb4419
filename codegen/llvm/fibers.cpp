#include "codegen/llvm/fibers.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "codegen/llvm/scheduler.h"

namespace tw::llvm_backend {

namespace {

constexpr std::size_t kMostFibers = 1 << 20;  // each touches 4 KiB of stack; no GPU holds more threads at a time

}  // namespace

struct FiberPool::Impl {
    Scheduler scheduler;
    std::uint8_t* stacks = nullptr;
    std::size_t stackCount = 0;
    std::unique_ptr<std::uint8_t, decltype(&std::free)> memory{nullptr, &std::free};
    std::size_t memoryBytes = 0;

    ~Impl()
    {
        if (stacks)
            munmap(stacks, stackCount * kStackBytes);
    }
    bool reserveMemory(std::size_t bytes)
    {
        if (bytes <= memoryBytes)
            return true;
        memory.reset(static_cast<std::uint8_t*>(std::calloc(bytes, 1)));
        memoryBytes = memory ? bytes : 0;
        return memory != nullptr;
    }
    bool reserve(std::size_t count)
    {
        if (count <= stackCount)
            return true;
        if (stacks)
            munmap(stacks, stackCount * kStackBytes);
        void* memoryMap = mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stacks = memoryMap == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memoryMap);
        stackCount = stacks ? count : 0;
        return stacks != nullptr;
    }
};

FiberPool::FiberPool() : impl_(std::make_unique<Impl>()) {}
FiberPool::~FiberPool() = default;

void FiberPool::run(const BlockGroup& group, RunState& run)
{
    const auto count = static_cast<std::size_t>(group.blocks * group.threadsPerBlock);
    if (count > kMostFibers || !impl_->reserve(count)) {
        run.fail(Code::kNotSupported, 0, fmt::format("not supported: {} threads that wait for each other on a CPU; {} are possible", count, kMostFibers));
        return;
    }
    const auto barrierBytes = static_cast<std::size_t>(group.barrierBytes + 63) / 64 * 64;
    const auto blockBytes = barrierBytes + static_cast<std::size_t>(group.arenaBytes + 63) / 64 * 64 + 64;
    if (!impl_->reserveMemory(blockBytes * static_cast<std::size_t>(group.blocks) + 64)) {
        run.fail(Code::kCapacity, 0, fmt::format("no memory for {} blocks of {} bytes", group.blocks, blockBytes));
        return;
    }
    auto* memory = impl_->memory.get() + (64 - reinterpret_cast<std::uintptr_t>(impl_->memory.get()) % 64);
    Scheduler& scheduler = impl_->scheduler;
    scheduler.group = &group;
    scheduler.run = &run;
    scheduler.fibers.assign(count, Fiber{});
    scheduler.ready.clear();
    scheduler.polling.clear();
    scheduler.crewLeader = nullptr;
    scheduler.vainRounds = 0;
    scheduler.named.clear();
    scheduler.done = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Fiber& fiber = scheduler.fibers[i];
        fiber.scheduler = &scheduler;
        fiber.run = &run;
        fiber.block = static_cast<std::int64_t>(i) / group.threadsPerBlock;
        fiber.thread = static_cast<std::int64_t>(i) % group.threadsPerBlock;
        fiber.barriers = memory + static_cast<std::size_t>(fiber.block) * blockBytes;
        fiber.arena = fiber.barriers + barrierBytes;
        if (fiber.thread == 0)
            std::memset(fiber.barriers, 0, barrierBytes);
        fiber.stack = impl_->stacks + i * kStackBytes;
        prepare(fiber);
        scheduler.ready.push_back(&fiber);
    }
    scheduler.loop();
}

}  // namespace tw::llvm_backend
