"""Lesson 13: integers.

Eight-bit operands, a 32-bit accumulator, then one scale a row and one a column turn the sums back into real numbers. The
integer part is exact, so the answer does not depend on the order of the additions.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[4])
def gemm_int8(M=200, N=160, K=256, block_M=64, block_N=64, block_K=64):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), T.int8),
        B: T.Tensor((N, K), T.int8),
        row_scale: T.Tensor((M,), T.float32),
        col_scale: T.Tensor((N,), T.float32),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_K), T.int8)
            b = T.alloc_shared((block_N, block_K), T.int8)
            acc = T.alloc_fragment((block_M, block_N), T.int32)
            real = T.alloc_fragment((block_M, block_N), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, acc, transpose_B=True)
            for i, j in T.Parallel(block_M, block_N):
                real[i, j] = T.cast(acc[i, j], T.float32) * row_scale[by * block_M + i] * col_scale[bx * block_N + j]
            T.copy(real, C[by * block_M, bx * block_N])

    return main


if __name__ == "__main__":
    import torch

    a = torch.randint(-128, 128, (200, 256), device="cuda", dtype=torch.int8)
    b = torch.randint(-128, 128, (160, 256), device="cuda", dtype=torch.int8)
    r, c = torch.rand(200, device="cuda") / 100, torch.rand(160, device="cuda") / 100
    want = (a.double() @ b.double().T * r[:, None].double() * c[None, :].double()).half()
    torch.testing.assert_close(gemm_int8(200, 160, 256)(a, b, r, c), want, rtol=1e-3, atol=1e-3)
