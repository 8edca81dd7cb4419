"""Lesson 11: more blocks than tiles.

A small C with a long K has few tiles, so most of the GPU would sleep. Here the third grid axis splits K; every block adds
its part to C with one atomic tile addition. C is therefore read and written: it must hold zeros when the kernel starts.
"""
import tilelang
import tilelang.language as T


@tilelang.jit
def split_k(M, N, K, split=4, block_M=64, block_N=64, block_K=32):
    assert K % (split * block_K) == 0, f"K = {K} is not {split} parts of whole steps of {block_K}"
    part = K // split

    @T.prim_func
    def main(A: T.Tensor((M, K), T.float16), B: T.Tensor((K, N), T.float16), C: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), split, threads=128) as (bx, by, bz):
            a = T.alloc_shared((block_M, block_K), T.float16)
            b = T.alloc_shared((block_K, block_N), T.float16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)
            T.clear(acc)
            for k in T.Pipelined(part // block_K, num_stages=2):
                T.copy(A[by * block_M, bz * part + k * block_K], a)
                T.copy(B[bz * part + k * block_K, bx * block_N], b)
                T.gemm(a, b, acc)
            T.atomic_add(C[by * block_M, bx * block_N], acc)

    return main


if __name__ == "__main__":
    import torch

    a = torch.randn(64, 1024, device="cuda", dtype=torch.float16)
    b = torch.randn(1024, 96, device="cuda", dtype=torch.float16)
    c = torch.zeros(64, 96, device="cuda")
    split_k(64, 96, 1024)(a, b, c)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-2, atol=1e-1)
