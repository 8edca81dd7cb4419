// The device prelude of generated CUDA: small wrappers over PTX, no headers.
//
// A line "//@ name …" begins a section and lists what it defines. A kernel gets the sections that it uses and those that they
// use, in this order (codegen/cuda/prelude.h); what stands before the first section is not emitted.
// Element types are structs that hold raw bits; their arithmetic rounds as core/ir/number.h defines it.

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

//@ tw_trunc
// Float to integer: towards zero, limited to the type's range, NaN gives 0.
template <class T>
TW_DEVICE T tw_trunc(float x)
{
    constexpr bool isSigned = T(-1) < T(0);
    if constexpr (sizeof(T) == 8)
        return x != x ? T(0) : isSigned ? T(__float2ll_rz(x)) : T(__float2ull_rz(x));
    else if constexpr (sizeof(T) == 4)
        return isSigned ? T(__float2int_rz(x)) : T(__float2uint_rz(x));
    else if constexpr (isSigned)
        return T(max(-(1 << (8 * sizeof(T) - 1)), min((1 << (8 * sizeof(T) - 1)) - 1, __float2int_rz(x))));
    else
        return T(min((1u << (8 * sizeof(T))) - 1, __float2uint_rz(x)));
}
template <class T>
TW_DEVICE T tw_trunc(double x)
{
    constexpr bool isSigned = T(-1) < T(0);
    if (x != x)
        return T(0);
    if constexpr (sizeof(T) == 8)
        return isSigned ? T(__double2ll_rz(x)) : T(__double2ull_rz(x));
    else if constexpr (sizeof(T) == 4)
        return isSigned ? T(__double2int_rz(x)) : T(__double2uint_rz(x));
    else if constexpr (isSigned)
        return T(max(-(1 << (8 * sizeof(T) - 1)), min((1 << (8 * sizeof(T) - 1)) - 1, __double2int_rz(x))));
    else
        return T(min((1u << (8 * sizeof(T))) - 1, __double2uint_rz(x)));
}

//@ tw_trunc_s4
TW_DEVICE signed char tw_trunc_s4(float x) { return (signed char)max(-8, min(7, __float2int_rz(x))); }

//@ tw_trunc_u4
TW_DEVICE unsigned char tw_trunc_u4(float x) { return (unsigned char)min(15u, __float2uint_rz(x)); }

//@ tw_wrap_s4
TW_DEVICE signed char tw_wrap_s4(int x) { return (signed char)((int)((unsigned)x << 28) >> 28); }

//@ tw_wrap_add tw_wrap_sub tw_wrap_mul
// Signed arithmetic that wraps.
TW_DEVICE int tw_wrap_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
TW_DEVICE int tw_wrap_sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
TW_DEVICE int tw_wrap_mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
TW_DEVICE long long tw_wrap_add(long long a, long long b) { return (long long)((unsigned long long)a + (unsigned long long)b); }
TW_DEVICE long long tw_wrap_sub(long long a, long long b) { return (long long)((unsigned long long)a - (unsigned long long)b); }
TW_DEVICE long long tw_wrap_mul(long long a, long long b) { return (long long)((unsigned long long)a * (unsigned long long)b); }

//@ tw_floordiv tw_floormod
// Python's signs; a division by zero gives 0.
template <class T>
TW_DEVICE T tw_floordiv(T a, T b)
{
    constexpr bool isSigned = T(-1) < T(0);
    if (b == T(0))
        return T(0);
    if constexpr (isSigned) {
        if (b == T(-1))
            return T(0) - a;
        const T q = T(a / b);
        return T(q * b) != a && (a < T(0)) != (b < T(0)) ? T(q - T(1)) : q;
    } else {
        return T(a / b);
    }
}
template <class T>
TW_DEVICE T tw_floormod(T a, T b)
{
    constexpr bool isSigned = T(-1) < T(0);
    if (b == T(0))
        return T(0);
    if constexpr (isSigned) {
        if (b == T(-1))
            return T(0);
        const T r = T(a % b);
        return r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;
    } else {
        return T(a % b);
    }
}

//@ tw_truncdiv tw_truncmod
template <class T>
TW_DEVICE T tw_truncdiv(T a, T b)
{
    constexpr bool isSigned = T(-1) < T(0);
    return b == T(0) ? T(0) : isSigned && b == T(-1) ? T(T(0) - a) : T(a / b);
}
template <class T>
TW_DEVICE T tw_truncmod(T a, T b)
{
    constexpr bool isSigned = T(-1) < T(0);
    return b == T(0) || (isSigned && b == T(-1)) ? T(0) : T(a % b);
}

//@ tw_ffloormod
TW_DEVICE float tw_ffloormod(float a, float b)
{
    const float r = fmodf(a, b);
    return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
}
TW_DEVICE double tw_ffloormod(double a, double b)
{
    const double r = fmod(a, b);
    return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}

//@ tw_shl tw_shr
// Shifts by less than 0 or more than the width are defined.
template <class T>
TW_DEVICE T tw_shl(T a, T n)
{
    return (unsigned long long)n > 63 ? T(0) : T((unsigned long long)a << (int)n);
}
template <class T>
TW_DEVICE T tw_shr(T a, T n)
{
    constexpr bool isSigned = T(-1) < T(0);
    if constexpr (isSigned)
        return T((long long)a >> ((unsigned long long)n > 63 ? 63 : (int)n));
    else
        return (unsigned long long)n > 63 ? T(0) : T((unsigned long long)a >> (int)n);
}

