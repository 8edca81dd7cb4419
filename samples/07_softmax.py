"""Lesson 7: softmax in one read and one write.

The row stays in registers between its three steps: the largest value, the sum of exponentials, the division. This kernel
is written in the *eager* form: the function is the kernel, `T.const` names an extent that the caller's tensor decides
(one compiled kernel for each), `T.dynamic` one that stays open, and `T.empty` makes the result.
"""
import tilelang
import tilelang.language as T

LOG2_E = 1.4426950408889634


@tilelang.jit
def softmax(X, block_M: int = 4):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), T.float32)
    Y = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
        x = T.alloc_fragment((block_M, N), T.float32)
        top = T.alloc_fragment((block_M,), T.float32)
        total = T.alloc_fragment((block_M,), T.float32)
        T.copy(X[bx * block_M, 0], x)
        T.reduce_max(x, top, dim=1)
        for i, j in T.Parallel(block_M, N):
            x[i, j] = T.exp2((x[i, j] - top[i]) * LOG2_E)  # exp2 is what the hardware has
        T.reduce_sum(x, total, dim=1)
        for i, j in T.Parallel(block_M, N):
            x[i, j] = x[i, j] / total[i]
        T.copy(x, Y[bx * block_M, 0])
    return Y


if __name__ == "__main__":
    import torch

    x = torch.randn(301, 512, device="cuda")
    torch.testing.assert_close(softmax(x), torch.softmax(x, dim=1))
