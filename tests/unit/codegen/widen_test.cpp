// The device prelude's conversions of narrow numbers, a word at a time, against core/ir/number: every pattern at every place of a word.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "core/ir/number.h"

// What the sections use of CUDA, below sm_89.
#define TW_DEVICE inline
#define __CUDA_ARCH__ 800
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
// PTX ISA, prmt: each nibble of the selector names one of the eight bytes.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    unsigned result = 0;
    for (int k = 0; k < 4; ++k) {
        const unsigned from = selector >> (4 * k) & 7;
        result |= ((from < 4 ? a >> (8 * from) : b >> (8 * (from - 4))) & 0xff) << (8 * k);
    }
    return result;
}
inline float tw_fadd(float a, float b) { return a + b; }
struct half {
    unsigned short bits;
    static half of(unsigned short b) { return {b}; }
};
struct bf16 {
    unsigned short bits;
    static bf16 of(unsigned short b) { return {b}; }
};
double valueOf(half h) { return tw::ir::decodeFloat(tw::ir::kFloat16, h.bits); }
double valueOf(bf16 h) { return tw::ir::decodeFloat(tw::ir::kBFloat16, h.bits); }
half operator-(half a, half b) { return {static_cast<unsigned short>(tw::ir::encodeFloat(tw::ir::kFloat16, valueOf(a) - valueOf(b)))}; }
template <class F>
unsigned eachHalf(unsigned a, unsigned b, F f)
{
    unsigned result = 0;
    for (int k = 0; k < 2; ++k) {
        const half x{static_cast<unsigned short>(a >> (16 * k))}, y{static_cast<unsigned short>(b >> (16 * k))};
        result |= static_cast<unsigned>(tw::ir::encodeFloat(tw::ir::kFloat16, f(valueOf(x), valueOf(y))) & 0xffff) << (16 * k);
    }
    return result;
}
inline unsigned tw_bf16x2_scale(unsigned pair, unsigned scale)
{
    unsigned result = 0;
    for (int k = 0; k < 2; ++k) {
        const bf16 x{static_cast<unsigned short>(pair >> (16 * k))}, y{static_cast<unsigned short>(scale)};
        result |= static_cast<unsigned>(tw::ir::encodeFloat(tw::ir::kBFloat16, valueOf(x) * valueOf(y)) & 0xffff) << (16 * k);
    }
    return result;
}
inline unsigned tw_half2_sub(unsigned a, unsigned b) { return eachHalf(a, b, [](double x, double y) { return x - y; }); }
inline unsigned tw_half2_mul(unsigned a, unsigned b) { return eachHalf(a, b, [](double x, double y) { return x * y; }); }
using std::memcpy;
#include "host_widen.h"
}  // namespace

namespace tw {
namespace {

template <class T>
void expectValue(T got, double want, int code)
{
    if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(valueOf(got))) << "code " << code;
        return;
    }
    EXPECT_EQ(valueOf(got), want) << "code " << code;
    EXPECT_EQ(std::signbit(valueOf(got)), std::signbit(want)) << "code " << code;
}

// `convert` turns 8 neighbours; each code stands at each of the 8 places, with others around it.
template <class Convert>
void expectAll(int bits, Convert convert, double (*value)(int code))
{
    const int codes = 1 << bits;
    for (int code = 0; code < codes; ++code)
        for (int place = 0; place < 8; ++place) {
            std::vector<unsigned char> memory(8, 0);
            std::vector<int> all(8);
            for (int k = 0; k < 8; ++k) {
                all[static_cast<std::size_t>(k)] = k == place ? code : (code * 7 + k * 13 + 5) % codes;
                const auto byte = static_cast<std::size_t>(k * bits / 8);
                memory[byte] = static_cast<unsigned char>(memory[byte] | all[static_cast<std::size_t>(k)] << (k * bits % 8));
            }
            const auto result = convert(memory.data());
            for (int k = 0; k < 8; ++k)
                expectValue(result.e[k], value(all[static_cast<std::size_t>(k)]), all[static_cast<std::size_t>(k)]);
        }
}

double s4(int code) { return code < 8 ? code : code - 16; }
double u4(int code) { return code; }
double s8(int code) { return code < 128 ? code : code - 256; }
double e4m3(int code) { return ir::decodeFloat(*ir::parseDType("float8_e4m3fn"), static_cast<std::uint64_t>(code)); }
double e5m2(int code) { return ir::decodeFloat(*ir::parseDType("float8_e5m2"), static_cast<std::uint64_t>(code)); }
double e2m1(int code) { return ir::decodeFloat(*ir::parseDType("float4_e2m1fn"), static_cast<std::uint64_t>(code)); }

TEST(Widen, IntegersToHalf)
{
    expectAll(4, [](const void* p) { return tw_widen_int<half, 8, 4, true>(p); }, s4);
    expectAll(4, [](const void* p) { return tw_widen_int<half, 8, 4, false>(p); }, u4);
    expectAll(8, [](const void* p) { return tw_widen_int<half, 8, 8, true>(p); }, s8);
    expectAll(8, [](const void* p) { return tw_widen_int<half, 8, 8, false>(p); }, u4);
}

TEST(Widen, IntegersToBfloat)
{
    expectAll(4, [](const void* p) { return tw_widen_int<bf16, 8, 4, true>(p); }, s4);
    expectAll(4, [](const void* p) { return tw_widen_int<bf16, 8, 4, false>(p); }, u4);
    expectAll(8, [](const void* p) { return tw_widen_int<bf16, 8, 8, true>(p); }, s8);
    expectAll(8, [](const void* p) { return tw_widen_int<bf16, 8, 8, false>(p); }, u4);
}

TEST(Widen, FloatsToHalf)
{
    expectAll(8, [](const void* p) { return tw_widen_e4m3<half, 8>(p); }, e4m3);
    expectAll(8, [](const void* p) { return tw_widen_e5m2<half, 8>(p); }, e5m2);
    expectAll(4, [](const void* p) { return tw_widen_e2m1<half, 8>(p); }, e2m1);
}

TEST(Widen, FloatsToBfloat)
{
    expectAll(8, [](const void* p) { return tw_widen_e4m3<bf16, 8>(p); }, e4m3);
    expectAll(8, [](const void* p) { return tw_widen_e5m2<bf16, 8>(p); }, e5m2);
    expectAll(4, [](const void* p) { return tw_widen_e2m1<bf16, 8>(p); }, e2m1);
}

// Fewer elements than a word has.
TEST(Widen, PartsOfAWord)
{
    const unsigned char bytes[2] = {0x9f, 0x21};
    const auto four = tw_widen_int<half, 4, 4, true>(bytes);
    const double want[] = {-1, -7, 1, 2};
    for (int k = 0; k < 4; ++k)
        EXPECT_EQ(valueOf(four.e[k]), want[k]);
    EXPECT_EQ(valueOf(tw_widen_int<bf16, 2, 8, true>(bytes).e[0]), -97);
    EXPECT_EQ(valueOf(tw_widen_e2m1<half, 4>(bytes).e[3]), 1.0);
}

TEST(Widen, SmallIntegers)
{
    for (int x = -512; x < 512; ++x)
        expectValue(tw_small_half(x), x, x);
    for (int x = -256; x <= 256; ++x)
        expectValue(tw_small_bf16(x), x, x);
}

}  // namespace
}  // namespace tw
