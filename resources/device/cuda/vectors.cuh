// Vectors of elements, wide loads and stores, packed formats widened several at a time.

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

//@ tw_bf16x2_scale
// Two bfloat16s in a word, each times `scale`, a power of two; exact where the products are bfloat16s, also for subnormal ones.
TW_DEVICE unsigned tw_bf16x2_scale(unsigned pair, unsigned scale)
{
#if __CUDA_ARCH__ >= 800
    unsigned r;  // adding -0 changes no value and no sign
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(pair), "r"(scale * 0x10001u), "r"(0x80008000u));
    return r;
#else
    const float by = __uint_as_float(scale << 16);
    return __byte_perm(__float_as_uint(tw_fmul(__uint_as_float(pair << 16), by)), __float_as_uint(tw_fmul(__uint_as_float(pair & 0xffff0000u), by)), 0x7632);
#endif
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

//@ tw_widen_e5m2 tw_widen_e5m2_pair
// Two codes in the upper bytes of the halves of a word. A half of the same bits; as bfloat16 exponent and mantissa move to their places,
// times 2^112 for the difference of the biases, and the highest exponent becomes the highest.
TW_DEVICE unsigned tw_widen_e5m2_pair(unsigned h, half) { return h; }
TW_DEVICE unsigned tw_widen_e5m2_pair(unsigned h, bf16)
{
    const unsigned magnitude = h & 0x7f007f00u;
    return tw_bf16x2_scale((h & 0x80008000u) | magnitude >> 3, 0x7780u) | ((magnitude + 0x04000400u) >> 15 & 0x00010001u) * 0x7f80u;
}
template <class To, int N>
TW_DEVICE vec<To, N> tw_widen_e5m2(const void* from)
{
    const tw_narrow_words<N> in(from);
    unsigned all[(N + 3) / 4 * 2];
#pragma unroll
    for (int k = 0; k < (N + 1) / 2; ++k)
        all[k] = tw_widen_e5m2_pair(__byte_perm(in.w[k / 2], 0u, k % 2 == 0 ? 0x1404 : 0x3424), To{});
    vec<To, N> r;
    memcpy(&r, all, sizeof(r));
    return r;
}

//@ tw_widen_e4m3 tw_widen_e4m3_pair
// To half from sm_89 on an instruction. Before, and to bfloat16: exponent and mantissa moved to their places, times 2^8 or 2^120 for the
// difference of the biases; the last code is the NaN.
TW_DEVICE unsigned tw_widen_e4m3_nan(unsigned magnitude) { return ((magnitude + 0x01000100u) >> 15 & 0x00010001u) * 0x7fffu; }
TW_DEVICE unsigned tw_widen_e4m3_pair(unsigned codes, half)
{
#if __CUDA_ARCH__ >= 890
    unsigned pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)codes));
    return pair;
#else
    const unsigned h = __byte_perm(codes, 0u, 0x1404), magnitude = h & 0x7f007f00u;
    return tw_half2_mul((h & 0x80008000u) | magnitude >> 1, 0x5c005c00u) | tw_widen_e4m3_nan(magnitude);
#endif
}
TW_DEVICE unsigned tw_widen_e4m3_pair(unsigned codes, bf16)
{
    const unsigned h = __byte_perm(codes, 0u, 0x1404), magnitude = h & 0x7f007f00u;
    return tw_bf16x2_scale((h & 0x80008000u) | magnitude >> 4, 0x7b80u) | tw_widen_e4m3_nan(magnitude);
}
template <class To, int N>
TW_DEVICE vec<To, N> tw_widen_e4m3(const void* from)
{
    const tw_narrow_words<N> in(from);
    unsigned all[(N + 3) / 4 * 2];
#pragma unroll
    for (int k = 0; k < (N + 1) / 2; ++k)
        all[k] = tw_widen_e4m3_pair(in.w[k / 2] >> 16 * (k % 2), To{});
    vec<To, N> r;
    memcpy(&r, all, sizeof(r));
    return r;
}

//@ tw_widen_e2m1 tw_widen_e2m1_pair
// As e4m3: the biases are 14 or 126 apart.
TW_DEVICE unsigned tw_widen_e2m1_pair(unsigned h, half) { return tw_half2_mul((h & 0x08000800u) << 4 | (h & 0x07000700u) << 1, 0x74007400u); }
TW_DEVICE unsigned tw_widen_e2m1_pair(unsigned h, bf16) { return tw_bf16x2_scale((h & 0x08000800u) << 4 | (h & 0x07000700u) >> 2, 0x7e80u); }
template <class To, int N>
TW_DEVICE vec<To, N> tw_widen_e2m1(const void* from)
{
    const tw_narrow_words<N / 2> in(from);
    unsigned all[(N + 7) / 8 * 4];
#pragma unroll
    for (int k = 0; k < (N + 1) / 2; ++k)
        all[k] = tw_widen_e2m1_pair(__byte_perm(tw_nibbles(in.w[k / 4], k / 2 % 2), 0u, k % 2 == 0 ? 0x1404 : 0x3424), To{});
    vec<To, N> r;
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
