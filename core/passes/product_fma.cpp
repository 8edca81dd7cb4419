// Products without tensor cores: every thread multiplies the rows and columns of its small tile, step by step along K.
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/lower_steps.h"
#include "core/passes/product_steps.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Stmt;

class ThreadProduct {
public:
    ThreadProduct(const ProductPlan& plan, const ProductOperands& operands, const Expr& thread, const ir::Provenance& where)
        : plan_(plan), operands_(operands), thread_(thread), where_(where), rowAxis_(static_cast<int>(plan.c.shape.size()) - 2),
          type_(productType(operands.c.buffer->dtype)), order_(layout::registerDigits(plan.c))
    {
        for (const layout::Digit& d : plan.c.digits)
            if (!d.onThread)
                (d.axis == rowAxis_ ? rows_ : columns_) *= d.extent;
    }

    Stmt lower()
    {
        const ir::Var k = newVar("k");
        return loopOver(ir::ForKind::kSerial, k, ir::intImm(0), ir::intImm(plan_.k), step(k), where_);
    }

private:
    Stmt step(const Expr& k)
    {
        const ir::Buffer a = newLocal("a", type_, rows_), b = newLocal("b", type_, columns_), c = operands_.c.buffer;
        std::vector<Stmt> body{std::make_shared<ir::Allocate>(a, where_), std::make_shared<ir::Allocate>(b, where_)};
        body.push_back(load(std::get<SharedOperand>(operands_.a), plan_.a, rowAxis_, a, k));
        body.push_back(load(std::get<SharedOperand>(operands_.b), plan_.b, rowAxis_ + 1, b, k));
        body.push_back(unrolled("i", rows_, [&](const Expr& i) {
            return unrolled("j", columns_, [&](const Expr& j) {
                const Expr at = scaled(i, columns_, j);
                const Expr product = ir::binary(ir::BinaryOp::kMul, loadAt(a, {i}), loadAt(b, {j}));
                const Expr sum = ir::binary(ir::BinaryOp::kAdd, ir::cast(type_, loadAt(c, {at})), product);
                return storeAt(c, {at}, ir::cast(c->dtype, sum), where_);
            }, where_);
        }, where_));
        return ir::sequence(std::move(body));
    }

    // The thread's elements of step k along one axis of C, the registers' digits of that axis as loops.
    Stmt load(const SharedOperand& from, const ProductOperandPlan& plan, int axis, const ir::Buffer& to, const Expr& k)
    {
        std::vector<Expr> values(order_.size(), ir::intImm(0));
        const std::function<Stmt(std::size_t, Expr)> nest = [&](std::size_t n, Expr at) -> Stmt {
            while (n < order_.size() && digit(n).axis != axis)
                ++n;
            if (n == order_.size())
                return storeAt(to, {at}, ir::cast(type_, element(from, plan, axis, k, values)), where_);
            const I stride = digit(n).stride / (axis == rowAxis_ ? columns_ : 1);
            return unrolled("v", digit(n).extent, [&](const Expr& v) {
                values[n] = v;
                return nest(n + 1, ir::add(at, ir::mul(v, ir::intImm(stride))));
            }, where_);
        };
        return nest(0, ir::intImm(0));
    }

    Expr element(const SharedOperand& from, const ProductOperandPlan& plan, int axis, const Expr& k, const std::vector<Expr>& values) const
    {
        Expr row = layout::valueOf(layout::coordinate(plan_.c, axis, thread_, values));
        const I extent = plan_.c.shape[static_cast<std::size_t>(axis)];
        if (plan_.c.covered(axis) > extent || layout::holdsAny(plan_.c, thread_))
            row = ir::min(row, ir::intImm(extent - 1));  // what does not exist computes with what does
        return loadAt(from.buffer, {plan.kInner ? elementIndex(from, row, k) : elementIndex(from, k, row)});
    }

    const layout::Digit& digit(std::size_t n) const { return plan_.c.digits[static_cast<std::size_t>(order_[n])]; }

    const ProductPlan& plan_;
    const ProductOperands& operands_;
    const Expr& thread_;
    const ir::Provenance& where_;
    int rowAxis_;
    ir::DType type_;
    std::vector<int> order_;
    I rows_ = 1, columns_ = 1;  // of the thread's tile
};

}  // namespace

Stmt multiplyByThreads(const ProductPlan& plan, const ProductOperands& operands, const Expr& thread, const ir::Provenance& where)
{
    return ThreadProduct(plan, operands, thread, where).lower();
}

}  // namespace tw::passes
