"""Lesson 1: a tile travels.

A kernel is written from a block's point of view. `T.Kernel` says how many blocks there are; each block copies one tile
from global memory into shared memory and back out. The matrix need not be a whole number of tiles: what sticks out
reads as zero and is not written, so no line below mentions an edge.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy(M=1000, N=777, block_M=64, block_N=128, dtype=T.float16):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            tile = T.alloc_shared((block_M, block_N), dtype)
            T.copy(X[by * block_M, bx * block_N], tile)  # the indices name the tile's corner
            T.copy(tile, Y[by * block_M, bx * block_N])

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(1000, 777, device="cuda", dtype=torch.float16)
    assert torch.equal(copy(1000, 777)(x), x)
