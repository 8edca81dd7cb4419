#include "core/arith/facts.h"

#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "core/ir/print.h"
#include "core/ir/visit.h"

namespace tw::arith {
namespace {

using ir::Expr;
using ir::intImm;

Expr var(const char* name)
{
    return std::make_shared<ir::VarNode>(ir::kInt32, name);
}

struct FactsTest : testing::Test {
    Expr x = var("x"), y = var("y"), n = var("n");
    Facts facts;

    static Expr times(const Expr& e, int c) { return ir::mul(e, intImm(c)); }
    static Expr over(const Expr& e, int c) { return ir::floorDiv(e, intImm(c)); }
    static Expr mod(const Expr& e, int c) { return ir::floorMod(e, intImm(c)); }
};

TEST_F(FactsTest, NormalFormCancels)
{
    const Expr e = ir::sub(times(ir::add(x, intImm(1)), 64), times(x, 64));
    EXPECT_EQ(facts.normalize(e).asConstant(), 64);
    EXPECT_EQ(facts.equal(ir::add(times(over(x, 8), 8), mod(x, 8)), x), Truth::kProved);
}

TEST_F(FactsTest, ElementsOfTwoBuffersDoNotCancel)
{
    const auto element = [](const char* name) -> Expr {
        ir::BufferNode node;
        node.name = name;
        node.dtype = ir::kInt32;
        node.shape = {intImm(4)};
        return std::make_shared<ir::Load>(ir::kInt32, std::make_shared<ir::BufferNode>(node), std::vector<Expr>{intImm(0)});
    };
    const Expr s = element("s"), t = element("t");
    EXPECT_EQ(facts.equal(s, s), Truth::kProved);
    EXPECT_EQ(facts.equal(s, t), Truth::kUnknown);
    EXPECT_FALSE(ir::equal(facts.simplify(ir::max(s, t)), t));
}

TEST_F(FactsTest, DivisionRules)
{
    facts.bound(y, {0, 7});
    EXPECT_EQ(facts.equal(over(ir::add(times(x, 8), y), 8), x), Truth::kProved);
    EXPECT_EQ(facts.equal(mod(ir::add(times(x, 8), y), 8), y), Truth::kProved);
    EXPECT_EQ(facts.equal(over(over(x, 4), 3), over(x, 12)), Truth::kProved);
    EXPECT_EQ(facts.equal(mod(mod(x, 12), 4), mod(x, 4)), Truth::kProved);
    EXPECT_EQ(facts.equal(mod(mod(x, 6), 4), mod(x, 4)), Truth::kUnknown);  // 4 does not divide 6
    EXPECT_EQ(facts.equal(over(mod(x, 12), 4), mod(over(x, 4), 3)), Truth::kProved);
}

TEST_F(FactsTest, GuardsAndBounds)
{
    facts.bound(x, {0, {}});
    EXPECT_EQ(facts.prove(ir::less(x, n)), Truth::kUnknown);
    const auto mark = facts.mark();
    facts.assume(ir::less(ir::add(x, intImm(3)), n));
    EXPECT_EQ(facts.prove(ir::less(x, n)), Truth::kProved);
    EXPECT_EQ(facts.prove(ir::less(n, x)), Truth::kRefuted);
    EXPECT_EQ(facts.prove(ir::less(intImm(0), n)), Truth::kProved);
    facts.rewind(mark);
    EXPECT_EQ(facts.prove(ir::less(x, n)), Truth::kUnknown);
}

TEST_F(FactsTest, Divisibility)
{
    facts.divisible(n, 16);
    EXPECT_EQ(facts.divisor(ir::add(times(x, 32), times(n, 2))), 32);
    EXPECT_EQ(facts.prove(ir::binary(ir::BinaryOp::kEq, ir::add(times(x, 2), intImm(1)), times(y, 4))), Truth::kRefuted);
}

TEST_F(FactsTest, SimplifyPrintsTheNormalForm)
{
    facts.bound(y, {0, 3});
    EXPECT_EQ(ir::print(facts.simplify(ir::add(ir::sub(x, times(y, 2)), ir::add(x, intImm(-5))))), "x * 2 - y * 2 - 5");
    EXPECT_EQ(ir::print(facts.simplify(ir::min(y, intImm(9)))), "y");
}

TEST_F(FactsTest, OverflowIsUnknown)
{
    const Expr huge = intImm(INT64_MAX, ir::kInt64);
    const Expr wide = std::make_shared<ir::VarNode>(ir::kInt64, "w");
    const Expr e = std::make_shared<ir::Binary>(ir::kInt64, ir::BinaryOp::kMul, ir::add(wide, huge), huge);
    EXPECT_FALSE(facts.normalize(e).valid);
    EXPECT_EQ(facts.prove(ir::less(e, wide)), Truth::kUnknown);
}

}  // namespace
}  // namespace tw::arith
