// A planned product as code of one thread: loads of operands into registers, then mma instructions or multiplications.
#pragma once

#include <variant>

#include "core/passes/plan_product.h"

namespace tw::passes {

// A tile in shared memory: `buffer` is flat, `map` leads from the coordinates of the whole tile to it, the operand begins at
// `mins` (one an axis of the map).
struct SharedOperand {
    ir::Buffer buffer;
    Ref<const ir::LayoutMap> map;
    std::vector<ir::Expr> mins;
};
// A flat local array, in the registers of the plan's fragment.
struct RegisterOperand {
    ir::Buffer buffer;
};
using ProductOperand = std::variant<SharedOperand, RegisterOperand>;

struct ProductOperands {
    ProductOperand a, b;
    RegisterOperand c;
};

// Why these operands cannot be multiplied as planned ("not supported: …"); empty if they can. Only wgmma is particular about layouts.
[[nodiscard]] std::string productProblem(const ProductPlan& plan, const ProductOperands& operands);

// Requires that there is no problem. `thread` counts from 0 among those that reach the product. Every thread of them has to run the code; shared operands are complete
// before it (insertBarriers sees to that).
[[nodiscard]] ir::Stmt lowerProduct(const ir::OpCall& gemm, const ProductPlan& plan, const ProductOperands& operands, const ir::Expr& thread,
                                    const ir::Provenance& where);

}  // namespace tw::passes
