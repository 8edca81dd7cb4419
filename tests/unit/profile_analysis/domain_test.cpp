#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "profiler/analysis/domain.h"

namespace tw::profile_analysis {
namespace {

ir::Var variable(const char* name) { return std::make_shared<const ir::VarNode>(ir::kInt32, name); }
ir::Expr number(std::int64_t n) { return ir::intImm(n); }

TEST(Domain, TrianglesAreSummedExactly)
{
    const ir::Var i = variable("i"), j = variable("j");
    const Domain triangle{{{i, number(0), number(100), {}}, {j, number(0), ir::add(i, number(1)), {}}}, {}};
    const Sum sum = sumOver(triangle, {}, {});
    EXPECT_TRUE(sum.exact);
    EXPECT_EQ(sum.value, 5050);
}

TEST(Domain, ClipsCountWhatIsInside)
{
    const ir::Var i = variable("i");
    // Tiles of 32 over 100 elements: 32 + 32 + 32 + 4.
    EXPECT_EQ(sumOver({{{i, number(0), number(4), {}}}, {}}, {{ir::mul(i, number(32)), number(32), number(100)}}, {}).value, 100);
    // One that begins in front of the tensor.
    EXPECT_EQ(sumOver({}, {{number(-3), number(10), number(100)}}, {}).value, 7);
}

TEST(Domain, ExtentsByName)
{
    const ir::Var i = variable("i"), n = variable("n");
    EXPECT_EQ(sumOver({{{i, number(0), n, {}}}, {}}, {}, {{"n", 12}}).value, 12);
}

TEST(Domain, UnknownConditionsHoldAndAreSaid)
{
    const ir::Var i = variable("i"), seen = variable("seen");
    const Sum sum = sumOver({{{i, number(0), number(8), {}}}, {{ir::less(i, seen), true}}}, {}, {});
    EXPECT_FALSE(sum.exact);
    EXPECT_EQ(sum.value, 8);
}

TEST(Domain, UnknownLoopsRunAsFarAsTheyCan)
{
    const ir::Var i = variable("i"), seen = variable("seen");
    const Sum sum = sumOver({{{i, number(0), ir::min(seen, number(12)), {}}}, {}}, {}, {});
    EXPECT_FALSE(sum.exact);
    EXPECT_EQ(sum.value, 12);
}

TEST(Domain, LargeOnesAreSampled)
{
    const ir::Var i = variable("i"), j = variable("j");
    const Domain triangle{{{i, number(0), number(4096), {}}, {j, number(0), number(4096), {}}}, {{ir::less(j, i), true}}};
    const Sum sum = sumOver(triangle, {}, {});
    EXPECT_FALSE(sum.exact);
    EXPECT_NEAR(sum.value, 4096.0 * 4095 / 2, 4096.0 * 4096 / 2 * 0.02);
}

}  // namespace
}  // namespace tw::profile_analysis