//@ tw_is_nan tw_is_inf tw_is_finite
// On the bits, so that fast math cannot assume the answer.
TW_DEVICE bool tw_is_nan(float x) { return (__float_as_uint(x) & 0x7fffffffu) > 0x7f800000u; }
TW_DEVICE bool tw_is_inf(float x) { return (__float_as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
TW_DEVICE bool tw_is_finite(float x) { return (__float_as_uint(x) & 0x7fffffffu) < 0x7f800000u; }
TW_DEVICE bool tw_is_nan(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) > 0x7ff0000000000000ll; }
TW_DEVICE bool tw_is_inf(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) == 0x7ff0000000000000ll; }
TW_DEVICE bool tw_is_finite(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) < 0x7ff0000000000000ll; }

//@ tw_sigmoid
TW_DEVICE float tw_sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
TW_DEVICE double tw_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

//@ tw_fast_rcp
TW_DEVICE float tw_fast_rcp(float x)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

//@ tw_fma
TW_DEVICE half tw_fma(half a, half b, half c)
{
    half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
template <class T>
TW_DEVICE T tw_fma(T a, T b, T c)
{
    return T(tw_odd(fma(double(float(a)), double(float(b)), double(float(c)))));
}

//@ tw_next_after
// The number after `a` towards `b`, of a type with the bit patterns of IEEE's formats.
template <class T>
TW_DEVICE T tw_next_after(T a, T b)
{
    const float x = float(a), y = float(b);
    if (x != x || y != y)
        return T(x + y);
    if (x == y)
        return b;
    T r = a;
    constexpr unsigned sign = 1u << (8 * sizeof(T) - 1);
    if (x == 0.0f)
        r.bits = (decltype(r.bits))(1u | (y < 0.0f ? sign : 0u));
    else
        r.bits = (decltype(r.bits))(r.bits + ((x < y) == (x > 0.0f) ? 1 : -1));
    return r;
}

//@ tw_ipow
template <class T>
TW_DEVICE T tw_ipow(T base, T exponent)
{
    unsigned long long b = (unsigned long long)base, r = exponent < T(0) ? 0 : 1;
    for (long long e = (long long)exponent; e > 0; e >>= 1, b *= b)
        if (e & 1)
            r *= b;
    return (T)r;
}

//@ tw_fns
TW_DEVICE unsigned tw_fns(unsigned mask, int base, int offset)
{
    if (offset == 0)
        return base >= 0 && base < 32 && ((mask >> base) & 1u) ? (unsigned)base : 0xffffffffu;
    const int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;
    for (int at = base; at >= 0 && at < 32; at += step)
        if (((mask >> at) & 1u) && --left == 0)
            return (unsigned)at;
    return 0xffffffffu;
}

//@ vec
// Neighbouring elements that move at once.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vec {
    T e[N];
    TW_DEVICE T& operator[](int i) { return e[i]; }
    TW_DEVICE const T& operator[](int i) const { return e[i]; }
};

//@ tw_vec_fill tw_vec_ramp tw_vec_map
template <int N, class T>
TW_DEVICE vec<T, N> tw_vec_fill(T value)
{
    vec<T, N> r;
#pragma unroll
    for (int i = 0; i < N; ++i)
        r.e[i] = value;
    return r;
}
template <int N, class T>
TW_DEVICE vec<T, N> tw_vec_ramp(T base, T stride)
{
    vec<T, N> r;
#pragma unroll
    for (int i = 0; i < N; ++i)
        r.e[i] = T(base + T(i) * stride);
    return r;
}
template <int N, class F>
TW_DEVICE auto tw_vec_map(F f)
{
    vec<decltype(f(0)), N> r;
#pragma unroll
    for (int i = 0; i < N; ++i)
        r.e[i] = f(i);
    return r;
}

//@ tw_load tw_store tw_word
// One access as wide as the value (of 16 bytes each beyond that); the address is a multiple of it.
template <int Bytes>
struct tw_word {
    using type = uint4;
};
template <>
struct tw_word<1> {
    using type = unsigned char;
};
template <>
struct tw_word<2> {
    using type = unsigned short;
};
template <>
struct tw_word<4> {
    using type = unsigned;
};
template <>
struct tw_word<8> {
    using type = uint2;
};
template <class V>
TW_DEVICE V tw_load(const void* address)
{
    using word = typename tw_word<(int)sizeof(V)>::type;
    static_assert(sizeof(V) % sizeof(word) == 0, "whole words");
    V value;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(V) / sizeof(word)); ++i) {
        const word w = static_cast<const word*>(address)[i];
        memcpy(reinterpret_cast<char*>(&value) + i * sizeof(word), &w, sizeof(word));
    }
    return value;
}
template <class V>
TW_DEVICE void tw_store(void* address, V value)
{
    using word = typename tw_word<(int)sizeof(V)>::type;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(V) / sizeof(word)); ++i) {
        word w;
        memcpy(&w, reinterpret_cast<const char*>(&value) + i * sizeof(word), sizeof(word));
        static_cast<word*>(address)[i] = w;
    }
}

