# expect: line 12, about: 3, power of two|2
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding()
            for v in T.vectorized(3):
                Y[tx // 16, tx % 16 * 3 + v] = X[tx // 16, tx % 16 * 3 + v]

    return main
