// Whole numbers and functions that CUDA has otherwise or not at all: conversions, wrapping, Python's division, bits.

//@ uint ushort ulong
// Short names that a host's headers give where there are some; sources of authors use them.
#ifdef __CUDACC_RTC__
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#endif

//@ int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#endif

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

//@ tw_dp4a
TW_DEVICE int tw_dp4a(const void* a, const void* b, int sum) { return __dp4a(*static_cast<const int*>(a), *static_cast<const int*>(b), sum); }
