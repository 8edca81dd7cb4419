import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(n):
                if X[i] > 0.0:
                    break
                Y[i] = 0.0

    return main
