// Correct thread-stage kernels, written as the lowering writes them.
#pragma once

namespace tw::sim {

// C = A B, 128 x 128 x 128 in fp16 with fp32 sums: blocks of 64 x 64, steps of 32 along k in two buffers filled by cp.async, rows
// swizzled for ldmatrix, four warps of 32 x 32.
inline constexpr const char* kMmaGemm = R"(
@T.prim_func
def gemm(A: T.Tensor((128, 128), "float16"), B: T.Tensor((128, 128), "float16"), C: T.Tensor((128, 128), "float32")):
    tw.function(stage="thread")
    with T.Kernel(2, 2, threads=128) as (bx, by):
        tid = T.get_thread_binding()
        smem = T.alloc_shared((16384,), "uint8")
        As = tw.view(smem, (4096,), "float16", scope="shared.dyn")
        Bs = tw.view(smem, (4096,), "float16", scope="shared.dyn", offset=8192)
        a = T.alloc_local((8,), "float16")
        b = T.alloc_local((16,), "float16")
        c = T.alloc_local((32,), "float32")
        for i in T.unroll(32):
            c[i] = 0.0
        for i in T.unroll(2):
            chunk = tid + i * 128
            tw.op("ptx_cp_async", As[chunk // 4 * 32 + (chunk % 4 ^ chunk // 8 % 4) * 8], A[by * 64 + chunk // 4, chunk % 4 * 8], count=8)
            tw.op("ptx_cp_async", Bs[chunk // 8 * 64 + (chunk % 8 ^ chunk // 8 % 8) * 8], B[chunk // 8, bx * 64 + chunk % 8 * 8], count=8)
        T.ptx_commit_group()
        for k in T.serial(4):
            if k < 3:
                for i in T.unroll(2):
                    chunk = tid + i * 128
                    tw.op("ptx_cp_async", As[(k + 1) % 2 * 2048 + chunk // 4 * 32 + (chunk % 4 ^ chunk // 8 % 4) * 8], A[by * 64 + chunk // 4, (k + 1) * 32 + chunk % 4 * 8], count=8)
                    tw.op("ptx_cp_async", Bs[(k + 1) % 2 * 2048 + chunk // 8 * 64 + (chunk % 8 ^ chunk // 8 % 8) * 8], B[(k + 1) * 32 + chunk // 8, bx * 64 + chunk % 8 * 8], count=8)
            T.ptx_commit_group()
            T.ptx_wait_group(1)
            T.sync_threads()  # filled
            for kk in T.unroll(2):
                for j in T.unroll(2):
                    tw.op("ptx_ldmatrix", b[j * 8], Bs[k % 2 * 2048 + (kk * 16 + tid % 16) * 64 + ((tid // 64 * 4 + j * 2 + tid % 32 // 16) ^ tid % 8) * 8], num=4, trans=True)
                for i in T.unroll(2):
                    row = tid // 32 % 2 * 32 + i * 16 + tid % 16
                    tw.op("ptx_ldmatrix", a[0], As[k % 2 * 2048 + row * 32 + ((kk * 2 + tid % 32 // 16) ^ row // 2 % 4) * 8], num=4, trans=False)
                    for j in T.unroll(4):
                        tw.op("ptx_mma", a[0], b[j * 4], c[(i * 4 + j) * 4], shape="m16n8k16", type="float16")
            T.sync_threads()  # free
        for i in T.unroll(2):
            for j in T.unroll(4):
                for h in T.unroll(2):
                    row = by * 64 + tid // 32 % 2 * 32 + i * 16 + h * 8 + tid % 32 // 4
                    for v in T.vectorized(2):
                        C[row, bx * 64 + tid // 64 * 32 + j * 8 + tid % 4 * 2 + v] = c[(i * 4 + j) * 4 + h * 2 + v]
)";

// C = A B^T, 128 x 64 x 256 in fp16: a producer thread fills two buffers with bulk loads, a warp group multiplies with wgmma out of
// them, and the result goes through shared memory to a bulk store.
inline constexpr const char* kWgmmaGemm = R"(
@T.prim_func
def gemm(A: T.Tensor((128, 256), "float16"), B: T.Tensor((64, 256), "float16"), C: T.Tensor((128, 64), "float32")):
    tw.function(stage="thread")
    with T.Kernel(2, threads=256) as by:
        tid = T.get_thread_binding()
        smem = T.alloc_shared((49152,), "uint8")
        As = tw.view(smem, (8192,), "float16", scope="shared.dyn")
        Bs = tw.view(smem, (8192,), "float16", scope="shared.dyn", offset=16384)
        Cs = tw.view(smem, (4096,), "float32", scope="shared.dyn", offset=32768)
        full = T.alloc_barrier([1, 1])
        free = T.alloc_barrier([128, 128])
        c = T.alloc_local((32,), "float32")
        if tid == 0:
            for s in T.unroll(2):
                tw.op("mbarrier_init", full[s], 1)
                tw.op("mbarrier_init", free[s], 128)
        T.ptx_fence_barrier_init()
        T.sync_threads()
        if tid >= 128:
            if tid == 128:
                for k in T.serial(4):
                    T.barrier_wait(free[k % 2], (k // 2 & 1) ^ 1)
                    tw.op("mbarrier_arrive_expect_tx", full[k % 2], 16384)
                    tw.op("ptx_tma_load", A[by * 64:by * 64 + 64, k * 64:k * 64 + 64], As[k % 2 * 4096], full[k % 2], swizzle=128)
                    tw.op("ptx_tma_load", B[0:64, k * 64:k * 64 + 64], Bs[k % 2 * 4096], full[k % 2], swizzle=128)
        else:
            for k in T.serial(4):
                T.barrier_wait(full[k % 2], k // 2 & 1)
                T.warpgroup_arrive()
                for kk in T.unroll(4):
                    tw.op("ptx_wgmma", As[k % 2 * 4096 + kk * 16], Bs[k % 2 * 4096 + kk * 16], c[0], k + kk > 0, shape="m64n64k16", type="float16", transpose_B=True, swizzle_A=128, swizzle_B=128, leading_A=16, leading_B=16, stride_A=1024, stride_B=1024)
                T.warpgroup_commit_batch()
                T.warpgroup_wait(0)
                T.barrier_arrive(free[k % 2])
            for v in T.unroll(32):
                Cs[(tid // 32 * 16 + tid % 32 // 4 + v // 2 % 2 * 8) * 64 + v // 4 * 8 + tid % 4 * 2 + v % 2] = c[v]
            T.fence_proxy_async()
            T.sync_threads(3, 128)
            if tid == 0:
                tw.op("ptx_tma_store", Cs[0], C[by * 64:by * 64 + 64, 0:64])
                T.tma_store_arrive()
                T.tma_store_wait(0)
)";

}  // namespace tw::sim
