# expect: line 6, about: return
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float16), Y: T.Tensor((n,), T.float16)):
        with T.Kernel(1, threads=64):
            T.copy(X, Y)
