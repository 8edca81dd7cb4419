# expect: line 12, about: loop|loops
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            Y[0, 0] = X[0, 0]
            break

    return main
