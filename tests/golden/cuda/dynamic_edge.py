# target: sm_90a
import tilelang.language as T
import tw

M = T.dynamic("M")
N = T.dynamic("N")


@T.prim_func
def add(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "bfloat16")):
    tw.function(stage="thread")
    with T.Kernel(T.ceildiv(N, 128), M, threads=128) as (bx, by):
        tx = T.get_thread_binding(0)
        if bx * 128 + tx < N:
            B[by, bx * 128 + tx] = T.Cast("bfloat16", A[by, bx * 128 + tx] + T.float32(1))