//@ tw_half2_sub tw_half2_mul
// Two halves in a word.
TW_DEVICE unsigned tw_half2_sub(unsigned a, unsigned b)
{
    unsigned r;
    asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
TW_DEVICE unsigned tw_half2_mul(unsigned a, unsigned b)
{
    unsigned r;
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

//@ tw_narrow_words tw_nibbles
// The words of Bytes bytes, zero behind them; those of nibbles with every nibble in a byte of its own, in order.
template <int Bytes>
struct tw_narrow_words {
    unsigned w[(Bytes + 3) / 4] = {};
    TW_DEVICE explicit tw_narrow_words(const void* from) { memcpy(w, from, Bytes); }
};
TW_DEVICE unsigned tw_nibbles(unsigned w, int half)
{
    return __byte_perm(w & 0x0f0f0f0fu, w >> 4 & 0x0f0f0f0fu, half == 0 ? 0x5140 : 0x7362);
}

//@ tw_widen_int tw_widen_bytes
// N integers of 4 or 8 bits. A byte x becomes the lowest byte of a number whose unit is 1, from which that number is subtracted: 1024 + x in
// half precision (two at a time), 2^23 + x in float, of which bfloat16 takes the upper half. Signed ones are first moved to begin at 0.
TW_DEVICE void tw_widen_bytes(unsigned bytes, unsigned offset, half* to)
{
    const unsigned bias = (0x6400u + offset) * 0x10001u;
    const unsigned pair[2] = {tw_half2_sub(__byte_perm(bytes, 0x64646464u, 0x4140), bias), tw_half2_sub(__byte_perm(bytes, 0x64646464u, 0x4342), bias)};
    memcpy(to, pair, 8);
}
TW_DEVICE void tw_widen_bytes(unsigned bytes, unsigned offset, bf16* to)
{
    const float bias = __uint_as_float(0x4b000000u + offset);
    unsigned f[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        f[k] = __float_as_uint(tw_fadd(__uint_as_float(__byte_perm(bytes, 0x4b000000u, 0x7540 + k)), -bias));
    const unsigned pair[2] = {__byte_perm(f[0], f[1], 0x7632), __byte_perm(f[2], f[3], 0x7632)};
    memcpy(to, pair, 8);
}
template <class To, int N, int Bits, bool Signed>
TW_DEVICE vec<To, N> tw_widen_int(const void* from)
{
    const tw_narrow_words<N * Bits / 8> in(from);
    constexpr unsigned offset = Signed ? 1u << (Bits - 1) : 0u;
    To all[(N + 7) / 8 * 8];
#pragma unroll
    for (int k = 0; k < (N + 3) / 4; ++k) {
        const unsigned w = in.w[Bits == 4 ? k / 2 : k] ^ (Signed ? Bits == 4 ? 0x88888888u : 0x80808080u : 0u);
        tw_widen_bytes(Bits == 4 ? tw_nibbles(w, k % 2) : w, offset, all + 4 * k);
    }
    vec<To, N> r;
    memcpy(&r, all, sizeof(r));
    return r;
}

//@ tw_widen_e5m2
// The upper half of a half.
template <int N>
TW_DEVICE vec<half, N> tw_widen_e5m2(const void* from)
{
    const tw_narrow_words<N> in(from);
    unsigned all[(N + 3) / 4 * 2];
#pragma unroll
    for (int k = 0; k < (N + 1) / 2; ++k)
        all[k] = __byte_perm(in.w[k / 2], 0u, k % 2 == 0 ? 0x1404 : 0x3424);
    vec<half, N> r;
    memcpy(&r, all, sizeof(r));
    return r;
}

//@ tw_widen_e4m3 tw_widen_e4m3_pair
// From sm_89 on an instruction. Before: exponent and mantissa moved to their places, times 2^8 for the difference of the biases; the last
// code is the NaN.
TW_DEVICE unsigned tw_widen_e4m3_pair(unsigned codes)
{
#if __CUDA_ARCH__ >= 890
    unsigned pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)codes));
    return pair;
#else
    const unsigned h = __byte_perm(codes, 0u, 0x1404), magnitude = h & 0x7f007f00u;
    return tw_half2_mul((h & 0x80008000u) | magnitude >> 1, 0x5c005c00u) | ((magnitude + 0x01000100u) >> 15 & 0x00010001u) * 0x7fffu;
#endif
}
template <int N>
TW_DEVICE vec<half, N> tw_widen_e4m3(const void* from)
{
    const tw_narrow_words<N> in(from);
    unsigned all[(N + 3) / 4 * 2];
#pragma unroll
    for (int k = 0; k < (N + 1) / 2; ++k)
        all[k] = tw_widen_e4m3_pair(in.w[k / 2] >> 16 * (k % 2));
    vec<half, N> r;
    memcpy(&r, all, sizeof(r));
    return r;
}

//@ tw_widen_e2m1
// As e4m3: the biases are 14 apart.
template <int N>
TW_DEVICE vec<half, N> tw_widen_e2m1(const void* from)
{
    const tw_narrow_words<N / 2> in(from);
    unsigned all[(N + 7) / 8 * 4];
#pragma unroll
    for (int k = 0; k < (N + 1) / 2; ++k) {
        const unsigned h = __byte_perm(tw_nibbles(in.w[k / 4], k / 2 % 2), 0u, k % 2 == 0 ? 0x1404 : 0x3424);
        all[k] = tw_half2_mul((h & 0x08000800u) << 4 | (h & 0x07000700u) << 1, 0x74007400u);
    }
    vec<half, N> r;
    memcpy(&r, all, sizeof(r));
    return r;
}

//@ tw_load_u4 tw_load_s4 tw_store_4 tw_store_4_atomic
// Elements of four bits, the first in the low half of a byte.
TW_DEVICE unsigned char tw_load_u4(const unsigned char* base, long long index)
{
    return (unsigned char)(base[index >> 1] >> (4 * (int)(index & 1)) & 15);
}
TW_DEVICE signed char tw_load_s4(const unsigned char* base, long long index)
{
    return (signed char)((int)((unsigned)tw_load_u4(base, index) << 28) >> 28);
}
TW_DEVICE void tw_store_4(unsigned char* base, long long index, unsigned value)
{
    const int shift = 4 * (int)(index & 1);
    base[index >> 1] = (unsigned char)((base[index >> 1] & ~(15 << shift)) | (value & 15u) << shift);
}
// Memory that other threads write too: the neighbour in the byte is theirs.
TW_DEVICE void tw_store_4_atomic(unsigned char* base, long long index, unsigned value)
{
    const unsigned long long address = (unsigned long long)(base + (index >> 1));
    unsigned* word = (unsigned*)(address & ~3ull);
    const int shift = 8 * (int)(address & 3u) + 4 * (int)(index & 1);
    atomicAnd(word, ~(15u << shift));
    atomicOr(word, (value & 15u) << shift);
}

