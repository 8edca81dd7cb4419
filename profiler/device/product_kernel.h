// A kernel that does nothing but products of small tiles that stay on the multiprocessor: what the tensor cores of a GPU reach.
#pragma once

#include <optional>
#include <string>

#include "core/ir/dtype.h"
#include "core/target/target.h"

namespace tw::device {

struct ProductKernel {
    std::string entry, text;        // CUDA; parameters: a pointer to `threads` results a block, then an int, the number of iterations
    std::int64_t threads = 0;       // of a block
    std::int64_t sharedBytes = 0;   // of a block, dynamic
    double operations = 0;          // of a block in one iteration; a multiply-add counts twice
};

// With the target's own product instruction: wgmma on sm_90a (two warp groups, m64n256, both operands in shared memory), mma.sync on
// sm_80 to sm_89. Operands are random, for products of zeros draw less power and run faster than those of anybody's data. Empty where
// the target has no such instruction for the type, and where this program does not emit it (tensor memory of sm_100a).
[[nodiscard]] std::optional<ProductKernel> productKernel(const target::Target& target, ir::DType type);

}  // namespace tw::device
