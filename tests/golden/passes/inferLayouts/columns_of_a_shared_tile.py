# target: sm_80
"""A tile that is written by rows and read by columns: its rows are turned so that neither meets in a bank."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
    with T.Kernel(1, threads=64) as bx:
        tile = T.alloc_shared((32, 32), "float32")
        T.copy(A, tile)
        for i, j in T.Parallel(32, 32):
            B[i, j] = tile[j, i]
