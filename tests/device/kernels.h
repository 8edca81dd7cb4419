// Small kernels for the tests of profiler/cuda on a GPU, in PTX: the driver alone compiles it.
#pragma once

namespace tw::cuda {

inline constexpr const char* kKernels = R"ptx(
.version 8.0
.target sm_90
.address_size 64

.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.extern .shared .align 16 .b8 dynamic[];
.global .align 1 .b8 format[16] = {98, 108, 111, 99, 107, 32, 37, 100, 10, 0}; // "block %d\n"

// out[i] = a[i] + b[i] for i < n; int32
.visible .entry add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r0, %r0, %r1, %r2;
    ld.param.u32 %r3, [n];
    setp.ge.u32 %p, %r0, %r3;
    @%p ret;
    mul.wide.u32 %rd0, %r0, 4;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [out];
    add.u64 %rd1, %rd1, %rd0;
    add.u64 %rd2, %rd2, %rd0;
    add.u64 %rd3, %rd3, %rd0;
    ld.global.u32 %r4, [%rd1];
    ld.global.u32 %r5, [%rd2];
    add.u32 %r4, %r4, %r5;
    st.global.u32 [%rd3], %r4;
    ret;
}

// Copies n groups of 16 bytes.
.visible .entry copy(.param .u64 out, .param .u64 in, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r0, %r0, %r1, %r2;
    ld.param.u32 %r3, [n];
    setp.ge.u32 %p, %r0, %r3;
    @%p ret;
    mul.wide.u32 %rd0, %r0, 16;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    add.u64 %rd1, %rd1, %rd0;
    add.u64 %rd2, %rd2, %rd0;
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];
    st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
    ret;
}

// Follows a chain of n indices from 0; every load waits for the one before it, and none is answered by the L1 cache.
.visible .entry chase(.param .u64 out, .param .u64 in, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [in];
    ld.param.u32 %r1, [n];
    mov.u32 %r0, 0;
again:
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd1, %rd1, %rd0;
    ld.global.cg.u32 %r0, [%rd1];
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra again;
    ld.param.u64 %rd2, [out];
    st.global.u32 [%rd2], %r0;
    ret;
}

// Stores where nothing is.
.visible .entry fault()
{
    .reg .b64 %rd;
    mov.u64 %rd, 64;
    st.global.u32 [%rd], 1;
    ret;
}

// Never ends.
.visible .entry spin()
{
again:
    nanosleep.u32 1000;
    bra again;
}

// Prints its block's number, then traps if told to.
.visible .entry print(.param .u32 traps)
{
    .reg .pred %p;
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    .local .align 8 .b8 arguments[8];
    mov.u32 %r0, %ctaid.x;
    mov.u64 %rd0, arguments;
    st.local.u32 [%rd0], %r0;
    cvta.local.u64 %rd0, %rd0;
    mov.u64 %rd1, format;
    cvta.global.u64 %rd1, %rd1;
    {
        .param .b64 p0;
        .param .b64 p1;
        .param .b32 result;
        st.param.b64 [p0], %rd1;
        st.param.b64 [p1], %rd0;
        call (result), vprintf, (p0, p1);
    }
    ld.param.u32 %r1, [traps];
    setp.eq.u32 %p, %r1, 0;
    @%p ret;
    trap;
}

// Writes the bytes of dynamic shared memory and the blocks of the cluster; touches the last shared word.
.visible .entry shape(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd;
    mov.u32 %r0, %dynamic_smem_size;
    mov.u32 %r1, %cluster_nctaid.x;
    mov.u32 %r2, dynamic;
    add.u32 %r3, %r2, %r0;
    setp.eq.u32 %p, %r0, 0;
    @%p bra done;
    st.shared.u32 [%r3 + -4], 7;
done:
    ld.param.u64 %rd, [out];
    st.global.u32 [%rd], %r0;
    st.global.u32 [%rd + 4], %r1;
    ret;
}

// A box of 8 x 8 int32 at (x, y) of the mapped tensor, copied by TMA and written out. One warp.
.visible .entry box(.param .u64 out, .param .align 64 .b8 map[128], .param .u32 x, .param .u32 y)
{
    .reg .pred %p;
    .reg .b32 %r<10>;
    .reg .b64 %rd<4>;
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 barrier;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, barrier;
    mov.u32 %r2, tile;
    ld.param.u32 %r3, [x];
    ld.param.u32 %r4, [y];
    mov.b64 %rd0, map;
    cvta.param.u64 %rd0, %rd0;
    setp.ne.u32 %p, %r0, 0;
    @%p bra wait;
    mbarrier.init.shared.b64 [%r1], 1;
    fence.proxy.async;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1], 256;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0, {%r3, %r4}], [%r1];
wait:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
    @!%p bra again;
    ld.param.u64 %rd2, [out];
    shl.b32 %r5, %r0, 3;
    add.u32 %r6, %r2, %r5;
    ld.shared.v2.u32 {%r7, %r8}, [%r6];
    mul.wide.u32 %rd3, %r5, 1;
    add.u64 %rd2, %rd2, %rd3;
    st.global.v2.u32 [%rd2], {%r7, %r8};
    ret;
}
)ptx";

}  // namespace tw::cuda
