// How a product is done: the instruction, who computes what, and where the operands have to be.
//
// A plan follows from the operation, the number of threads that reach it and the target alone, so that layout inference
// and lowering, which both ask, get the same answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/layout/mma.h"
#include "core/target/target.h"

namespace tw::passes {

enum class ProductEngine : std::uint8_t { kMma, kFma };

// The layout that serves a product best; it works with any.
enum class SharedLayout : std::uint8_t { kRowMajor, kSwizzled };

struct ProductOperandPlan {
    bool kInner = true;  // K is the operand's last axis
    std::optional<layout::Fragment> fragment;  // over the whole buffer, where it is a fragment
    SharedLayout shared = SharedLayout::kRowMajor;  // where it is in shared memory
};

struct ProductPlan {
    ProductEngine engine = ProductEngine::kFma;
    layout::MmaInstruction mma;  // kMma
    layout::Partition warps;     // kMma
    std::int64_t m = 0, n = 0, k = 0, threads = 0;
    ProductOperandPlan a, b;
    layout::Fragment c;  // over the whole buffer
    std::string reason;  // what was chosen and why, in a sentence without a full stop
};

// `gemm`: T.gemm with constant extents, A and B in shared memory or fragments, C a fragment; fragments are used whole.
// `threads` is the number of those that reach it, numbered from 0.
[[nodiscard]] ProductPlan planProduct(const ir::OpCall& gemm, std::int64_t threads, const target::Target& target);

// The type in which products and sums are computed without tensor cores, from the accumulator's.
[[nodiscard]] ir::DType productType(ir::DType accumulator);

}  // namespace tw::passes
