import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy(M=100, N=75, bM=32, bN=64):
    @T.prim_func
    def main(X: T.Tensor((M, N), T.float16), Y: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=128) as (bx, by):
            tile = T.alloc_shared((bM, bN), T.float16)
            T.copy(X[by * bM, bx * bN], tile)
            T.copy(tile, Y[by * bM, bx * bN])

    return main
