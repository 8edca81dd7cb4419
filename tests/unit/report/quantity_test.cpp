#include "profiler/report/quantity.h"

#include <gtest/gtest.h>

namespace tw::report {
namespace {

TEST(Quantity, PicksTheUnit)
{
    EXPECT_EQ(quantity(12.5, "us"), "12.5 µs");
    EXPECT_EQ(quantity(0.0125, "us"), "12.5 ns");
    EXPECT_EQ(quantity(12500, "us"), "12.5 ms");
    EXPECT_EQ(quantity(999.6, "us"), "1.00 ms");
    EXPECT_EQ(quantity(1.5e9, "bytes"), "1.50 GB");
    EXPECT_EQ(quantity(512, "bytes"), "512 B");
    EXPECT_EQ(quantity(4.8e12, "bytes/s"), "4.80 TB/s");
    EXPECT_EQ(quantity(6.53e14, "flop/s"), "653 TFLOP/s");
    EXPECT_EQ(quantity(61.53, "%"), "61.5 %");
    EXPECT_EQ(quantity(168, "count"), "168");
    EXPECT_EQ(quantity(2.5e9, "count"), "2.50 G");
    EXPECT_EQ(quantity(0, "bytes"), "0 B");
}

TEST(Quantity, ThreeDigits)
{
    EXPECT_EQ(digits(1.2345), "1.23");
    EXPECT_EQ(digits(123.45), "123");
    EXPECT_EQ(digits(0.012345), "0.0123");
    EXPECT_EQ(digits(-4.2), "-4.20");
    EXPECT_EQ(digits(1e7), "1e+07");
}

}  // namespace
}  // namespace tw::report
