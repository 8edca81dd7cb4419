// Emptying the L2 cache between samples.
#pragma once

#include <memory>

#include "profiler/cuda/launch.h"
#include "profiler/cuda/memory.h"

namespace tw::cuda {

// Reads memory of twice the L2 cache's size. Reading leaves clean lines behind: after writing, the next kernel would pay for
// the write-back, in time and in counted bytes. Where the driver cannot compile the small kernel that reads, the memory is
// written over instead.
class CacheFlush {
public:
    [[nodiscard]] static Result<std::unique_ptr<CacheFlush>> make(std::shared_ptr<Context> context);
    // Puts the flush into the default stream. A GPU without an L2 cache needs none.
    [[nodiscard]] Result<void> run();

private:
    explicit CacheFlush(std::shared_ptr<Context> context) : context_(std::move(context)) {}

    std::shared_ptr<Context> context_;
    std::unique_ptr<Memory> scratch_;
    std::unique_ptr<Module> module_;
    api::Function read_ = nullptr;  // null: the memory is written
    LaunchShape shape_;
    ParameterList parameters_;
};

}  // namespace tw::cuda