//@ tw_shared
TW_DEVICE unsigned tw_shared(const void* address) { return (unsigned)__cvta_generic_to_shared(address); }

//@ tw_ldmatrix_x1 tw_ldmatrix_x2 tw_ldmatrix_x4 tw_ldmatrix_x1_trans tw_ldmatrix_x2_trans tw_ldmatrix_x4_trans
#define TW_LDMATRIX(suffix, infix)                                                                                              \
    TW_DEVICE void tw_ldmatrix_x1##suffix(void* to, const void* row)                                                            \
    {                                                                                                                           \
        unsigned* d = static_cast<unsigned*>(to);                                                                               \
        asm volatile("ldmatrix.sync.aligned.m8n8.x1" infix ".shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(tw_shared(row)) : "memory"); \
    }                                                                                                                           \
    TW_DEVICE void tw_ldmatrix_x2##suffix(void* to, const void* row)                                                            \
    {                                                                                                                           \
        unsigned* d = static_cast<unsigned*>(to);                                                                               \
        asm volatile("ldmatrix.sync.aligned.m8n8.x2" infix ".shared.b16 {%0, %1}, [%2];"                                        \
                     : "=r"(d[0]), "=r"(d[1]) : "r"(tw_shared(row)) : "memory");                                                \
    }                                                                                                                           \
    TW_DEVICE void tw_ldmatrix_x4##suffix(void* to, const void* row)                                                            \
    {                                                                                                                           \
        unsigned* d = static_cast<unsigned*>(to);                                                                               \
        asm volatile("ldmatrix.sync.aligned.m8n8.x4" infix ".shared.b16 {%0, %1, %2, %3}, [%4];"                                \
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(tw_shared(row)) : "memory");                        \
    }
TW_LDMATRIX(, "")
TW_LDMATRIX(_trans, ".trans")

//@ tw_stmatrix_x1 tw_stmatrix_x2 tw_stmatrix_x4 tw_stmatrix_x1_trans tw_stmatrix_x2_trans tw_stmatrix_x4_trans
#define TW_STMATRIX(suffix, infix)                                                                                              \
    TW_DEVICE void tw_stmatrix_x1##suffix(void* row, const void* from)                                                          \
    {                                                                                                                           \
        const unsigned* s = static_cast<const unsigned*>(from);                                                                 \
        asm volatile("stmatrix.sync.aligned.m8n8.x1" infix ".shared.b16 [%0], {%1};" ::"r"(tw_shared(row)), "r"(s[0]) : "memory"); \
    }                                                                                                                           \
    TW_DEVICE void tw_stmatrix_x2##suffix(void* row, const void* from)                                                          \
    {                                                                                                                           \
        const unsigned* s = static_cast<const unsigned*>(from);                                                                 \
        asm volatile("stmatrix.sync.aligned.m8n8.x2" infix ".shared.b16 [%0], {%1, %2};"                                        \
                     ::"r"(tw_shared(row)), "r"(s[0]), "r"(s[1]) : "memory");                                                   \
    }                                                                                                                           \
    TW_DEVICE void tw_stmatrix_x4##suffix(void* row, const void* from)                                                          \
    {                                                                                                                           \
        const unsigned* s = static_cast<const unsigned*>(from);                                                                 \
        asm volatile("stmatrix.sync.aligned.m8n8.x4" infix ".shared.b16 [%0], {%1, %2, %3, %4};"                                \
                     ::"r"(tw_shared(row)), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]) : "memory");                             \
    }
TW_STMATRIX(, "")
TW_STMATRIX(_trans, ".trans")

//@ tw_cp_async
// Bytes that `wanted` excludes become zero.
template <int Bytes>
TW_DEVICE void tw_cp_async(void* to, const void* from, bool wanted = true)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tw_shared(to)), "l"(from), "r"(wanted ? 16 : 0) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(tw_shared(to)), "l"(from), "n"(Bytes), "r"(wanted ? Bytes : 0) : "memory");
#else
    using word = typename tw_word<Bytes>::type;
    *static_cast<word*>(to) = wanted ? *static_cast<const word*>(from) : word{};
#endif
}

//@ tw_cp_async_commit tw_cp_async_wait
#if __CUDA_ARCH__ >= 800
TW_DEVICE void tw_cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
TW_DEVICE void tw_cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
#else
TW_DEVICE void tw_cp_async_commit() {}
template <int N>
TW_DEVICE void tw_cp_async_wait()
{
}
#endif

//@ tw_bar_sync tw_bar_arrive
TW_DEVICE void tw_bar_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
TW_DEVICE void tw_bar_arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

