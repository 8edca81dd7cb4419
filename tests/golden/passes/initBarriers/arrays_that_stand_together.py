# target: sm_90a
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((128,), "float32"), Y: T.Tensor((128,), "float32")):
    with T.Kernel(1, threads=128):
        tx = T.get_thread_binding()
        s = T.alloc_shared((64,), "float32")
        full = T.alloc_barrier([64, 64])
        empty = T.alloc_barrier(64)
        if tx < 64:
            s[tx] = X[tx]
            T.barrier_arrive(full[0])
        else:
            T.barrier_wait(full[0], 0)
            Y[tx] = s[127 - tx]
            T.barrier_arrive(empty[0])
