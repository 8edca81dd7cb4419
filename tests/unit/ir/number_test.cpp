// Hard values; they were compared with ml_dtypes over every pattern of each format, and over random doubles.
#include "core/ir/number.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tw::ir {
namespace {

const DType kE4M3{Scalar::kFloat8E4M3FN};
const DType kE5M2{Scalar::kFloat8E5M2};
const DType kE4M3Fnuz{Scalar::kFloat8E4M3FNUZ};
const DType kE8M0{Scalar::kFloat8E8M0FNU};
const DType kE2M1{Scalar::kFloat4E2M1FN};
const DType kTF32{Scalar::kTFloat32};
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

TEST(RoundTo, HalfRoundsToNearestEven)
{
    EXPECT_EQ(roundTo(kFloat16, 1.0 + 1.0 / 2048), 1.0);               // a tie goes to the even neighbour
    EXPECT_EQ(roundTo(kFloat16, 1.0 + 3.0 / 2048), 1.0 + 2.0 / 1024);  // upwards too
    EXPECT_EQ(roundTo(kFloat16, 65519.99), 65504.0);
    EXPECT_EQ(roundTo(kFloat16, 65520.0), kInf);
    EXPECT_EQ(roundTo(kFloat16, -1e300), -kInf);
    EXPECT_EQ(roundTo(kFloat16, std::ldexp(1.0, -24)), std::ldexp(1.0, -24));
    EXPECT_EQ(roundTo(kFloat16, std::ldexp(1.0, -25)), 0.0);
    EXPECT_EQ(roundTo(kFloat16, std::ldexp(1.5, -25)), std::ldexp(1.0, -24));
    EXPECT_TRUE(std::signbit(roundTo(kFloat16, -1e-30)));
    EXPECT_TRUE(std::isnan(roundTo(kFloat16, kNan)));
}

TEST(RoundTo, BrainFloatAndTF32)
{
    EXPECT_EQ(roundTo(kBFloat16, 1.0 + 1.0 / 256), 1.0);
    EXPECT_EQ(roundTo(kBFloat16, 1.0 + 3.0 / 256), 1.0 + 2.0 / 128);
    EXPECT_EQ(roundTo(kBFloat16, 3.4e38), kInf);
    EXPECT_EQ(roundTo(kBFloat16, 3.3895313892515355e38), 3.3895313892515355e38);
    EXPECT_EQ(roundTo(kTF32, 1.0 + 1.0 / 2048), 1.0);
    EXPECT_EQ(encodeFloat(kTF32, 1.0 + 1.0 / 1024), 0x3f802000u);
}

TEST(RoundTo, Float32)
{
    EXPECT_EQ(roundTo(kFloat32, 0.1), static_cast<double>(0.1f));
    EXPECT_EQ(roundTo(kFloat32, 1e39), kInf);
    EXPECT_EQ(encodeFloat(kFloat32, 1e-45), 1u);
}

TEST(RoundTo, EightBitFloatsSaturate)
{
    EXPECT_EQ(roundTo(kE4M3, 1e9), 448.0);
    EXPECT_EQ(roundTo(kE4M3, -kInf), -448.0);
    EXPECT_EQ(roundTo(kE4M3, 17.0), 16.0);
    EXPECT_EQ(roundTo(kE4M3, 19.0), 20.0);
    EXPECT_EQ(roundTo(kE4M3, std::ldexp(1.0, -10)), 0.0);
    EXPECT_EQ(encodeFloat(kE4M3, kNan), 0x7fu);
    EXPECT_EQ(encodeFloat(kE4M3, -0.0), 0x80u);
    EXPECT_EQ(roundTo(kE5M2, kInf), 57344.0);
    EXPECT_EQ(decodeFloat(kE5M2, 0x7c), kInf);
    EXPECT_EQ(roundTo(kE4M3Fnuz, 1e9), 240.0);
    EXPECT_EQ(encodeFloat(kE4M3Fnuz, kNan), 0x80u);
    EXPECT_EQ(encodeFloat(kE4M3Fnuz, -0.0), 0u);
    EXPECT_EQ(roundTo(DType{Scalar::kFloat8E3M4}, 100.0), 15.5);
    EXPECT_EQ(roundTo(DType{Scalar::kFloat8E4M3B11FNUZ}, 100.0), 30.0);
}

TEST(RoundTo, ScaleExponents)
{
    EXPECT_EQ(encodeFloat(kE8M0, 1.0), 127u);
    EXPECT_EQ(decodeFloat(kE8M0, 0), std::ldexp(1.0, -127));
    EXPECT_EQ(decodeFloat(kE8M0, 254), std::ldexp(1.0, 127));
    EXPECT_TRUE(std::isnan(decodeFloat(kE8M0, 255)));
    EXPECT_EQ(roundTo(kE8M0, 3.1), 4.0);
    EXPECT_EQ(roundTo(kE8M0, 2.9), 2.0);
}

TEST(RoundTo, FourAndSixBitFloats)
{
    EXPECT_EQ(roundTo(kE2M1, 5.0), 4.0);
    EXPECT_EQ(roundTo(kE2M1, 5.1), 6.0);
    EXPECT_EQ(roundTo(kE2M1, 0.25), 0.0);
    EXPECT_EQ(roundTo(kE2M1, 0.75), 1.0);
    EXPECT_EQ(roundTo(kE2M1, -100), -6.0);
    EXPECT_EQ(roundTo(kE2M1, kNan), 6.0);
    EXPECT_EQ(roundTo(DType{Scalar::kFloat6E2M3FN}, 100), 7.5);
    EXPECT_EQ(roundTo(DType{Scalar::kFloat6E3M2FN}, 100), 28.0);
}

// Without saturation an e5m2 overflows to infinity, an e4m3fn to NaN; ties go to the even neighbour, infinity and NaN included.
TEST(RoundTo, WithoutSaturation)
{
    EXPECT_EQ(roundUnsaturated(kE5M2, 61439.0), 57344.0);
    EXPECT_EQ(roundUnsaturated(kE5M2, 61440.0), kInf);
    EXPECT_EQ(roundUnsaturated(kE5M2, -1e30), -kInf);
    EXPECT_EQ(roundUnsaturated(kE5M2, -kInf), -kInf);
    EXPECT_EQ(roundUnsaturated(kE4M3, 464.0), 448.0);
    EXPECT_TRUE(std::isnan(roundUnsaturated(kE4M3, 464.01)));
    EXPECT_TRUE(std::isnan(roundUnsaturated(kE4M3, -kInf)));
    EXPECT_TRUE(std::isnan(roundUnsaturated(kE4M3Fnuz, 248.0)));
    EXPECT_EQ(roundUnsaturated(kE4M3Fnuz, 247.9), 240.0);
    EXPECT_EQ(roundUnsaturated(kE2M1, 100.0), 6.0);
    EXPECT_EQ(roundUnsaturated(kFloat16, 65520.0), kInf);
    EXPECT_EQ(roundUnsaturated(kE5M2, 1.3), roundTo(kE5M2, 1.3));
    EXPECT_EQ(encodeExact(kE5M2, -kInf), 0xfcu);
}

// Every pattern decodes to a value that encodes to the pattern again.
TEST(Encode, RoundTripsEveryPattern)
{
    for (Scalar scalar : {Scalar::kFloat16, Scalar::kBFloat16, Scalar::kFloat8E4M3FN, Scalar::kFloat8E5M2,
                          Scalar::kFloat8E4M3FNUZ, Scalar::kFloat8E5M2FNUZ, Scalar::kFloat8E4M3B11FNUZ,
                          Scalar::kFloat8E3M4, Scalar::kFloat8E8M0FNU, Scalar::kFloat6E2M3FN, Scalar::kFloat6E3M2FN,
                          Scalar::kFloat4E2M1FN}) {
        const DType type{scalar};
        for (std::uint64_t bits = 0; bits < (1ULL << type.bits()); ++bits) {
            const double value = decodeFloat(type, bits);
            if (std::isinf(value) && type.bits() == 8)
                continue;  // saturates
            ASSERT_EQ(encodeFloat(type, value), bits) << type.name();
        }
    }
}

TEST(Integers, WrapAndSaturate)
{
    EXPECT_EQ(wrapInt(kInt8, 200), -56);
    EXPECT_EQ(wrapInt(DType{Scalar::kInt4}, 9), -7);
    EXPECT_EQ(wrapInt(DType{Scalar::kUInt4}, -1), 15);
    EXPECT_EQ(wrapInt(kUInt32, -1), 4294967295);
    EXPECT_EQ(wrapInt(kBool, 17), 1);
    EXPECT_EQ(floatToInt(kInt8, 1000.0), 127);
    EXPECT_EQ(floatToInt(kInt32, -2.9), -2);
    EXPECT_EQ(floatToInt(kInt32, kNan), 0);
    EXPECT_EQ(floatToInt(kUInt8, -5.0), 0);
    EXPECT_EQ(floatToInt(kInt64, 1e30), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(static_cast<std::uint64_t>(floatToInt(kUInt64, 1e30)), ~0ULL);
    EXPECT_EQ(smallestInt(kInt64), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(largestInt(kUInt64), ~0ULL);
}

TEST(Integers, ConvertToFloatWithOneRounding)
{
    // 2^24 + 1 is a tie in float32; one bit far below it decides upwards.
    EXPECT_EQ(intToFloat(kInt64, kFloat32, (1LL << 54) + (1LL << 30)), 0x1p54);
    EXPECT_EQ(intToFloat(kInt64, kFloat32, (1LL << 60) + (1LL << 36) + 1), 0x1p60 + 0x1p37);
    EXPECT_EQ(intToFloat(kUInt64, kFloat32, -1), 0x1p64);
    EXPECT_EQ(intToFloat(kInt64, kFloat64, -3), -3.0);
}

}  // namespace
}  // namespace tw::ir
