"""Lesson 14: one kernel for every size.

`T.dynamic` leaves an extent open: the compiled kernel reads it from the tensors it is called with. On-chip tiles keep
constant sizes; only grid, loop bounds and edge checks depend on it. `T.assume` tells the optimiser what the caller
promises.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def gemm_any_m(N=128, K=96, block_M=64, block_N=64, block_K=32):
    M = T.dynamic("M")

    @T.prim_func
    def main(A: T.Tensor((M, K), T.float16), B: T.Tensor((K, N), T.float16), C: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_K), T.float16)
            b = T.alloc_shared((block_K, block_N), T.float16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)
            T.assume(M > 0)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[k * block_K, bx * block_N], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * block_M, bx * block_N])

    return main


if __name__ == "__main__":
    import torch

    kernel = gemm_any_m(128, 96)
    b = torch.randn(96, 128, device="cuda", dtype=torch.float16)
    for m in (1, 64, 333):
        a = torch.randn(m, 96, device="cuda", dtype=torch.float16)
        torch.testing.assert_close(kernel(a, b), a @ b, rtol=1e-2, atol=1e-2)
