// Regions and the extents of copies (language.md b.4, d.6).
#include <gtest/gtest.h>

#include "tests/unit/staging/trace_support.h"

namespace tw::staging::test {
namespace {

std::string regionsOf(const Traced& t)
{
    std::string text;
    for (const auto* copy : t.ops(ir::OpId::kCopy)) {
        text += text.empty() ? "" : "; ";
        text += ir::print(std::get<ir::Region>(copy->call.operands[0])) + " -> " + ir::print(std::get<ir::Region>(copy->call.operands[1]));
    }
    return text.empty() ? t.firstError() : text;
}

std::string extentsOf(const Traced& t, std::size_t side)
{
    const auto copies = t.ops(ir::OpId::kCopy);
    if (copies.empty())
        return t.firstError();
    std::string text;
    for (const auto& e : std::get<ir::Region>(copies[0]->call.operands[side]).extents)
        text += (text.empty() ? "" : " ") + ir::print(e);
    return text;
}

TEST(TraceCopy, AnchorTakesTheTile)
{
    const auto t = traceLaunch("A: T.Tensor((100, 200), 'float16')", "s = T.alloc_shared((32, 64), 'float16')\nT.copy(A[bx * 32, bx * 64], s)");
    EXPECT_TRUE(t.broken().empty());
    EXPECT_EQ(regionsOf(t), "A[bx * 32:bx * 32 + 32, bx * 64:bx * 64 + 64] -> s");
}

TEST(TraceCopy, AnchorTileIsOnTheLastAxes)
{
    const auto t = traceLaunch("X: T.Tensor((2, 4, 128, 64), 'float16')", "s = T.alloc_shared((32, 64), 'float16')\nT.copy(X[1, bx, bx * 32, 0], s)");
    EXPECT_EQ(extentsOf(t, 0), "1 1 32 64");
}

TEST(TraceCopy, SlicedRegionsMatchByNonUnitAxes)
{
    const auto t = traceLaunch("X: T.Tensor((2, 128, 4, 64), 'float16')", "s = T.alloc_shared((32, 64), 'float16')\nT.copy(X[1, bx * 32:(bx + 1) * 32, bx, :], s)");
    EXPECT_EQ(extentsOf(t, 0), "1 32 1 64");
    EXPECT_EQ(extentsOf(t, 1), "32 64");
}

TEST(TraceCopy, LowerRankIsMatchedFromTheRight)
{
    const auto t = traceLaunch("A: T.Tensor((64, 64), 'float16')", "s = T.alloc_shared((1, 32, 64), 'float16')\nT.copy(s, A[bx * 16, 0])");
    EXPECT_EQ(extentsOf(t, 1), "32 64");
}

TEST(TraceCopy, TwoAnchorsAreAStore)
{
    const auto t = traceLaunch("A: T.Tensor((8,), 'float16'), B: T.Tensor((8,), 'float32')", "T.copy(A[bx], B[bx])");
    ASSERT_EQ(t.all<ir::Store>().size(), 1U);
    EXPECT_EQ(t.all<ir::Store>()[0]->value->dtype, ir::kFloat32);
}

TEST(TraceCopy, RunTimeExtentsFollowTheTile)
{
    const auto t = traceLaunch("A: T.Tensor((100, 64), 'float16')",
                               "s = T.alloc_shared((32, 64), 'float16')\nT.copy(A[bx * 32:T.min(bx * 32 + 32, 100), :], s)");
    EXPECT_EQ(extentsOf(t, 0), "32 64");
}

TEST(TraceCopy, ShapesThatDoNotFitNameBoth)
{
    const auto t = traceLaunch("A: T.Tensor((8,), 'float16')", "a = T.alloc_shared((64, 32), 'float16')\nb = T.alloc_shared((32, 64), 'float16')\nT.copy(a, b)");
    EXPECT_NE(t.firstError().find("(64, 32)"), std::string::npos) << t.firstError();
    EXPECT_NE(t.firstError().find("(32, 64)"), std::string::npos) << t.firstError();
    EXPECT_EQ(t.errorLine(), 9);
    EXPECT_EQ(t.errors(), 1);
}

TEST(TraceCopy, SlicesStayInsideOnChipBuffers)
{
    const auto t = traceLaunch("A: T.Tensor((8,), 'float16')", "x = T.alloc_shared((64,), 'float16')\nT.clear(x[32:96])");
    EXPECT_EQ(t.firstError(), "slice 32:96 is out of range: axis 0 of x has 64 elements");
}

TEST(TraceCopy, EveryAxisNeedsAnIndex)
{
    const auto t = traceLaunch("X: T.Tensor((8, 16), 'float32')", "X[bx] = 0.0");
    EXPECT_NE(t.firstError().find("X has 2 axes"), std::string::npos) << t.firstError();
}

}  // namespace
}  // namespace tw::staging::test
