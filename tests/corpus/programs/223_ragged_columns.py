"""A product whose last tile is ragged: the columns of its operand beyond the edge are never written, so that the product leaves
values behind there that mean nothing, step after step; nobody looks at them."""
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def low_rank(M, R, K, block_M=32, block_N=64, block_K=32):
    @T.prim_func
    def main(X: T.Tensor((M, K), "float16"), W: T.Tensor((R, K), "float16"), Y: T.Tensor((M, R), "float32")):
        with T.Kernel(T.ceildiv(R, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            X_s = T.alloc_shared((block_M, block_K), "float16")
            W_s = T.alloc_shared((block_K, block_N), "float16")
            acc = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(X[by * block_M, k * block_K], X_s)
                for i, j in T.Parallel(block_K, block_N):
                    if bx * block_N + j < R:
                        W_s[i, j] = W[bx * block_N + j, k * block_K + i]
                T.gemm(X_s, W_s, acc)
            for i, j in T.Parallel(block_M, block_N):
                if by * block_M + i < M and bx * block_N + j < R:
                    Y[by * block_M + i, bx * block_N + j] = acc[i, j]

    return main


def main():
    x = torch.randint(-4, 5, (48, 128), device="cuda").half()
    w = torch.randint(-4, 5, (96, 128), device="cuda").half()
    torch.testing.assert_close(low_rank(48, 96, 128)(x, w), x.float() @ w.float().T)


if __name__ == "__main__":
    main()