//@ tw_mbarrier_init tw_mbarrier_arrive tw_mbarrier_wait tw_mbarrier_arrive_cp_async
#if __CUDA_ARCH__ >= 800
TW_DEVICE void tw_mbarrier_init(unsigned long long* barrier, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(tw_shared(barrier)), "r"(count) : "memory");
}
TW_DEVICE void tw_mbarrier_arrive(unsigned long long* barrier)
{
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(tw_shared(barrier)) : "memory");
}
// Until the phase with this parity has completed.
TW_DEVICE void tw_mbarrier_wait(unsigned long long* barrier, int parity)
{
    unsigned done;
    do {
#if __CUDA_ARCH__ >= 900
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
#else
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
#endif
                     : "=r"(done) : "r"(tw_shared(barrier)), "r"(parity & 1) : "memory");
    } while (!done);
}
TW_DEVICE void tw_mbarrier_arrive_cp_async(unsigned long long* barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(tw_shared(barrier)) : "memory");
}
#else
// Low word: arrivals that are pending; high word: the count of a phase times two, plus the parity of the current one.
TW_DEVICE void tw_mbarrier_init(unsigned long long* barrier, int count)
{
    *barrier = (unsigned long long)(unsigned)count | (unsigned long long)(unsigned)count << 33;
}
TW_DEVICE void tw_mbarrier_arrive(unsigned long long* barrier)
{
    unsigned* word = reinterpret_cast<unsigned*>(barrier);
    __threadfence_block();
    if (atomicSub(&word[0], 1u) == 1u) {
        atomicExch(&word[0], word[1] >> 1);
        __threadfence_block();
        atomicXor(&word[1], 1u);
    }
}
TW_DEVICE void tw_mbarrier_wait(unsigned long long* barrier, int parity)
{
    volatile unsigned* word = reinterpret_cast<volatile unsigned*>(barrier);
    while ((word[1] & 1u) == (unsigned)(parity & 1)) {
    }
    __threadfence_block();
}
TW_DEVICE void tw_mbarrier_arrive_cp_async(unsigned long long* barrier) { tw_mbarrier_arrive(barrier); }
#endif

//@ tw_mbarrier_expect_tx tw_mbarrier_arrive_expect_tx
TW_DEVICE void tw_mbarrier_expect_tx(unsigned long long* barrier, int bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(tw_shared(barrier)), "r"(bytes) : "memory");
}
TW_DEVICE void tw_mbarrier_arrive_expect_tx(unsigned long long* barrier, int bytes)
{
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(tw_shared(barrier)), "r"(bytes) : "memory");
}

//@ tw_mbarrier_arrive_remote
TW_DEVICE void tw_mbarrier_arrive_remote(unsigned long long* barrier, int rank)
{
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}"
                 ::"r"(tw_shared(barrier)), "r"(rank) : "memory");
}

//@ tw_fence_barrier_init
TW_DEVICE void tw_fence_barrier_init()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
    __threadfence_block();
#endif
}

//@ tw_fence_proxy_async
TW_DEVICE void tw_fence_proxy_async()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

//@ tw_cluster_rank tw_cluster_arrive tw_cluster_arrive_relaxed tw_cluster_wait tw_cluster_sync tw_remote
TW_DEVICE int tw_cluster_rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return (int)r;
}
TW_DEVICE void tw_cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
TW_DEVICE void tw_cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
TW_DEVICE void tw_cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
TW_DEVICE void tw_cluster_sync()
{
    tw_cluster_arrive();
    tw_cluster_wait();
}
// The same address in the shared memory of another block of the cluster.
template <class T>
TW_DEVICE T* tw_remote(T* address, int rank)
{
    T* r;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(address), "r"(rank));
    return r;
}

//@ tw_elect
// Whether this thread is the one that acts for its group of `threads`.
TW_DEVICE bool tw_elect(int thread, int threads) { return thread % threads == 0; }

//@ tw_set_max_registers
template <int N, bool Increase>
TW_DEVICE void tw_set_max_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    if constexpr (Increase)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
#endif
}

//@ tw_pdl_trigger tw_pdl_sync
// Without the feature the launch before has ended when this one begins.
#if __CUDA_ARCH__ >= 900
TW_DEVICE void tw_pdl_trigger() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
TW_DEVICE void tw_pdl_sync() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#else
TW_DEVICE void tw_pdl_trigger() {}
TW_DEVICE void tw_pdl_sync() {}
#endif

//@ tw_tensor_map
struct alignas(64) tw_tensor_map {
    unsigned long long opaque[16];
};

//@ tw_cache_hint
// Policies of the L2 cache.
TW_DEVICE constexpr unsigned long long tw_cache_hint(int policy)
{
    return policy == 1 ? 0x12F0000000000000ull : policy == 2 ? 0x14F0000000000000ull : 0x1000000000000000ull;
}

//@ tw_tma_store_commit tw_tma_store_wait tw_tma_store_wait_read
TW_DEVICE void tw_tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N>
TW_DEVICE void tw_tma_store_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N>
TW_DEVICE void tw_tma_store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

//@ tw_wgmma_arrive tw_wgmma_commit tw_wgmma_wait tw_wgmma_keep
TW_DEVICE void tw_wgmma_arrive() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
TW_DEVICE void tw_wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
TW_DEVICE void tw_wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
// Keeps the compiler from moving these registers across.
template <int N>
TW_DEVICE void tw_wgmma_keep(void* registers)
{
    unsigned* r = static_cast<unsigned*>(registers);
#pragma unroll
    for (int i = 0; i < N; ++i)
        asm volatile("" : "+r"(r[i])::"memory");
}

//@ tw_wgmma_descriptor
// A matrix in shared memory: start and offsets in bytes; swizzle 0, 32, 64 or 128 bytes.
TW_DEVICE unsigned long long tw_wgmma_descriptor(const void* start, int leading, int stride, int swizzle)
{
    const unsigned long long code = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return (unsigned long long)((tw_shared(start) & 0x3ffffu) >> 4) | (unsigned long long)((leading & 0x3ffff) >> 4) << 16 |
           (unsigned long long)((stride & 0x3ffff) >> 4) << 32 | code << 62;
}

