// Element types: structs that hold raw bits; their arithmetic rounds as core/ir/number.h defines it.

//@ TW_DEVICE
#define TW_DEVICE __device__ __forceinline__

//@ tw_bits
template <class To, class From>
TW_DEVICE To tw_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

//@ tw_fadd tw_fmul
// Never contracted, never flushed to zero.
TW_DEVICE float tw_fadd(float a, float b)
{
    float r;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
TW_DEVICE float tw_fmul(float a, float b)
{
    float r;
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

//@ tw_odd
// To float, rounded to odd: rounding the result once more, to a narrower type, is then exact.
TW_DEVICE float tw_odd(float x) { return x; }
TW_DEVICE float tw_odd(double x)
{
    const float r = __double2float_rz(x);
    return x - x == 0.0 && double(r) != x ? __uint_as_float(__float_as_uint(r) | 1u) : r;
}
TW_DEVICE float tw_odd(long long x)
{
    const float r = __ll2float_rz(x);
    return __float2ll_rz(r) != x ? __uint_as_float(__float_as_uint(r) | 1u) : r;
}
TW_DEVICE float tw_odd(unsigned long long x)
{
    const float r = __ull2float_rz(x);
    return __float2ull_rz(r) != x ? __uint_as_float(__float_as_uint(r) | 1u) : r;
}
TW_DEVICE float tw_odd(int x) { return tw_odd((long long)x); }
TW_DEVICE float tw_odd(unsigned x) { return tw_odd((long long)x); }

//@ TW_NARROW_ARITHMETIC TW_NARROW_COMPARISONS
// Through float: it has more than twice the places, so one more rounding gives the right result.
#define TW_NARROW_COMPARISONS(T)                                                      \
    TW_DEVICE bool operator==(T a, T b) { return float(a) == float(b); }              \
    TW_DEVICE bool operator!=(T a, T b) { return float(a) != float(b); }              \
    TW_DEVICE bool operator<(T a, T b) { return float(a) < float(b); }                \
    TW_DEVICE bool operator<=(T a, T b) { return float(a) <= float(b); }              \
    TW_DEVICE bool operator>(T a, T b) { return float(a) > float(b); }                \
    TW_DEVICE bool operator>=(T a, T b) { return float(a) >= float(b); }
#define TW_NARROW_ARITHMETIC(T)                                                       \
    TW_NARROW_COMPARISONS(T)                                                          \
    TW_DEVICE T operator+(T a, T b) { return T(tw_fadd(float(a), float(b))); }        \
    TW_DEVICE T operator-(T a, T b) { return T(tw_fadd(float(a), -float(b))); }       \
    TW_DEVICE T operator*(T a, T b) { return T(tw_fmul(float(a), float(b))); }        \
    TW_DEVICE T operator/(T a, T b) { return T(__fdiv_rn(float(a), float(b))); }      \
    TW_DEVICE T operator-(T a) { return T(-float(a)); }

//@ half
struct half {
    unsigned short bits;
    half() = default;
    TW_DEVICE explicit half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    TW_DEVICE explicit operator float() const
    {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
    static TW_DEVICE half of(unsigned short b)
    {
        half h;
        h.bits = b;
        return h;
    }
};
#define TW_HALF_OPERATOR(symbol, instruction)                                                                              \
    TW_DEVICE half operator symbol(half a, half b)                                                                         \
    {                                                                                                                      \
        half r;                                                                                                            \
        asm(instruction " %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));                                         \
        return r;                                                                                                          \
    }
TW_HALF_OPERATOR(+, "add.rn.f16")
TW_HALF_OPERATOR(-, "sub.rn.f16")
TW_HALF_OPERATOR(*, "mul.rn.f16")
TW_DEVICE half operator/(half a, half b) { return half(__fdiv_rn(float(a), float(b))); }
TW_DEVICE half operator-(half a) { return half::of((unsigned short)(a.bits ^ 0x8000)); }
TW_NARROW_COMPARISONS(half)

//@ bf16
struct bf16 {
    unsigned short bits;
    bf16() = default;
    TW_DEVICE explicit bf16(float x)
    {
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
        const unsigned u = __float_as_uint(x);
        bits = (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#endif
    }
    TW_DEVICE explicit operator float() const { return __uint_as_float((unsigned)bits << 16); }
    static TW_DEVICE bf16 of(unsigned short b)
    {
        bf16 h;
        h.bits = b;
        return h;
    }
};
TW_NARROW_ARITHMETIC(bf16)

//@ tf32
// A float whose last 13 bits are zero.
struct tf32 {
    unsigned bits;
    tf32() = default;
    TW_DEVICE explicit tf32(float x)
    {
        const unsigned u = __float_as_uint(x);
        bits = (u & 0x7fffffffu) > 0x7f800000u ? (u | 0x400000u) & ~0x1fffu : (u + 0xfffu + ((u >> 13) & 1u)) & ~0x1fffu;
    }
    TW_DEVICE explicit operator float() const { return __uint_as_float(bits); }
    static TW_DEVICE tf32 of(unsigned b)
    {
        tf32 h;
        h.bits = b;
        return h;
    }
};
TW_NARROW_ARITHMETIC(tf32)

//@ tw_small
// Formats of at most 8 bits by bit arithmetic. Special: 0 infinities and NaNs under the highest exponent, 1 one NaN a sign,
// 2 the pattern of -0 is the NaN, 3 none.
template <int Exponent, int Mantissa, int Bias, int Special>
struct tw_small {
    static constexpr unsigned kMagnitudes = 1u << (Exponent + Mantissa);
    static constexpr unsigned kLargest =
        Special == 0 ? (((1u << Exponent) - 1) << Mantissa) - 1 : Special == 1 ? kMagnitudes - 2 : kMagnitudes - 1;

    static TW_DEVICE unsigned encode(float x)
    {
        const unsigned u = __float_as_uint(x);
        const unsigned magnitude = u & 0x7fffffffu;
        const unsigned sign = (u >> 31) << (Exponent + Mantissa);
        if (magnitude > 0x7f800000u)
            return Special == 3 ? kLargest : Special == 2 ? kMagnitudes : Special == 1 ? sign | (kMagnitudes - 1) : sign | (kLargest + 1) | (1u << (Mantissa - 1));
        constexpr int drop = 23 - Mantissa;
        unsigned code = (magnitude + ((1u << (drop - 1)) - 1) + ((magnitude >> drop) & 1u)) >> drop;
        code -= (unsigned)(127 - Bias) << Mantissa;
        // Subnormal results: adding a number whose unit is the smallest value rounds to it.
        constexpr unsigned unit = (unsigned)(1 - Bias - Mantissa + 23 + 127) << 23;
        if (magnitude < (unsigned)(1 - Bias + 127) << 23)
            code = __float_as_uint(tw_fadd(__uint_as_float(magnitude), __uint_as_float(unit))) - unit;
        if (magnitude >= 0x7f000000u || code > kLargest)
            code = kLargest;
        return Special == 2 && code == 0 ? 0u : code | sign;
    }
    static TW_DEVICE float decode(unsigned code)
    {
        const unsigned magnitude = code & (kMagnitudes - 1);
        const unsigned sign = (code & kMagnitudes) << (31 - Exponent - Mantissa);
        const unsigned value = __float_as_uint(tw_fmul(__uint_as_float(magnitude << (23 - Mantissa)), __uint_as_float((unsigned)(254 - Bias) << 23)));
        if (Special == 0 && magnitude > kLargest)
            return __uint_as_float(sign | (magnitude == kLargest + 1 ? 0x7f800000u : 0x7f800000u | (magnitude << (23 - Mantissa) & 0x7fffffu)));
        if ((Special == 1 && magnitude == kMagnitudes - 1) || (Special == 2 && code == kMagnitudes))
            return __uint_as_float(Special == 1 ? sign | 0x7fc00000u : 0x7fc00000u);
        return __uint_as_float(value | sign);
    }
};

//@ TW_SMALL_FLOAT
#define TW_SMALL_FLOAT(T, Format)                                                      \
    struct T {                                                                         \
        unsigned char bits;                                                            \
        T() = default;                                                                 \
        TW_DEVICE explicit T(float x) : bits((unsigned char)Format::encode(x)) {}      \
        TW_DEVICE explicit operator float() const { return Format::decode(bits); }     \
        static TW_DEVICE T of(unsigned char b)                                         \
        {                                                                              \
            T r;                                                                       \
            r.bits = b;                                                                \
            return r;                                                                  \
        }                                                                              \
    };                                                                                 \
    TW_NARROW_ARITHMETIC(T)

//@ e4m3
#if __CUDA_ARCH__ >= 890
struct tw_e4m3_format {
    static TW_DEVICE unsigned encode(float x)
    {
        unsigned short r;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.0f), "f"(x));
        return r & 0xffu;
    }
    static TW_DEVICE float decode(unsigned code)
    {
        unsigned pair;
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)code));
        return float(half::of((unsigned short)pair));
    }
};
#else
using tw_e4m3_format = tw_small<4, 3, 7, 1>;
#endif
TW_SMALL_FLOAT(e4m3, tw_e4m3_format)

//@ e5m2
#if __CUDA_ARCH__ >= 890
struct tw_e5m2_format {
    static TW_DEVICE unsigned encode(float x)
    {
        unsigned short r;
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.0f), "f"(x));
        return r & 0xffu;
    }
    static TW_DEVICE float decode(unsigned code) { return float(half::of((unsigned short)(code << 8))); }
};
#else
using tw_e5m2_format = tw_small<5, 2, 15, 0>;
#endif
TW_SMALL_FLOAT(e5m2, tw_e5m2_format)

