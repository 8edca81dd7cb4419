// Hopper's bulk tensor copies and warp-group products, as far as they do not depend on a shape.

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
// Keeps the compiler from moving these registers across. Of their own type: a change of type is a move of each, which lands between a
// product and its wait, and for moves there ptxas makes each product wait for the one before (its remark C7514).
template <int N>
TW_DEVICE void tw_wgmma_keep(float* registers)
{
#pragma unroll
    for (int i = 0; i < N; ++i)
        asm volatile("" : "+f"(registers[i])::"memory");
}
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
