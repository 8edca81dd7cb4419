// How one GPU language spells what the printer of gpu_c leaves open. Everything else is C with the functions of the device
// prelude (resources/device), which every language defines under the same names.
#pragma once

#include <optional>
#include <string>

#include "codegen/gpu_c/gpu_program.h"

namespace tw::gpu {

class Spelling {
public:
    virtual ~Spelling() = default;

    [[nodiscard]] virtual std::string language() const = 0;
    // Up to the parameters: `extern "C" __global__ void __launch_bounds__(128) matmul_kernel`.
    [[nodiscard]] virtual std::string kernelHead(const KernelLaunch& launch) const = 0;
    [[nodiscard]] virtual std::string threadIndex(int axis) const = 0;
    [[nodiscard]] virtual std::string blockIndex(int axis) const = 0;
    // Where an array of so many bytes may begin in shared memory.
    [[nodiscard]] virtual std::int64_t sharedAlignment(std::int64_t bytes) const = 0;
    // Declarations of shared memory: an array of `count` elements; the block's dynamic memory, named `name`.
    [[nodiscard]] virtual std::string sharedArray(const std::string& type, const std::string& name, std::int64_t count, std::int64_t align) const = 0;
    [[nodiscard]] virtual std::string sharedArena(const std::string& name) const = 0;
    [[nodiscard]] virtual std::string tensorMapParameter(const std::string& name) const = 0;
    // Why the target cannot do this operation; empty if it can.
    [[nodiscard]] virtual std::optional<std::string> missing(const ir::OpCall& call) const = 0;
    // The function that is this instruction (matrix products, bulk tensor copies); it becomes part of the prelude.
    [[nodiscard]] virtual std::string instruction(const ir::OpCall& call) = 0;
    // The author's own source, as it stands in the text.
    [[nodiscard]] virtual std::string foreign(const std::string& source) const = 0;
    // What stands in front of the kernels: the functions that `kernels` uses.
    [[nodiscard]] virtual std::string prelude(const std::string& kernels) const = 0;
};

}  // namespace tw::gpu
