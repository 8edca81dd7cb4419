import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=64) as bx:
            s = T.alloc_local((1 << 62, 8), T.float32)
            s[0, 0] = 1.0
            Y[bx] = s[0, 0]

    return main
