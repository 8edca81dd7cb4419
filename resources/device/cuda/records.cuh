// Stage records; profiler/timeline/records.h says what the words mean.

//@ tw_record_block tw_record_spread tw_record_clocks tw_record_role tw_record_start tw_record tw_record_finish
// Stage records; profiler/timeline/records.h says what the words mean. What a thread keeps is one register: the number of its role's
// part of the words, from 1, in the high half, 0 where it does not record; the number of records in the low half. All lanes of the
// leading warp write the same.
TW_DEVICE long long tw_record_block() { return blockIdx.x + (long long)gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z); }
// Which of `count` blocks this one is, in even steps through the grid but for its end (core/passes/record_stages.h); -1: none.
TW_DEVICE int tw_record_spread(int count)
{
    const long long block = tw_record_block(), last = (long long)gridDim.x * gridDim.y * gridDim.z - 1;
    int slot = -1;
    for (int i = count - 1; i >= 0; --i)
        if (block == last * (i + 1) / (count + 2))
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
