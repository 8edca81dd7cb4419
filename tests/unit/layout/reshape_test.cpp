#include "core/layout/reshape.h"

#include <gtest/gtest.h>

namespace tw::layout {
namespace {

using I = std::int64_t;

std::vector<I> pointAt(I n, const std::vector<I>& shape)
{
    std::vector<I> at(shape.size());
    for (std::size_t k = shape.size(); k-- > 0; n /= shape[k])
        at[k] = n % shape[k];
    return at;
}

// Element n in row-major order keeps its thread and its register.
void expectSameRegisters(const Fragment& f, const std::vector<I>& shape)
{
    const auto g = reshaped(f, shape);
    ASSERT_TRUE(g);
    EXPECT_EQ(g->threads, f.threads);
    EXPECT_EQ(g->copies(), f.copies());
    I total = 1;
    for (const I extent : shape)
        total *= extent;
    for (I n = 0; n < total; ++n) {
        EXPECT_EQ(g->threadOf(pointAt(n, shape)), f.threadOf(pointAt(n, f.shape)));
        EXPECT_EQ(g->registerOf(pointAt(n, shape)), f.registerOf(pointAt(n, f.shape)));
    }
}

TEST(Reshape, ElementsKeepTheirRegisters)
{
    expectSameRegisters(dealt({8, 32}, 64, 4), {256});
    expectSameRegisters(dealt({8, 32}, 64, 4), {4, 64});
    expectSameRegisters(dealt({8, 32}, 64, 4), {8, 4, 8});
    expectSameRegisters(dealt({256}, 32, 2), {16, 16});
    expectSameRegisters(replicated({4, 6}, 32), {24});
    expectSameRegisters(rowwise({8, 64}, 1, 64, 32, 2), {2, 4, 64});
    expectSameRegisters(dealt({3, 40}, 8, 1), {120});
}

TEST(Reshape, WhatItCannot)
{
    EXPECT_FALSE(reshaped(dealt({8, 32}, 64, 4), {128}));     // other elements
    EXPECT_FALSE(reshaped(dealt({96}, 32, 1), {2, 48}));       // 48 ends within the 32 threads
    EXPECT_FALSE(reshaped(dealt({100}, 32, 1), {10, 10}));     // its last registers lie outside
}

}  // namespace
}  // namespace tw::layout
