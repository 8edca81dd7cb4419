#include "profiler/tune/enough.h"

#include <gtest/gtest.h>

namespace tw::tune {
namespace {

TEST(Enough, FewSayNothing)
{
    EXPECT_FALSE(isEnough({}, 1e9));
    EXPECT_FALSE(isEnough({{100, 200}, {101, 202}, {102, 204}}, 1e9));
}

// The model is off by the same factor everywhere: what it calls slower is slower.
TEST(Enough, AModelThatOrdersRightlyEndsTheSearch)
{
    const std::vector<Measured> measured = {{100, 200}, {101, 202}, {102, 204}, {103, 206}};
    EXPECT_TRUE(isEnough(measured, 104));
    EXPECT_TRUE(isEnough(measured, 100.1));
    EXPECT_FALSE(isEnough(measured, 99.9));
}

// Ratios 2.0, 2.2, 1.8, 2.0: logarithms 0.6931, 0.7885, 0.5878, 0.6931; mean 0.6906, deviation 0.0820. The next one takes at least
// exp(0.6906 - 0.1640) = 1.693 times its modelled time, and the best so far took 183.6: 108.4 is where it ends.
TEST(Enough, WhoIsOffByMuchGoesOn)
{
    const std::vector<Measured> measured = {{100, 200}, {101, 222.2}, {102, 183.6}, {103, 206}};
    EXPECT_FALSE(isEnough(measured, 104));
    EXPECT_FALSE(isEnough(measured, 108.3));
    EXPECT_TRUE(isEnough(measured, 108.6));
}

}  // namespace
}  // namespace tw::tune
