"""Tiles that are allocated inside of the pipelined loop that fills them, with a layout annotated there; one of the two
kernels works on every second step only."""
import tilelang
import tilelang.language as T
import torch
from tilelang.layout import make_swizzled_layout


@tilelang.jit(out_idx=[-1])
def row_norm_gemm(M, N, K, num_stages=2, block_M=32, block_N=64, block_K=32, every=1):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            acc = T.alloc_fragment((block_M, block_N), "float32")
            norm = T.alloc_fragment((block_M,), "float32")
            T.clear(acc)
            T.clear(norm)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                A_s = T.alloc_shared((block_M, block_K), "float16")
                T.annotate_layout({A_s: make_swizzled_layout(A_s)})
                if (k + 1) % every == 0:
                    B_s = T.alloc_shared((block_K, block_N), "float16")
                    T.copy(A[by * block_M, k * block_K], A_s)
                    T.copy(B[k * block_K, bx * block_N], B_s)
                    A_f = T.alloc_fragment((block_M, block_K), "float32")
                    T.copy(A_s, A_f)
                    T.reduce_sum(A_f, norm, dim=1, clear=False)
                    T.gemm(A_s, B_s, acc)
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] = acc[i, j] - norm[i]
            T.copy(acc, C[by * block_M, bx * block_N])

    return main


def main():
    a = torch.randint(-4, 5, (64, 160), device="cuda").half()
    b = torch.randint(-4, 5, (160, 64), device="cuda").half()
    c = row_norm_gemm(64, 64, 160)(a, b)
    torch.testing.assert_close(c, a.float() @ b.float() - a.float().sum(1, keepdim=True))
    every_second = torch.arange(160, device="cuda") // 32 % 2 == 1
    a2 = a.float() * every_second
    c = row_norm_gemm(64, 64, 160, every=2)(a, b)
    torch.testing.assert_close(c, a2 @ b.float() - a2.sum(1, keepdim=True))


if __name__ == "__main__":
    main()
