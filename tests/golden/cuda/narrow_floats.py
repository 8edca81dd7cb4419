# target: sm_90a
"""fp8 numbers become bfloat16 a word at a time: where they are loaded, and in registers."""
import tilelang.language as T
import tw


@T.prim_func
def widen(X: T.Tensor((1024,), "float8_e4m3fn"), S: T.Tensor((1024,), "float8_e5m2"), Y: T.Tensor((1024,), "bfloat16"), Z: T.Tensor((1024,), "bfloat16")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=128) as bx:
        tx = T.get_thread_binding(0)
        x = T.alloc_local((8,), "float8_e4m3fn")
        y = T.alloc_local((8,), "bfloat16")
        for v in tw.loop("vectorized", (0, 8, 1)):
            x[v] = X[tx * 8 + v]
        for r in T.unroll(8):
            y[r] = T.Cast("bfloat16", x[r]) * T.bfloat16(2)
        for v in tw.loop("vectorized", (0, 8, 1)):
            Y[tx * 8 + v] = y[v]
        for v in tw.loop("vectorized", (0, 8, 1)):
            Z[tx * 8 + v] = T.Cast("bfloat16", S[tx * 8 + v])
