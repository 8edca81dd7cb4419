# target: sm_80
import tilelang.language as T
import tw


@T.prim_func
def unpack(Q: T.Tensor((1024,), "int4"), S: T.Tensor((1,), "float16"), Y: T.Tensor((1024,), "float16"), Z: T.Tensor((1024,), "int4")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=128) as bx:
        tx = T.get_thread_binding(0)
        for v in tw.loop("vectorized", (0, 8, 1)):
            Y[tx * 8 + v] = T.Cast("float16", Q[tx * 8 + v]) * S[0]
        for v in tw.loop("vectorized", (0, 8, 1)):
            Z[tx * 8 + v] = Q[tx * 8 + v] + T.int4(1)
