"""Lesson 3: fragments and reductions.

A *fragment* is one logical tile spread over the registers of all threads; who holds which element is the compiler's
business. `T.reduce_*` folds one axis away, through registers, shuffles and shared memory as needed. `clear=False` keeps
what the result holds already, which is how a reduction over a long row is built from tiles.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1, 2])
def row_statistics(M=100, N=1000, block_M=16, block_N=256):
    @T.prim_func
    def main(X: T.Tensor((M, N), T.float32), Sum: T.Tensor((M,), T.float32), Top: T.Tensor((M,), T.float32)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, block_N), T.float32)
            total = T.alloc_fragment((block_M,), T.float32)
            top = T.alloc_fragment((block_M,), T.float32)
            T.clear(total)
            T.fill(top, -T.infinity(T.float32))
            for k in T.serial(T.ceildiv(N, block_N)):
                T.copy(X[bx * block_M, k * block_N], x)
                T.reduce_sum(x, total, dim=1, clear=False)
                # beyond the last column the tile holds zeros: right for a sum, wrong for a maximum
                for i, j in T.Parallel(block_M, block_N):
                    x[i, j] = T.if_then_else(k * block_N + j < N, x[i, j], -T.infinity(T.float32))
                T.reduce_max(x, top, dim=1, clear=False)
            T.copy(total, Sum[bx * block_M])
            T.copy(top, Top[bx * block_M])

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(100, 1000, device="cuda")
    total, top = row_statistics(100, 1000)(x)
    torch.testing.assert_close(total, x.sum(1), rtol=1e-4, atol=1e-4)
    assert torch.equal(top, x.amax(1))
