"""Lesson 5: an epilogue for free.

The accumulator is in registers when the product is done, so adding a bias and an activation costs no trip to memory.
`activation` is an ordinary Python function of the compile-time part: it is called while the kernel is built and returns
an expression. The `if use_bias` is decided then, too; no branch is left in the kernel.
"""
import tilelang
import tilelang.language as T


def activation(kind):
    if kind == "relu":
        return lambda v: T.max(v, 0)
    if kind == "gelu":
        return lambda v: 0.5 * v * (1.0 + T.erf(v * 0.7071067811865476))
    return lambda v: v


@tilelang.jit(out_idx=[-1])
def linear(M, N, K, kind="gelu", use_bias=True, block_M=64, block_N=64, block_K=32):
    act = activation(kind)

    @T.prim_func
    def main(
        X: T.Tensor((M, K), T.bfloat16),
        W: T.Tensor((N, K), T.bfloat16),  # one row an output feature, hence transpose_B
        bias: T.Tensor((N,), T.float32),
        Y: T.Tensor((M, N), T.bfloat16),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            x = T.alloc_shared((block_M, block_K), T.bfloat16)
            w = T.alloc_shared((block_N, block_K), T.bfloat16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(X[by * block_M, k * block_K], x)
                T.copy(W[bx * block_N, k * block_K], w)
                T.gemm(x, w, acc, transpose_B=True)
            for i, j in T.Parallel(block_M, block_N):
                if use_bias:
                    acc[i, j] = acc[i, j] + bias[bx * block_N + j]
                acc[i, j] = act(acc[i, j])
            T.copy(acc, Y[by * block_M, bx * block_N])

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(200, 128, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(96, 128, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(96, device="cuda")
    want = torch.nn.functional.gelu(x.float() @ w.float().T + b)
    torch.testing.assert_close(linear(200, 96, 128)(x, w, b).float(), want, rtol=2e-2, atol=2e-2)