//@ e4m3fnuz
using tw_e4m3fnuz_format = tw_small<4, 3, 8, 2>;
TW_SMALL_FLOAT(e4m3fnuz, tw_e4m3fnuz_format)

//@ e5m2fnuz
using tw_e5m2fnuz_format = tw_small<5, 2, 16, 2>;
TW_SMALL_FLOAT(e5m2fnuz, tw_e5m2fnuz_format)

//@ e4m3b11fnuz
using tw_e4m3b11fnuz_format = tw_small<4, 3, 11, 2>;
TW_SMALL_FLOAT(e4m3b11fnuz, tw_e4m3b11fnuz_format)

//@ e3m4
using tw_e3m4_format = tw_small<3, 4, 3, 0>;
TW_SMALL_FLOAT(e3m4, tw_e3m4_format)

//@ e2m3
using tw_e2m3_format = tw_small<2, 3, 1, 3>;
TW_SMALL_FLOAT(e2m3, tw_e2m3_format)

//@ e3m2
using tw_e3m2_format = tw_small<3, 2, 3, 3>;
TW_SMALL_FLOAT(e3m2, tw_e3m2_format)

//@ e2m1
using tw_e2m1_format = tw_small<2, 1, 1, 3>;
TW_SMALL_FLOAT(e2m1, tw_e2m1_format)

