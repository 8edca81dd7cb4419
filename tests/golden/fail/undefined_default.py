import tilelang
import tilelang.language as T


@tilelang.jit
def copy(n=SIZE):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=64) as bx:
            T.copy(X, Y)

    return main
