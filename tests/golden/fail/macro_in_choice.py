import tilelang
import tilelang.language as T


@T.macro
def first(a, b):
    b[1] = 7.0
    return a[0]


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=64) as bx:
            Y[bx] = first(X, Y) if X[bx] > 100.0 else 1.0

    return main
