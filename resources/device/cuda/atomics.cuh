// Atomic updates, loads and stores of every element type.

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
