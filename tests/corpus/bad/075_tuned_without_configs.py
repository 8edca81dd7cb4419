# expect: line 6, about: configs
import tilelang
import tilelang.language as T


@tilelang.autotune
@tilelang.jit(out_idx=[1])
def kernel(n=64, threads=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float16), Y: T.Tensor((n,), T.float16)):
        with T.Kernel(1, threads=threads):
            T.copy(X, Y)

    return main
