// Instructions whose form depends on their shape: each becomes one function of the kernel's prelude. Private to codegen/cuda.
#pragma once

#include <optional>
#include <string>

#include "core/ir/expr.h"
#include "core/target/target.h"

namespace tw::cuda_backend {

struct InstructionFunction {
    std::string name;
    std::string text;
};

// What the target lacks for a ptx_mma or ptx_wgmma, with the shapes that exist; empty if it has it.
[[nodiscard]] std::optional<std::string> missingProduct(const ir::OpCall& call, const target::Target& target);

[[nodiscard]] InstructionFunction mmaFunction(const ir::OpCall& call);
[[nodiscard]] InstructionFunction wgmmaFunction(const ir::OpCall& call);
[[nodiscard]] InstructionFunction tmaFunction(const ir::OpCall& call);

}  // namespace tw::cuda_backend
