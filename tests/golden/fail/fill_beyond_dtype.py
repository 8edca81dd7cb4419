import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=64) as bx:
            s = T.alloc_shared((n,), T.int8)
            T.fill(s, 300)
            for i in T.Parallel(n):
                Y[i] = T.cast(s[i], T.float32)

    return main