//@ e8m0
// A power of two: no sign, no zero, 0xff is the NaN.
struct tw_e8m0_format {
    static TW_DEVICE unsigned encode(float x)
    {
        if (x == 0.0f)
            return 0;
        if (!(x > 0.0f))
            return 0xff;
        if (x <= __uint_as_float(0x400000u))
            return 0;
        unsigned long long u = tw_bits<unsigned long long>(double(x));
        u += (1ull << 51) - 1 + ((u >> 52) & 1u);
        const unsigned code = (unsigned)(u >> 52) - (1023 - 127);
        return code > 254 ? 254 : code;
    }
    static TW_DEVICE float decode(unsigned code)
    {
        return __uint_as_float(code == 0 ? 0x400000u : code == 0xff ? 0x7fc00000u : code << 23);
    }
};
TW_SMALL_FLOAT(e8m0, tw_e8m0_format)

//@ tw_small_half
// An integer in [-512, 511]: 1536 + x in half precision is the pattern 0x6600 + x.
TW_DEVICE half tw_small_half(int x) { return half::of((unsigned short)(0x6600 + x)) - half::of(0x6600); }

//@ tw_small_bf16
// An integer in [-128, 256]: 2^23 + 2^22 + x in float is the pattern 0x4b400000 + x; x has so few bits that the upper half of its float is
// all of it.
TW_DEVICE bf16 tw_small_bf16(int x)
{
    return bf16::of((unsigned short)(__float_as_uint(tw_fadd(__uint_as_float(0x4b400000u + x), -12582912.0f)) >> 16));
}
