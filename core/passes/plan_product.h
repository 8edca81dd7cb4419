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

enum class ProductEngine : std::uint8_t { kMma, kFma, kWgmma };

// The layout that serves a product best. kMma and kFma work with any, kWgmma with panels of any width.
enum class SharedLayout : std::uint8_t { kRowMajor, kSwizzled, kPanels };

struct ProductOperandPlan {
    bool kInner = true;  // K is the operand's last axis
    std::optional<layout::Fragment> fragment;  // of an operand in registers, over the whole buffer; empty: has to be in shared memory
    SharedLayout shared = SharedLayout::kRowMajor;
    std::int64_t panelBytes = 0;  // kPanels
};

struct ProductPlan {
    ProductEngine engine = ProductEngine::kFma;
    layout::MmaInstruction mma;  // kMma, kWgmma
    layout::Partition warps;     // kMma, kWgmma
    std::int64_t m = 0, n = 0, k = 0, threads = 0;
    ProductOperandPlan a, b;
    layout::Fragment c;  // over the whole buffer
    std::string problem;  // not empty: why it cannot be lowered, "not supported: …"
    std::string reason;  // what was chosen and why, in a sentence without a full stop
};

// `gemm`: T.gemm or T.wgmma_gemm with constant extents, A and B in shared memory or fragments, C a fragment; fragments are used whole.
// `threads` is the number of those that reach it, numbered from 0. `warpGroups`: T.gemm may use wgmma where the target has it; the caller
// knows that its shared operands can lie in panels and that the threads begin with a warp group.
// Whether the author leaves wgmma to the compiler ("tl.disable_wgmma" is not set).
[[nodiscard]] bool allowsWarpGroups(const ir::Function& function);
[[nodiscard]] ProductPlan planProduct(const ir::OpCall& gemm, std::int64_t threads, const target::Target& target, bool warpGroups);

// The layout that the plan wants for a buffer in shared memory, of which the operand is a part.
[[nodiscard]] Ref<const ir::LayoutMap> bestLayout(const ProductOperandPlan& plan, const std::vector<std::int64_t>& shape, int bits);

// The type in which products and sums are computed without tensor cores, from the accumulator's.
[[nodiscard]] ir::DType productType(ir::DType accumulator);

}  // namespace tw::passes
