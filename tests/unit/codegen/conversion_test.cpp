// The device prelude's conversions, as they are below sm_80, against core/ir/number over all patterns.
#include <cmath>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "core/ir/number.h"

// What the sections use of CUDA.
#define TW_DEVICE inline
#define __CUDA_ARCH__ 750
namespace {
inline unsigned __float_as_uint(float x)
{
    unsigned u = 0;
    std::memcpy(&u, &x, 4);
    return u;
}
inline float __uint_as_float(unsigned u)
{
    float x = 0;
    std::memcpy(&x, &u, 4);
    return x;
}
inline float tw_fadd(float a, float b) { return a + b; }
inline float tw_fmul(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float towardsZero(long double x)
{
    const auto r = static_cast<float>(x);
    return std::isfinite(x) && std::fabs(static_cast<long double>(r)) > std::fabs(x) ? std::nextafter(r, 0.0F) : r;
}
inline float __double2float_rz(double x) { return towardsZero(x); }
inline float __ll2float_rz(long long x) { return towardsZero(x); }
inline float __ull2float_rz(unsigned long long x) { return towardsZero(x); }
inline long long __float2ll_rz(float x) { return static_cast<long long>(x); }
inline unsigned long long __float2ull_rz(float x) { return static_cast<unsigned long long>(x); }
using std::memcpy;
#include "host_prelude.h"
}  // namespace

namespace tw {
namespace {

template <class T>
struct Format;
#define TW_FORMAT(T, text)                            \
    template <>                                       \
    struct Format<T> {                                \
        static constexpr const char* kName = text;    \
    };
TW_FORMAT(bf16, "bfloat16")
TW_FORMAT(tf32, "tfloat32")
TW_FORMAT(e4m3, "float8_e4m3fn")
TW_FORMAT(e5m2, "float8_e5m2")
TW_FORMAT(e4m3fnuz, "float8_e4m3fnuz")
TW_FORMAT(e5m2fnuz, "float8_e5m2fnuz")
TW_FORMAT(e4m3b11fnuz, "float8_e4m3b11fnuz")
TW_FORMAT(e3m4, "float8_e3m4")
TW_FORMAT(e2m3, "float6_e2m3fn")
TW_FORMAT(e3m2, "float6_e3m2fn")
TW_FORMAT(e2m1, "float4_e2m1fn")
TW_FORMAT(e8m0, "float8_e8m0fnu")
#undef TW_FORMAT

template <class T>
class Conversion : public testing::Test {
protected:
    const ir::DType type = *ir::parseDType(Format<T>::kName);

    // A NaN is a NaN, whatever its payload.
    void expectCode(T got, double value)
    {
        const std::uint64_t want = ir::encodeFloat(type, value);
        if (std::isnan(ir::decodeFloat(type, want)))
            ASSERT_TRUE(std::isnan(float(got))) << std::hexfloat << value;
        else
            ASSERT_EQ(got.bits, want) << std::hexfloat << value;
    }
};
using Formats = testing::Types<bf16, tf32, e4m3, e5m2, e4m3fnuz, e5m2fnuz, e4m3b11fnuz, e3m4, e2m3, e3m2, e2m1, e8m0>;
TYPED_TEST_SUITE(Conversion, Formats);

TYPED_TEST(Conversion, EveryCodeToFloat)
{
    if (this->type.bits() > 16)
        return;  // a tfloat32 is a float already
    for (unsigned code = 0; code < 1U << this->type.bits(); ++code) {
        const double want = ir::decodeFloat(this->type, code);
        const float got = float(TypeParam::of(static_cast<decltype(TypeParam::bits)>(code)));
        if (std::isnan(want)) {
            ASSERT_TRUE(std::isnan(got)) << code;
        } else {
            ASSERT_EQ(std::signbit(got), std::signbit(want)) << code;
            ASSERT_EQ(static_cast<double>(got), want) << code;
        }
    }
}

TYPED_TEST(Conversion, FloatsAroundEveryTie)
{
    for (unsigned high = 0; high < 65536; ++high)
        for (const unsigned low : {0U, 1U, 0x0fffU, 0x1000U, 0x1001U, 0x3000U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
            const float x = __uint_as_float(high << 16 | low);
            this->expectCode(TypeParam(x), static_cast<double>(x));
        }
}

TYPED_TEST(Conversion, WideIntegersAndDoublesRoundOnce)
{
    for (long long i = 0; i < 50000; ++i) {
        const long long n = i * 2654435761LL * (i % 2 == 0 ? 1 : -1) * (i % 7 == 0 ? 1000003 : 1);
        ASSERT_EQ(TypeParam(tw_odd(n)).bits, ir::encodeFloat(this->type, ir::intToFloat({ir::Scalar::kInt64}, this->type, n))) << n;
        const double x = static_cast<double>(n) * 1.0000000001e-12;
        this->expectCode(TypeParam(tw_odd(x)), x);
    }
}

}  // namespace
}  // namespace tw
