# target: sm_75
import tilelang.language as T
import tw


@T.prim_func
def row_sum(X: T.Tensor((128, 256), "bfloat16"), Y: T.Tensor((128,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(128, threads=32) as bx:
        tx = T.get_thread_binding(0)
        acc = T.alloc_var("float32", 0.0)
        for i in T.serial(8):
            acc[0] = acc[0] + T.Cast("float32", X[bx, i * 32 + tx])
        acc[0] = acc[0] + T.shfl_xor(acc[0], 16)
        acc[0] = acc[0] + T.shfl_xor(acc[0], 8)
        acc[0] = T.warp_reduce_max(acc[0])
        if tx == 0:
            Y[bx] = acc[0]
