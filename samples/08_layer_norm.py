"""Lesson 8: layer normalisation.

Two reductions over a row that stays on chip, then a broadcast back: inside `T.Parallel(rows, N)` the vectors `mean` and
`scale` are read at `[i]`, and the compiler makes sure that every thread holds what it needs.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def layer_norm(M=300, N=768, rows=4, eps=1e-5, dtype=T.float16):
    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        gamma: T.Tensor((N,), dtype),
        beta: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, N), T.float32)
            square = T.alloc_fragment((rows, N), T.float32)
            mean = T.alloc_fragment((rows,), T.float32)
            scale = T.alloc_fragment((rows,), T.float32)
            T.copy(X[bx * rows, 0], x)  # halves become floats on the way
            T.reduce_sum(x, mean, dim=1)
            for i in T.Parallel(rows):
                mean[i] = mean[i] / N
            for i, j in T.Parallel(rows, N):
                x[i, j] = x[i, j] - mean[i]
                square[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(square, scale, dim=1)
            for i in T.Parallel(rows):
                scale[i] = T.rsqrt(scale[i] / N + eps)
            for i, j in T.Parallel(rows, N):
                x[i, j] = x[i, j] * scale[i] * gamma[j] + beta[j]
            T.copy(x, Y[bx * rows, 0])

    return main


if __name__ == "__main__":
    import torch

    x, g, b = (torch.randn(*s, device="cuda", dtype=torch.float16) for s in ((300, 768), (768,), (768,)))
    want = torch.nn.functional.layer_norm(x.float(), (768,), g.float(), b.float(), 1e-5)
    torch.testing.assert_close(layer_norm(300, 768)(x, g, b).float(), want, rtol=2e-3, atol=2e-3)
