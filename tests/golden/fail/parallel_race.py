import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def row_totals(m=32, n=64):
    @T.prim_func
    def main(X: T.Tensor((m, n), T.float32), Y: T.Tensor((m,), T.float32)):
        with T.Kernel(1, threads=128):
            total = T.alloc_shared((m,), T.float32)
            for i in T.Parallel(m):
                total[i] = 0.0
            for i, j in T.Parallel(m, n):
                total[i] = total[i] + X[i, j]
            T.copy(total, Y)

    return main
