// Between threads: the grid's barrier, exchanges, votes and reductions within a warp.

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
