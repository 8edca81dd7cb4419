# target: sm_80
import tilelang.language as T
import tw

N = T.dynamic("N")


@T.prim_func
def divide(X: T.Tensor((N,), "int32"), Y: T.Tensor((N,), "int32"), d: T.int32):
    tw.function(stage="thread")
    with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
        tx = T.get_thread_binding(0)
        i = tw.bind(bx * 64 + tx)
        if i < N:
            Y[i] = X[i] // 8 + X[i] % 8 + X[i] // d + X[i] % 3 + i // 5 - X[i] * 7
