# target: sm_80
import tilelang.language as T
import tw


@T.prim_func
def load(A: T.Tensor((64, 64), "bfloat16"), B: T.Tensor((64, 64), "bfloat16")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32) as bx:
        tx = T.get_thread_binding(0)
        s = T.alloc_shared((4096,), "bfloat16", scope="shared")
        full = T.alloc_barrier([1])
        T.mbarrier_arrive_expect_tx(full[0], 8192)
        tw.op("ptx_tma_load", A[0:64, 0:64], s[0], full[0], swizzle=128)
        B[0, tx] = s[tx]
