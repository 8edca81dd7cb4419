#include "core/arith/evaluate.h"

#include <gtest/gtest.h>

#include "core/ir/build.h"

namespace tw::arith {
namespace {

using I = std::int64_t;

// One call for a row gives what one call a value gives.
TEST(Evaluation, ARowIsItsValues)
{
    const ir::Var x = std::make_shared<const ir::VarNode>(ir::kInt32, "x"), y = std::make_shared<const ir::VarNode>(ir::kInt32, "y");
    const auto n = [](I value) { return ir::intImm(value); };
    const ir::Expr swizzled = ir::add(ir::mul(y, n(64)), ir::binary(ir::BinaryOp::kBitXor, x, ir::mul(ir::floorMod(ir::floorDiv(y, n(4)), n(8)), n(8))));
    const ir::Expr chosen = ir::select(ir::less(x, n(5)), ir::sub(y, x), ir::binary(ir::BinaryOp::kBitAnd, ir::floorDiv(x, n(3)), n(6)), false);
    const std::vector<const ir::ExprNode*> vars = {x.get(), y.get()};
    for (const ir::Expr& e : {swizzled, chosen, ir::min(x, y), ir::unary(ir::UnaryOp::kNegate, x), ir::Expr(ir::intImm(7))})
        for (const std::size_t along : {0U, 1U}) {
            auto program = Evaluation::compile(e, vars);
            ASSERT_TRUE(program);
            std::vector<I> values = {11, 13}, row(40, -1);
            ASSERT_TRUE(program->runAlong(values, along, row));
            for (I k = 0; k < 40; ++k) {
                values[along] = k;
                EXPECT_EQ(row[static_cast<std::size_t>(k)], program->run(values));
            }
        }
    auto divided = Evaluation::compile(ir::floorDiv(y, x), vars);
    ASSERT_TRUE(divided);
    std::vector<I> row(4);
    EXPECT_FALSE(divided->runAlong(std::vector<I>{1, 8}, 0, row));  // x = 0
    EXPECT_TRUE(divided->runAlong(std::vector<I>{2, 8}, 1, row));
    EXPECT_EQ(row, (std::vector<I>{0, 0, 1, 1}));
}

}  // namespace
}  // namespace tw::arith
