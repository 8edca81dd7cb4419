# expect: line 11, about: 96, 128
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=96) as bx:
            with T.ws(0):
                T.copy(X, Y)

    return main