//@ tw_grid_sync
// All blocks of the launch meet. The counter starts at zero; its top bit flips when the last block has come.
TW_DEVICE void tw_grid_sync(unsigned* counter)
{
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
        const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
        __threadfence();
        const unsigned before = atomicAdd(counter, first ? 0x80000000u - (blocks - 1) : 1u);
        while (((*static_cast<volatile unsigned*>(counter) ^ before) & 0x80000000u) == 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

//@ tw_shfl tw_shfl_xor tw_shfl_down tw_shfl_up
template <class T, class F>
TW_DEVICE T tw_exchange(T value, F shuffle)
{
    if constexpr (sizeof(T) == 8) {
        const unsigned long long bits = tw_bits<unsigned long long>(value);
        const unsigned low = shuffle((unsigned)bits), high = shuffle((unsigned)(bits >> 32));
        return tw_bits<T>((unsigned long long)high << 32 | low);
    } else if constexpr (sizeof(T) == 4) {
        return tw_bits<T>(shuffle(tw_bits<unsigned>(value)));
    } else if constexpr (sizeof(T) == 2) {
        return tw_bits<T>((unsigned short)shuffle(tw_bits<unsigned short>(value)));
    } else if constexpr (sizeof(T) == 1) {
        return tw_bits<T>((unsigned char)shuffle(tw_bits<unsigned char>(value)));
    } else {
        static_assert(sizeof(T) == 16, "1, 2, 4, 8 or 16 bytes");
        uint4 bits = tw_bits<uint4>(value);
        bits.x = shuffle(bits.x), bits.y = shuffle(bits.y), bits.z = shuffle(bits.z), bits.w = shuffle(bits.w);
        return tw_bits<T>(bits);
    }
}
template <class T>
TW_DEVICE T tw_shfl(T value, int lane, int width = 32, unsigned mask = 0xffffffffu)
{
    return tw_exchange(value, [=](unsigned x) { return __shfl_sync(mask, x, lane, width); });
}
template <class T>
TW_DEVICE T tw_shfl_xor(T value, int delta, int width = 32, unsigned mask = 0xffffffffu)
{
    return tw_exchange(value, [=](unsigned x) { return __shfl_xor_sync(mask, x, delta, width); });
}
template <class T>
TW_DEVICE T tw_shfl_down(T value, int delta, int width = 32, unsigned mask = 0xffffffffu)
{
    return tw_exchange(value, [=](unsigned x) { return __shfl_down_sync(mask, x, (unsigned)delta, width); });
}
template <class T>
TW_DEVICE T tw_shfl_up(T value, int delta, int width = 32, unsigned mask = 0xffffffffu)
{
    return tw_exchange(value, [=](unsigned x) { return __shfl_up_sync(mask, x, (unsigned)delta, width); });
}

//@ tw_match_any tw_match_all
template <class T>
TW_DEVICE unsigned tw_match_any(T value, unsigned mask = 0xffffffffu)
{
    return __match_any_sync(mask, value);
}
template <class T>
TW_DEVICE unsigned tw_match_all(T value, unsigned mask = 0xffffffffu)
{
    int same;
    return __match_all_sync(mask, value, &same);
}

//@ tw_max tw_min
template <class T>
TW_DEVICE T tw_max(T a, T b)
{
    return a > b ? a : b;
}
template <class T>
TW_DEVICE T tw_min(T a, T b)
{
    return a < b ? a : b;
}
// A NaN loses against a number.
TW_DEVICE float tw_max(float a, float b) { return fmaxf(a, b); }
TW_DEVICE float tw_min(float a, float b) { return fminf(a, b); }
TW_DEVICE double tw_max(double a, double b) { return fmax(a, b); }
TW_DEVICE double tw_min(double a, double b) { return fmin(a, b); }

//@ tw_narrow_max tw_narrow_min
template <class T>
TW_DEVICE T tw_narrow_max(T a, T b)
{
    return float(a) > float(b) || float(b) != float(b) ? a : b;
}
template <class T>
TW_DEVICE T tw_narrow_min(T a, T b)
{
    return float(a) < float(b) || float(b) != float(b) ? a : b;
}

//@ tw_warp_sum tw_warp_max tw_warp_min tw_warp_and tw_warp_or
#define TW_WARP_REDUCE(name, expression)         \
    template <class T>                           \
    TW_DEVICE T name(T a)                        \
    {                                            \
        for (int d = 16; d > 0; d >>= 1) {       \
            const T b = tw_shfl_xor(a, d);       \
            a = T(expression);                   \
        }                                        \
        return a;                                \
    }
TW_WARP_REDUCE(tw_warp_sum, a + b)
TW_WARP_REDUCE(tw_warp_max, tw_max(a, b))
TW_WARP_REDUCE(tw_warp_min, tw_min(a, b))
TW_WARP_REDUCE(tw_warp_and, a & b)
TW_WARP_REDUCE(tw_warp_or, a | b)

//@ tw_atomic_update
// Compare-and-swap on the 16-, 32- or 64-bit word that holds the element; gives what was there before.
template <class T, class F>
TW_DEVICE T tw_atomic_update(T* address, F f)
{
    if constexpr (sizeof(T) == 8) {
        unsigned long long* word = reinterpret_cast<unsigned long long*>(address);
        unsigned long long old = *static_cast<volatile unsigned long long*>(word), seen;
        do {
            seen = old;
            old = atomicCAS(word, seen, tw_bits<unsigned long long>(f(tw_bits<T>(seen))));
        } while (old != seen);
        return tw_bits<T>(old);
    } else if constexpr (sizeof(T) == 4) {
        unsigned* word = reinterpret_cast<unsigned*>(address);
        unsigned old = *static_cast<volatile unsigned*>(word), seen;
        do {
            seen = old;
            old = atomicCAS(word, seen, tw_bits<unsigned>(f(tw_bits<T>(seen))));
        } while (old != seen);
        return tw_bits<T>(old);
    } else {
        const unsigned long long place = reinterpret_cast<unsigned long long>(address);
        unsigned* word = reinterpret_cast<unsigned*>(place & ~3ull);
        const int shift = 8 * (int)(place & 3u);
        using bits = typename tw_word<(int)sizeof(T)>::type;
        constexpr unsigned ones = (1u << (8 * sizeof(T))) - 1;
        unsigned old = *static_cast<volatile unsigned*>(word), seen;
        do {
            seen = old;
            const unsigned fresh = tw_bits<bits>(f(tw_bits<T>((bits)(seen >> shift & ones))));
            old = atomicCAS(word, seen, (seen & ~(ones << shift)) | fresh << shift);
        } while (old != seen);
        return tw_bits<T>((bits)(old >> shift & ones));
    }
}

//@ tw_atomic_add
template <class T>
TW_DEVICE T tw_atomic_add(T* address, T value)
{
    return tw_atomic_update(address, [=](T old) { return T(old + value); });
}
TW_DEVICE int tw_atomic_add(int* address, int value) { return atomicAdd(address, value); }
TW_DEVICE unsigned tw_atomic_add(unsigned* address, unsigned value) { return atomicAdd(address, value); }
TW_DEVICE unsigned long long tw_atomic_add(unsigned long long* address, unsigned long long value) { return atomicAdd(address, value); }
TW_DEVICE long long tw_atomic_add(long long* address, long long value)
{
    return (long long)atomicAdd(reinterpret_cast<unsigned long long*>(address), (unsigned long long)value);
}
TW_DEVICE float tw_atomic_add(float* address, float value) { return atomicAdd(address, value); }
TW_DEVICE double tw_atomic_add(double* address, double value) { return atomicAdd(address, value); }

//@ tw_atomic_add_half
#if __CUDA_ARCH__ >= 700
TW_DEVICE half tw_atomic_add(half* address, half value)
{
    half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.bits) : "l"(address), "h"(value.bits) : "memory");
    return old;
}
#endif

