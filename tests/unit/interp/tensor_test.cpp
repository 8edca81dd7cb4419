#include "core/interp/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/interp/element.h"
#include "core/ir/number.h"

namespace tw::interp {
namespace {

TEST(Tensor, halfRoundsToNearestEven)
{
    Tensor t = makeTensor(ir::kFloat16, {4});
    t.setFloat(0, 2049.0);  // halfway between 2048 and 2050
    t.setFloat(1, 2051.0);
    t.setFloat(2, 70000.0);
    t.setFloat(3, 5.9604644775390625e-08);  // the smallest half
    EXPECT_EQ(t.floatAt(0), 2048.0);
    EXPECT_EQ(t.floatAt(1), 2052.0);
    EXPECT_TRUE(std::isinf(t.floatAt(2)));
    EXPECT_EQ(t.floatAt(3), std::ldexp(1.0, -24));
    EXPECT_EQ(t.bytes[6], 1);
}

TEST(Tensor, packsNibbles)
{
    Tensor t = makeTensor(*ir::parseDType("int4"), {3});
    EXPECT_EQ(t.bytes.size(), 2U);
    t.setInt(0, -1);
    t.setInt(1, 7);
    t.setInt(2, 8);  // wraps
    EXPECT_EQ(t.bytes[0], 0x7F);
    EXPECT_EQ(t.intAt(0), -1);
    EXPECT_EQ(t.intAt(1), 7);
    EXPECT_EQ(t.intAt(2), -8);
}

// The quick rounding of lanes is that of ir::roundTo, for numbers of every size.
TEST(Tensor, lanesRoundLikeNumbers)
{
    std::uint64_t state = 88172645463325252ULL;
    for (const char* name : {"float16", "bfloat16", "tfloat32", "float32", "float8_e4m3fn", "float8_e5m2"}) {
        const ir::DType type = *ir::parseDType(name);
        for (int k = 0; k < 20000; ++k) {
            state ^= state << 13U;
            state ^= state >> 7U;
            state ^= state << 17U;
            const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(state)) / 9.2e18,
                                            static_cast<int>(state % 60) - 40);
            Lane lane{};
            lane.f = value;
            roundLanes(type, &lane, 1);
            ASSERT_EQ(lane.f, ir::roundTo(type, value)) << name << " " << value;
            std::uint8_t memory[8] = {};
            storeElement(type, memory, 0, lane);
            ASSERT_EQ(loadElement(type, memory, 0).f, lane.f) << name << " " << value;
        }
    }
}

}  // namespace
}  // namespace tw::interp
