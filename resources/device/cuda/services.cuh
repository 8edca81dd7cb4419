// Reductions over a block, random numbers, failed assertions.

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
