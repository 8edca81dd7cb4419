// The pieces of planProduct and lowerProduct.
#pragma once

#include <functional>

#include "core/passes/lower_product.h"

namespace tw::passes {

// ---- constructors ----

// for (name = 0; name < count; ++name) body(name), unrolled; a single pass has no loop.
[[nodiscard]] ir::Stmt unrolled(const std::string& name, std::int64_t count, const std::function<ir::Stmt(const ir::Expr&)>& body,
                                const ir::Provenance& where);
// count elements from `first` of a flat array.
[[nodiscard]] ir::Region span(const ir::Buffer& buffer, ir::Expr first, std::int64_t count);
// value * factor + offset.
[[nodiscard]] ir::Expr scaled(ir::Expr value, std::int64_t factor, ir::Expr offset = {});
[[nodiscard]] ir::Stmt operation(ir::OpId op, std::vector<ir::Operand> operands, ir::Attrs attrs, const ir::Provenance& where);

// ---- operands in shared memory ----

// The flat index of element (row, column) of the operand's matrix as it is stored.
[[nodiscard]] ir::Expr elementIndex(const SharedOperand& operand, const ir::Expr& row, const ir::Expr& column);
// Whether every 16 bytes of the last axis, from a multiple of 16 bytes of the operand on, are neighbours and aligned.
[[nodiscard]] bool hasRows16(const SharedOperand& operand);

// ---- plans ----

// A matrix's layout as that of a buffer with leading axes of extent 1.
[[nodiscard]] layout::Fragment withRank(layout::Fragment f, std::size_t rank);
[[nodiscard]] const char* policyName(layout::WarpPolicy policy);
// Fills in a plan for T.wgmma_gemm, of which the extents and threads are known.
void planWarpGroups(const ir::OpCall& gemm, ProductPlan& plan);

// ---- the engines ----

[[nodiscard]] ir::Stmt multiplyByMma(const ProductPlan& plan, const ProductOperands& operands, const ir::Expr& thread,
                                     const ir::Provenance& where);
[[nodiscard]] ir::Stmt multiplyByThreads(const ProductPlan& plan, const ProductOperands& operands, const ir::Expr& thread,
                                         const ir::Provenance& where);
// Starts the product and closes its group; it has finished after wait_wgmma. `clear`: empty for false.
[[nodiscard]] ir::Stmt multiplyByWarpGroups(const ProductPlan& plan, const ProductOperands& operands, const ir::Expr& thread,
                                            const ir::Expr& clear, const ir::Provenance& where);

}  // namespace tw::passes
