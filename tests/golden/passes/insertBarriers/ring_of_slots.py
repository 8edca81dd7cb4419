# target: sm_80
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=64):
        tx = T.get_thread_binding()
        s = T.alloc_shared((2 * 64,), "float32")
        s[tx] = X[tx]
        for k in T.serial(n):
            s[(k + 1) % 2 * 64 + tx] = X[tx] * k
            Y[tx] += s[k % 2 * 64 + 63 - tx]
