# expect: line 12, about: 31|32
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding()
            v = T.shfl_down(X[0, tx % n], 48)
            Y[0, 0] = v

    return main
