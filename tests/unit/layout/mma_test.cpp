#include "core/layout/mma.h"

#include <gtest/gtest.h>

namespace tw::layout {
namespace {

using I = std::int64_t;
const ir::DType kE4M3{ir::Scalar::kFloat8E4M3FN};

// The tables of compiler.md 3.2, written as there.
TEST(Mma, SixteenBitOperands)
{
    const MmaInstruction mma{16, 8, 16, 16};
    const Fragment a = mmaA(mma), b = mmaB(mma), c = mmaC(mma);
    for (I l = 0; l < 32; ++l) {
        const I g = l / 4, q = l % 4;
        for (I v = 0; v < 8; ++v)
            EXPECT_EQ(a.at(l, v), (std::vector<I>{g + 8 * ((v >> 1) & 1), 2 * q + (v & 1) + 8 * (v >> 2)}));
        for (I v = 0; v < 4; ++v) {
            EXPECT_EQ(b.at(l, v), (std::vector<I>{g, 2 * q + (v & 1) + 8 * (v >> 1)}));
            EXPECT_EQ(c.at(l, v), (std::vector<I>{g + 8 * (v >> 1), 2 * q + (v & 1)}));
        }
    }
}

TEST(Mma, EightBitAndFourBitOperands)
{
    const Fragment a8 = mmaA({16, 8, 32, 8}), b8 = mmaB({16, 8, 32, 8}), a4 = mmaA({16, 8, 64, 4});
    for (I l = 0; l < 32; ++l) {
        const I g = l / 4, q = l % 4;
        for (I v = 0; v < 16; ++v)
            EXPECT_EQ(a8.at(l, v), (std::vector<I>{g + 8 * ((v >> 2) & 1), 4 * q + (v & 3) + 16 * (v >> 3)}));
        for (I v = 0; v < 8; ++v)
            EXPECT_EQ(b8.at(l, v), (std::vector<I>{g, 4 * q + (v & 3) + 16 * (v >> 2)}));
        for (I v = 0; v < 32; ++v)
            EXPECT_EQ(a4.at(l, v), (std::vector<I>{g + 8 * ((v >> 3) & 1), 8 * q + (v & 7) + 32 * (v >> 4)}));
    }
}

TEST(Mma, Tf32AndDoubleOperands)
{
    const Fragment a = mmaA({16, 8, 8, 32}), b = mmaB({16, 8, 8, 32});
    const Fragment a64 = mmaA({8, 8, 4, 64}), c64 = mmaC({8, 8, 4, 64});
    for (I l = 0; l < 32; ++l) {
        const I g = l / 4, q = l % 4;
        for (I v = 0; v < 4; ++v)
            EXPECT_EQ(a.at(l, v), (std::vector<I>{g + 8 * (v & 1), q + 4 * (v >> 1)}));
        for (I v = 0; v < 2; ++v) {
            EXPECT_EQ(b.at(l, v), (std::vector<I>{g, q + 4 * v}));
            EXPECT_EQ(c64.at(l, v), (std::vector<I>{g, 2 * q + v}));
        }
        EXPECT_EQ(a64.at(l, 0), (std::vector<I>{g, q}));
    }
}

// compiler.md 3.2: the accumulators of two neighbouring atoms are the values of A for 16 bits.
TEST(Mma, AccumulatorChainsIntoOperandA)
{
    const Partition warps{4, 1};
    const MmaInstruction mma{16, 8, 16, 16};
    const Fragment c = blockC(mma, 64, 64, warps), a = blockA(mma, 64, 64, warps, false);
    std::vector<I> at(2);
    for (at[0] = 0; at[0] < 64; ++at[0])
        for (at[1] = 0; at[1] < 64; ++at[1])
            EXPECT_TRUE(c.owns(a.threadOf(at), at));
    EXPECT_EQ(a.registers(), c.registers());
}

TEST(Mma, BlockTilesCoverTheirShape)
{
    const Partition warps{2, 4};
    const MmaInstruction mma{16, 8, 16, 16};
    const Fragment a = blockA(mma, 128, 32, warps, true), b = blockB(mma, 128, 32, warps, false), c = blockC(mma, 128, 128, warps);
    EXPECT_EQ(a.shape, (std::vector<I>{32, 128}));
    EXPECT_EQ(a.copies(), 4);
    EXPECT_EQ(b.copies(), 2);
    EXPECT_EQ(c.copies(), 1);
    EXPECT_EQ(c.threads, 256);
    EXPECT_EQ(c.registers(), 64);
}

// compiler.md 3.5, one warp group and two with two atoms each.
TEST(Wgmma, Accumulator)
{
    const Fragment c = wgmmaC(64, 128, {4, 1});
    for (I t = 0; t < 128; ++t)
        for (I v = 0; v < 64; ++v)
            EXPECT_EQ(c.at(t, v), (std::vector<I>{16 * (t / 32) + t % 32 / 4 + 8 * ((v >> 1) & 1), 8 * (v >> 2) + 2 * (t % 4) + (v & 1)}));
    const Fragment two = wgmmaC(256, 64, {8, 1});
    std::vector<I> at(2);
    for (at[0] = 0; at[0] < 256; ++at[0])
        for (at[1] = 0; at[1] < 64; ++at[1]) {
            const I m = at[0], n = at[1];
            EXPECT_EQ(two.threadOf(at), 128 * (m / 128) + 32 * (m % 64 / 16) + 4 * (m % 8) + n % 8 / 2);
            EXPECT_EQ(two.registerOf(at), m % 128 / 64 * 32 + n / 8 * 4 + 2 * (m % 16 / 8) + n % 2);
        }
}

TEST(Mma, InstructionsOfTheTargets)
{
    const auto sm75 = *target::parse("sm_75"), sm80 = *target::parse("sm_80"), sm89 = *target::parse("sm_89");
    EXPECT_EQ(mmaFor(sm75, ir::kFloat16, ir::kFloat16, ir::kFloat32, 32), (MmaInstruction{16, 8, 8, 16}));
    EXPECT_EQ(mmaFor(sm80, ir::kFloat16, ir::kFloat16, ir::kFloat32, 32), (MmaInstruction{16, 8, 16, 16}));
    EXPECT_EQ(mmaFor(sm80, ir::kFloat16, ir::kFloat16, ir::kFloat32, 8), (MmaInstruction{16, 8, 8, 16}));
    EXPECT_FALSE(mmaFor(sm75, ir::kBFloat16, ir::kBFloat16, ir::kFloat32, 32));
    EXPECT_FALSE(mmaFor(sm80, kE4M3, kE4M3, ir::kFloat32, 32));
    EXPECT_TRUE(mmaFor(sm89, kE4M3, kE4M3, ir::kFloat32, 32));
    EXPECT_FALSE(mmaFor(sm80, ir::kFloat16, ir::kFloat16, ir::kFloat32, 12));
}

TEST(Partition, ValuesOfTheRule)
{
    EXPECT_EQ(warpPartition(128, 128, 4, WarpPolicy::kSquare), (Partition{2, 2}));
    EXPECT_EQ(warpPartition(128, 128, 8, WarpPolicy::kSquare), (Partition{2, 4}));
    EXPECT_EQ(warpPartition(64, 64, 4, WarpPolicy::kFullRow), (Partition{4, 1}));
    EXPECT_EQ(warpPartition(64, 64, 4, WarpPolicy::kFullCol), (Partition{1, 4}));
    EXPECT_EQ(warpGroupPartition(128, 256, 8, WarpPolicy::kSquare), (Partition{4, 2}));
    EXPECT_EQ(warpGroupPartition(128, 256, 8, WarpPolicy::kFullRow), (Partition{8, 1}));
    EXPECT_FALSE(warpPartition(24, 8, 4, WarpPolicy::kSquare));
}

}  // namespace
}  // namespace tw::layout
