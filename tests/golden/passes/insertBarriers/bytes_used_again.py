# target: sm_80
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        a = T.alloc_shared((64,), "float32")
        b = T.alloc_shared((64,), "float16")
        c = T.alloc_shared((64,), "float32")
        a[tx] = X[tx]
        b[tx] = a[63 - tx]
        c[tx] = b[63 - tx]
        Y[tx] = c[63 - tx]
