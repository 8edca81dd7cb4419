#include "core/ir/build.h"

#include <gtest/gtest.h>

#include "core/ir/visit.h"

namespace tw::ir {
namespace {

Var makeVar(const char* name, DType type = kInt32)
{
    return std::make_shared<VarNode>(type, name);
}

Expr foldInts(BinaryOp op, std::int64_t a, std::int64_t b, DType type = kInt32)
{
    return binary(op, intImm(a, type), intImm(b, type));
}

TEST(Build, FoldsWithPythonAndCSigns)
{
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kFloorDiv, -7, 2)), -4);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kFloorMod, -7, 2)), 1);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kFloorMod, 7, -2)), -1);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kTruncDiv, -7, 2)), -3);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kTruncMod, -7, 2)), -1);
    EXPECT_EQ(foldInts(BinaryOp::kFloorDiv, 1, 0)->kind, ExprKind::kBinary);
    EXPECT_EQ(foldInts(BinaryOp::kShl, 1, 32)->kind, ExprKind::kBinary);
}

TEST(Build, IntegersWrapAndUnsignedCompare)
{
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kAdd, 0x7fffffff, 1)), -0x80000000LL);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kLt, -1, 1, kUInt64)), 0);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kShr, -8, 1)), -4);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kShr, -1, 63, kUInt64)), 1);
    EXPECT_EQ(*asInt(foldInts(BinaryOp::kFloorDiv, -1, 2, kUInt64)), 0x7fffffffffffffffLL);
}

TEST(Build, FloatsRoundToTheirType)
{
    const auto half = [](double v) { return floatImm(v, kFloat16); };
    EXPECT_EQ(as<FloatImm>(binary(BinaryOp::kAdd, half(2048), half(1)))->value, 2048.0);
    EXPECT_EQ(as<FloatImm>(cast(kFloat16, floatImm(0.1)))->value, 0.0999755859375);
    EXPECT_EQ(*asInt(cast(kInt32, floatImm(-2.9))), -2);
}

TEST(Build, IdentitiesKeepTheOperand)
{
    const Expr x = makeVar("x");
    const Expr zero = intImm(0), one = intImm(1);
    EXPECT_EQ(add(x, zero), x);
    EXPECT_EQ(mul(one, x), x);
    EXPECT_TRUE(isZero(mul(x, zero)));
    EXPECT_TRUE(isZero(floorMod(x, one)));
    EXPECT_EQ(select(boolImm(true), x, zero, true), x);
    EXPECT_EQ(unary(UnaryOp::kNegate, unary(UnaryOp::kNegate, x)), x);
    EXPECT_EQ(cast(kInt32, x), x);
    const Expr f = makeVar("f", kFloat32);
    EXPECT_NE(binary(BinaryOp::kAdd, f, floatImm(0)), f);  // -0.0 + 0.0 is 0.0
    EXPECT_EQ(binary(BinaryOp::kMul, f, floatImm(1)), f);
}

TEST(Build, IndexArithmeticWidens)
{
    EXPECT_EQ(add(makeVar("a"), makeVar("b", kInt64))->dtype, kInt64);
    EXPECT_EQ(*asInt(ceilDiv(intImm(10), intImm(4))), 3);
    EXPECT_FALSE(logicalAnd({}, {}));
}

TEST(Build, AConjunctionSaysNothingTwice)
{
    const Expr x = makeVar("x"), y = makeVar("y");
    const Expr first = less(x, intImm(10)), second = less(y, intImm(20));
    const Expr both = logicalAnd(first, second);
    EXPECT_EQ(logicalAnd(both, less(makeVar("z"), y))->kind, ExprKind::kBinary);
    EXPECT_EQ(logicalAnd(both, less(y, intImm(20))), both);
    EXPECT_EQ(logicalAnd(both, logicalAnd(less(x, intImm(10)), less(y, intImm(20)))), both);
    const Expr draws = ir::binary(BinaryOp::kEq, ir::call(kInt32, OpCall{OpId::kRngRand, {}, {}}), intImm(0));
    EXPECT_NE(logicalAnd(draws, draws), draws);  // each draws a number of its own
}

TEST(Build, AnEffectIsNotFoldedAway)
{
    const Expr call = ir::call(kInt32, OpCall{OpId::kRngRand, {}, {}});
    EXPECT_FALSE(isZero(mul(call, intImm(0))));
}

}  // namespace
}  // namespace tw::ir
