#include <cmath>

#include <gtest/gtest.h>

#include "profiler/device/verify.h"

namespace tw::device {
namespace {

interp::Tensor floats(const std::vector<double>& values)
{
    interp::Tensor t = interp::makeTensor(ir::kFloat32, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        t.setFloat(static_cast<std::int64_t>(i), values[i]);
    return t;
}

constexpr double kUlp = 0x1p-23;  // of 1.0f

TEST(Verify, WhatIsExactMustBeEqualToTheBit)
{
    const interp::Tensor want = floats({1, 2, std::nan("")}), off = floats({1 + kUlp, 2, std::nan("")});
    EXPECT_EQ(compareAnswers("A", {want, want, want, want}, {}).wrong, 0);
    const auto c = compareAnswers("A", {want, want, want, off}, {});
    EXPECT_EQ(c.wrong, 1);
    EXPECT_EQ(c.firstWrong, std::vector<std::int64_t>{0});
    EXPECT_EQ(c.expected, 1.0);
    EXPECT_EQ(c.maxAbs, kUlp);
}

TEST(Verify, WhatRoundingCanMoveMayDifferALittle)
{
    const interp::Tensor want = floats({1, 1}), perturbed = floats({1 + kUlp, 1 - kUlp / 2});
    EXPECT_EQ(compareAnswers("A", {want, perturbed, want, floats({1 + 4 * kUlp, 1})}, {}).wrong, 0);
    EXPECT_EQ(compareAnswers("A", {want, perturbed, want, floats({1.001, 1})}, {}).wrong, 1);
}

// Few elements of a tensor come from sums, the others are exact copies: those do not make the bound of the sums smaller. (A random program
// on a GPU: 23 of 2,448 elements moved, another one of them off by 2e-6.)
TEST(Verify, ExactElementsDoNotTightenTheBoundsOfOthers)
{
    std::vector<double> want(2400, 1), moved = want, got = want;
    for (std::size_t i = 0; i < 24; ++i)
        moved[i * 100] = 1 + 4 * kUlp;
    got[50] = 1 + 40 * kUlp;  // within 16 times what the sums moved, though the perturbed run left it still
    EXPECT_EQ(compareAnswers("A", {floats(want), floats(moved), floats(want), floats(got)}, {}).wrong, 0);
    got[50] = 1 + 80 * kUlp;
    EXPECT_EQ(compareAnswers("A", {floats(want), floats(moved), floats(want), floats(got)}, {}).wrong, 1);
}

TEST(Verify, OrderOfBlocksIsListedNotWrong)
{
    const interp::Tensor want = floats({1, 5}), reversed = floats({2, 5});
    const auto c = compareAnswers("A", {want, want, reversed, floats({3, 5})}, {});
    EXPECT_EQ(c.wrong, 0);
    EXPECT_EQ(c.orderDependent, 1);
    EXPECT_EQ(c.total, 2);
}

TEST(Verify, ToleranceReplacesTheBounds)
{
    const interp::Tensor want = floats({100}), got = floats({101});
    EXPECT_EQ(compareAnswers("A", {want, want, want, got}, {0.02, std::nullopt}).wrong, 0);
    EXPECT_EQ(compareAnswers("A", {want, want, want, got}, {0.001, 0.5}).wrong, 1);
}

TEST(Verify, PoisonIsNeverRight)
{
    const interp::Tensor want = floats({1}), perturbed = floats({1 + kUlp});
    EXPECT_EQ(compareAnswers("A", {want, perturbed, want, floats({std::nan("")})}, {}).wrong, 1);
}

}  // namespace
}  // namespace tw::device