//@ tw_atomic_add_bf16
#if __CUDA_ARCH__ >= 900
TW_DEVICE bf16 tw_atomic_add(bf16* address, bf16 value)
{
    bf16 old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old.bits) : "l"(address), "h"(value.bits) : "memory");
    return old;
}
#endif

//@ tw_atomic_max tw_atomic_min
template <class T>
TW_DEVICE T tw_atomic_max(T* address, T value)
{
    return tw_atomic_update(address, [=](T old) { return old > value || value != value ? old : value; });
}
template <class T>
TW_DEVICE T tw_atomic_min(T* address, T value)
{
    return tw_atomic_update(address, [=](T old) { return old < value || value != value ? old : value; });
}
#define TW_ATOMIC_EXTREME(T)                                                               \
    TW_DEVICE T tw_atomic_max(T* address, T value) { return atomicMax(address, value); }   \
    TW_DEVICE T tw_atomic_min(T* address, T value) { return atomicMin(address, value); }
TW_ATOMIC_EXTREME(int)
TW_ATOMIC_EXTREME(unsigned)
TW_ATOMIC_EXTREME(long long)
TW_ATOMIC_EXTREME(unsigned long long)

//@ tw_atomic_or
template <class T>
TW_DEVICE T tw_atomic_or(T* address, T value)
{
    return tw_atomic_update(address, [=](T old) { return T(old | value); });
}
TW_DEVICE int tw_atomic_or(int* address, int value) { return atomicOr(address, value); }
TW_DEVICE unsigned tw_atomic_or(unsigned* address, unsigned value) { return atomicOr(address, value); }
TW_DEVICE unsigned long long tw_atomic_or(unsigned long long* address, unsigned long long value) { return atomicOr(address, value); }

//@ tw_atomic_add_vec
// Neighbouring elements, each atomically.
template <class T, int N>
TW_DEVICE vec<T, N> tw_atomic_add_vec(T* address, vec<T, N> value)
{
    vec<T, N> old;
#pragma unroll
    for (int i = 0; i < N; ++i)
        old[i] = tw_atomic_add(address + i, value[i]);
    return old;
}

//@ tw_atomic_add_vec_half
TW_DEVICE vec<half, 2> tw_atomic_add_vec(half* address, vec<half, 2> value)
{
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(tw_bits<unsigned>(value)) : "memory");
    return tw_bits<vec<half, 2>>(old);
}

//@ tw_atomic_add_vec_bf16
#if __CUDA_ARCH__ >= 900
TW_DEVICE vec<bf16, 2> tw_atomic_add_vec(bf16* address, vec<bf16, 2> value)
{
    unsigned old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(tw_bits<unsigned>(value)) : "memory");
    return tw_bits<vec<bf16, 2>>(old);
}
#endif

//@ tw_red_add_vec
// The same in global memory without the old values.
TW_DEVICE void tw_red_add_vec(float* address, vec<float, 2> v)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(address)), "f"(v[0]), "f"(v[1]) : "memory");
#else
    tw_atomic_add_vec(address, v);
#endif
}
TW_DEVICE void tw_red_add_vec(float* address, vec<float, 4> v)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(address)), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]) : "memory");
#else
    tw_atomic_add_vec(address, v);
#endif
}

//@ tw_atomic_load tw_atomic_store
template <class T>
TW_DEVICE T tw_atomic_load(const T* address)
{
    using bits = typename tw_word<(int)sizeof(T)>::type;
    if constexpr (sizeof(T) == 8) {
        const unsigned long long r = *reinterpret_cast<const volatile unsigned long long*>(address);
        return tw_bits<T>(r);
    } else {
        const bits r = *reinterpret_cast<const volatile bits*>(address);
        return tw_bits<T>(r);
    }
}
template <class T>
TW_DEVICE void tw_atomic_store(T* address, T value)
{
    using bits = typename tw_word<(int)sizeof(T)>::type;
    if constexpr (sizeof(T) == 8)
        *reinterpret_cast<volatile unsigned long long*>(address) = tw_bits<unsigned long long>(value);
    else
        *reinterpret_cast<volatile bits*>(address) = tw_bits<bits>(value);
}

