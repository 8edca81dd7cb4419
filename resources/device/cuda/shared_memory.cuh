// Ways into shared memory and out of it: matrices of fragments, asynchronous copies.

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
