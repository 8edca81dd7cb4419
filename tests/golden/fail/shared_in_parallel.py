import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(n):
                s = T.alloc_shared((n,), T.float32)
                s[0] = 1.0
                Y[i] = s[0]

    return main
