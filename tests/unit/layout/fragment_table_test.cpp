#include "core/layout/fragment_table.h"

#include <gtest/gtest.h>

#include "core/layout/mma.h"
#include "core/layout/shared.h"

namespace tw::layout {
namespace {

// PTX manual, m16n8 accumulators of 32 bits: row and column of each register of each lane.
TEST(FragmentTable, AccumulatorsOfM16N8)
{
    const auto table = tabulateFragment(*toMap(mmaC({16, 8, 16, 16})));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->threadCount, 32);
    EXPECT_EQ(table->registerCount, 4);
    for (std::int64_t lane = 0; lane < 32; ++lane)
        for (std::int64_t i = 0; i < 4; ++i) {
            const std::int64_t row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
            const auto element = static_cast<std::size_t>(row * 8 + column);
            EXPECT_EQ(table->threads[element], lane);
            EXPECT_EQ(table->registers[element], i);
        }
}

TEST(FragmentTable, CopiesAreAllNamed)
{
    const auto table = tabulateFragment(*toMap(replicated({3}, 4)));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->copies, 4);
    EXPECT_EQ(table->threads, (std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
    EXPECT_EQ(table->registers, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(FragmentTable, GroupsThatBeginLaterCountFromTheBlock)
{
    Fragment f = dealt({128}, 128, 1);
    f.firstThread = 128;
    const auto table = tabulateFragment(*toMap(f));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->threads.front(), 128);
    EXPECT_EQ(table->threads.back(), 255);
}

TEST(FragmentTable, MemoryLayoutsAreNone) { EXPECT_FALSE(tabulateFragment(*rowMajor({4, 4}))); }

}  // namespace
}  // namespace tw::layout
