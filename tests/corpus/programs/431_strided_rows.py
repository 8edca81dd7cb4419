"""Rows of a wider matrix, transposed and scaled: the distance between rows is a symbol of its own, so whether rows begin
where wide accesses may is known at run time only."""
import tilelang
import tilelang.language as T
import torch

M = T.dynamic("M")
N, S = T.dynamic("N, S")


@tilelang.jit(out_idx=[1])
def scaled_transpose(block=32):
    @T.prim_func
    def main(
        A: T.StridedTensor((M, N), (S, 1), T.float32),
        B: T.Tensor((N, M), T.float32),
        alpha: T.float32,
    ):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            rows = T.alloc_shared((block, block + 1), T.float32)
            columns = T.alloc_shared((block, block), T.float32)
            T.copy(A[by * block, bx * block], rows[0:block, 0:block])
            for i, j in T.Parallel(block, block):
                columns[j, i] = rows[i, j] * alpha
            T.copy(columns, B[bx * block, by * block])

    return main


if __name__ == "__main__":
    wide = torch.randn(70, 64, device="cuda")
    torch.testing.assert_close(scaled_transpose()(wide[:, :45], 2.0), wide[:, :45].T * 2)
