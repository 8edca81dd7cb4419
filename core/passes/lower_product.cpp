#include "core/passes/lower_product.h"

#include "core/arith/facts.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/layout/access.h"
#include "core/layout/shared.h"
#include "core/passes/lower_steps.h"
#include "core/passes/product_steps.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Stmt;

// Whether the product does not add to what is there; empty for false.
Expr clearCondition(const ir::OpCall& gemm)
{
    const Expr clear = ir::exprOperand(gemm, "clear_accum");
    if (!clear || ir::isZero(clear))
        return {};
    return clear->dtype.isBool() ? clear : ir::binary(ir::BinaryOp::kNe, clear, ir::intImm(0, clear->dtype));
}

Stmt clearAccumulator(const ir::OpCall& gemm, const ProductPlan& plan, const RegisterOperand& c, const ir::Provenance& where)
{
    const Expr clear = clearCondition(gemm);
    if (!clear)
        return {};
    const ir::DType type = c.buffer->dtype;
    const Expr zero = type.isFloating() ? ir::floatImm(0, type) : ir::intImm(0, type);
    Stmt loop = unrolled("r", plan.c.registers(), [&](const Expr& r) { return storeAt(c.buffer, {r}, zero, where); }, where);
    return ir::isConstant(clear) ? loop : std::make_shared<ir::If>(clear, std::move(loop), Stmt{}, where);
}

}  // namespace

Stmt unrolled(const std::string& name, I count, const std::function<Stmt(const Expr&)>& body, const ir::Provenance& where)
{
    if (count == 1)
        return body(ir::intImm(0));
    const ir::Var var = newVar(name);
    return loopOver(ir::ForKind::kUnrolled, var, ir::intImm(0), ir::intImm(count), body(var), where);
}

ir::Region span(const ir::Buffer& buffer, Expr first, I count) { return {buffer, {std::move(first)}, {ir::intImm(count)}}; }

Expr scaled(Expr value, I factor, Expr offset)
{
    Expr product = ir::mul(std::move(value), ir::intImm(factor));
    return offset ? ir::add(std::move(product), std::move(offset)) : product;
}

Stmt operation(ir::OpId op, std::vector<ir::Operand> operands, ir::Attrs attrs, const ir::Provenance& where)
{
    return std::make_shared<ir::OpStmt>(ir::OpCall{op, std::move(operands), std::move(attrs)}, where);
}

Expr elementIndex(const SharedOperand& operand, const Expr& row, const Expr& column)
{
    std::vector<Expr> at = operand.mins;
    at[at.size() - 2] = ir::add(at[at.size() - 2], row);
    at.back() = ir::add(at.back(), column);
    return layout::physicalIndex(*operand.map, at);
}

bool hasRows16(const SharedOperand& operand)
{
    const int bits = operand.buffer->dtype.bits();
    return arith::Facts().divisor(operand.mins.back()) % (128 / bits) == 0 && layout::hasMatrixRows(*operand.map, bits);
}

Stmt lowerProduct(const ir::OpCall& gemm, const ProductPlan& plan, const ProductOperands& operands, const Expr& thread,
                  const ir::Provenance& where)
{
    if (plan.engine == ProductEngine::kWgmma) {
        Stmt product = multiplyByWarpGroups(plan, operands, thread, clearCondition(gemm), where);
        if (gemm.op == ir::OpId::kWgmmaGemm)
            return product;  // the author waits
        return ir::sequence({std::move(product), operation(ir::OpId::kWaitWgmma, {ir::intImm(0)}, {}, where)});
    }
    std::vector<Stmt> stmts;
    if (Stmt clear = clearAccumulator(gemm, plan, operands.c, where))
        stmts.push_back(std::move(clear));
    stmts.push_back(plan.engine == ProductEngine::kMma ? multiplyByMma(plan, operands, thread, where)
                                                       : multiplyByThreads(plan, operands, thread, where));
    return ir::sequence(std::move(stmts));
}

}  // namespace tw::passes
