"""A product whose tiles arrive in panels of columns: each TMA load fills the next 64 columns of a wide shared tile, with a
barrier of its own, and the product of a panel starts when it is there. The result leaves by one TMA store for each panel."""
import tilelang
import tilelang.language as T
import torch

PANEL = 64


@tilelang.jit(out_idx=[-1])
def panel_gemm(M, N, K, block_M=64, block_N=128):
    panels = K // PANEL

    @T.prim_func
    def main(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((N, K), T.float16),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_s = T.alloc_shared((block_M, K), T.float16)
            B_s = T.alloc_shared((block_N, K), T.float16)
            C_s = T.alloc_shared((block_M, block_N), T.float16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)
            ready = T.alloc_barrier([128] * panels)
            for p in T.serial(panels):
                T.tma_copy(A[by * block_M : (by + 1) * block_M, p * PANEL : (p + 1) * PANEL], A_s[:, p * PANEL : (p + 1) * PANEL], barrier=ready[p])
                T.tma_copy(B[bx * block_N : (bx + 1) * block_N, p * PANEL : (p + 1) * PANEL], B_s[:, p * PANEL : (p + 1) * PANEL], barrier=ready[p])
                T.barrier_arrive(ready[p])
            T.clear(acc)
            for p in T.serial(panels):
                T.barrier_wait(ready[p], 0)
                T.gemm(A_s[:, p * PANEL : (p + 1) * PANEL], B_s[:, p * PANEL : (p + 1) * PANEL], acc, transpose_B=True)
            T.copy(acc, C_s)
            for p in T.serial(block_N // PANEL):
                T.tma_copy(C_s[:, p * PANEL : (p + 1) * PANEL], C[by * block_M : (by + 1) * block_M, bx * block_N + p * PANEL : bx * block_N + (p + 1) * PANEL])
            T.tma_store_wait(0)

    return main


def main():
    a = torch.randint(-3, 4, (200, 192), device="cuda").half()
    b = torch.randint(-3, 4, (256, 192), device="cuda").half()
    torch.testing.assert_close(panel_gemm(200, 256, 192)(a, b), a @ b.T)


if __name__ == "__main__":
    main()
