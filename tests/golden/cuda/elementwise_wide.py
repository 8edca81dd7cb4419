# target: sm_80
import tilelang.language as T
import tw


@T.prim_func
def scale(A: T.Tensor((1024, 4096), "float16"), B: T.Tensor((1024, 4096), "float16"), s: T.float32):
    tw.function(stage="thread")
    with T.Kernel(16, 1024, threads=32) as (bx, by):
        tx = T.get_thread_binding(0)
        for i in tw.loop("vectorized", (0, 8, 1)):
            B[by, bx * 256 + tx * 8 + i] = T.Cast("float16", T.Cast("float32", A[by, bx * 256 + tx * 8 + i]) * s)
