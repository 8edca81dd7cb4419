# target: sm_90a
import tilelang.language as T
import tw


@T.prim_func
def product(A: T.Tensor((64, 64), "bfloat16"), B: T.Tensor((128, 64), "bfloat16"), C: T.Tensor((64, 128), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=128) as bx:
        tx = T.get_thread_binding(0)
        A_s = T.alloc_shared((64 * 64,), "bfloat16", scope="shared")
        B_s = T.alloc_shared((128 * 64,), "bfloat16", scope="shared")
        full = T.alloc_barrier([1])
        C_r = T.alloc_local((64,), "float32")
        if tx == 0:
            tw.op("mbarrier_init", full[0], 1)
            T.ptx_fence_barrier_init()
        T.sync_threads()
        if tx == 0:
            T.mbarrier_arrive_expect_tx(full[0], 24576)
            tw.op("ptx_tma_load", A[0:64, 0:64], A_s[0], full[0], swizzle=128)
            tw.op("ptx_tma_load", B[0:128, 0:64], B_s[0], full[0], swizzle=128, eviction_policy="evict_last")
        T.barrier_wait(full[0], 0)
        T.warpgroup_arrive()
        for k in tw.loop("unroll", (0, 4, 1)):
            tw.op("ptx_wgmma", A_s[k * 16], B_s[k * 16], C_r[0:64], k > 0, shape="m64n128k16", type="bfloat16", transpose_B=True, swizzle_A=128, swizzle_B=128, leading_A=16, leading_B=16, stride_A=1024, stride_B=1024)
        T.warpgroup_commit_batch()
        T.warpgroup_wait(0)
        for j in tw.loop("unroll", (0, 16, 1)):
            for h in tw.loop("unroll", (0, 2, 1)):
                for v in tw.loop("vectorized", (0, 2, 1)):
                    C[tx // 32 * 16 + h * 8 + tx % 32 // 4, j * 8 + tx % 4 * 2 + v] = C_r[j * 4 + h * 2 + v]