//@ tw_dp4a
TW_DEVICE int tw_dp4a(const void* a, const void* b, int sum) { return __dp4a(*static_cast<const int*>(a), *static_cast<const int*>(b), sum); }

//@ tw_allreduce
// Every thread of a group of `count` threads, `stride` apart in the block, gets the combination of all their values. All
// threads of the block come here; `scratch` has one element a thread.
template <class T, class F>
TW_DEVICE T tw_allreduce(T value, T* scratch, int thread, int stride, int count, F combine)
{
    const int first = thread - thread / stride % count * stride;
    __syncthreads();
    scratch[thread] = value;
    __syncthreads();
    T result = scratch[first];
    for (int i = 1; i < count; ++i)
        result = T(combine(result, scratch[first + i * stride]));
    return result;
}

//@ tw_random tw_random_start tw_random_bits tw_random_uniform tw_random_normal
// The generator of the interpreter: one counter a thread.
struct tw_random {
    unsigned long long state;
};
TW_DEVICE unsigned long long tw_mix(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
TW_DEVICE void tw_random_start(tw_random& r, long long seed, long long sequence, long long offset)
{
    r.state = tw_mix((unsigned long long)seed ^ tw_mix((unsigned long long)sequence)) + (unsigned long long)offset;
}
TW_DEVICE unsigned tw_random_bits(tw_random& r) { return (unsigned)(tw_mix(r.state++) >> 32); }
TW_DEVICE double tw_random_uniform(tw_random& r) { return ((double)(tw_mix(r.state++) >> 12) + 0.5) / 4503599627370496.0; }
TW_DEVICE double tw_random_normal(tw_random& r)
{
    const unsigned long long bits = tw_mix(r.state++);
    const double u = ((double)(bits >> 12) + 0.5) / 4503599627370496.0;
    const double v = (double)(tw_mix(bits) >> 12) / 4503599627370496.0;
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

//@ tw_assert_failed
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
TW_DEVICE void tw_assert_failed(const char* message, const char* file, int line)
{
    __assertfail(message, file, (unsigned)line, "", 1);
}

//@ tw_record_block tw_record_spread tw_record_clocks tw_record_role tw_record_start tw_record tw_record_finish
// Stage records; profiler/timeline/records.h says what the words mean. What a thread keeps is one register: the number of its role's
// part of the words, from 1, in the high half, 0 where it does not record; the number of records in the low half. All lanes of the
// leading warp write the same.
TW_DEVICE long long tw_record_block() { return blockIdx.x + (long long)gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z); }
// Which of `count` blocks, evenly over the grid, this one is; -1: none.
TW_DEVICE int tw_record_spread(int count)
{
    const long long block = tw_record_block(), last = (long long)gridDim.x * gridDim.y * gridDim.z - 1;
    int slot = -1;
    for (int i = count - 1; i >= 0; --i)
        if (block == (count > 1 ? last * i / (count - 1) : 0))
            slot = i;
    return slot;
}
// The two clocks, one directly after the other.
TW_DEVICE void tw_record_clocks(unsigned* words)
{
    unsigned long long nanoseconds, clock;
    asm volatile("mov.u64 %0, %%globaltimer;\n\tmov.u64 %1, %%clock64;" : "=l"(nanoseconds), "=l"(clock) : : "memory");
    words[0] = (unsigned)nanoseconds;
    words[1] = (unsigned)(nanoseconds >> 32);
    words[2] = (unsigned)clock;
    words[3] = (unsigned)(clock >> 32);
}
TW_DEVICE unsigned* tw_record_role(unsigned at, unsigned* words, unsigned capacity) { return words + ((at >> 16) - 1) * (16 + 2 * capacity); }
TW_DEVICE unsigned tw_record_start(unsigned* words, int slot, int roles, int role, unsigned capacity)
{
    if (slot < 0 || role < 0)
        return 0;
    const unsigned at = (unsigned)(slot * roles + role + 1) << 16;
    unsigned* own = tw_record_role(at, words, capacity);
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const long long block = tw_record_block();
    own[0] = 0x54570001u;
    own[1] = sm;
    own[2] = (unsigned)block;
    own[3] = (unsigned)(block >> 32);
    own[13] = (unsigned)role;
    own[14] = capacity;
    tw_record_clocks(own + 4);
    return at;
}
// Without branches and without a claim on memory: ordinary loads and stores may pass a record, so that it costs no overlap; waits,
// barriers, asynchronous copies and products, which are volatile, too, may not.
TW_DEVICE void tw_record(unsigned& at, unsigned* words, unsigned capacity, unsigned event)
{
    const unsigned made = at & 0xffffu;
    asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tsetp.ge.u32 p, %0, 65536;\n\tsetp.lt.and.u32 p, %1, %2, p;\n\t@p mov.u32 t, %%clock;\n\t"
                 "@p st.global.cs.v2.b32 [%3], {%4, t};\n\t}"
                 : : "r"(at), "r"(made), "r"(capacity), "l"(tw_record_role(at, words, capacity) + 16 + 2 * made), "r"(event));
    at += at >= 0x10000u && made < 0xffffu;
}
TW_DEVICE void tw_record_finish(unsigned at, unsigned* words, unsigned capacity)
{
    if (at < 0x10000u)
        return;
    unsigned* own = tw_record_role(at, words, capacity);
    tw_record_clocks(own + 8);
    own[12] = at & 0xffffu;
    own[0] = 0x54570002u;
}
