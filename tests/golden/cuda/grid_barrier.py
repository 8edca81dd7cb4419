# target: sm_80
import tilelang.language as T
import tw


@T.prim_func
def two_phases(X: T.Tensor((1024,), "float32"), Y: T.Tensor((1024,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(8, threads=128) as bx:
        tx = T.get_thread_binding(0)
        Y[bx * 128 + tx] = X[bx * 128 + tx] * T.float32(2)
        T.sync_grid()
        X[bx * 128 + tx] = Y[1023 - bx * 128 - tx]
        T.print(X[bx * 128 + tx], "after")
        T.device_assert(bx < 8, "few blocks")
