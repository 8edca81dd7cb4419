import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def row_max(m=128, n=64):
    @T.prim_func
    def main(X: T.Tensor((m, n), T.float32), Y: T.Tensor((m,), T.float32)):
        with T.Kernel(m // 32, threads=128) as bx:
            x = T.alloc_fragmnet((32, n), T.float32)
            top = T.alloc_fragment((32,), T.float32)
            T.copy(X[bx * 32, 0], x)
            T.reduce_max(x, top, dim=1)
            T.copy(top, Y[bx * 32])

    return main
