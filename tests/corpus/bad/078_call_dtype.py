# expect: line 17, about: float16, float32
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def diagonal(X):
    n = T.const("n")
    X: T.Tensor((n, n), T.float16)
    Y = T.empty((n,), T.float16)
    with T.Kernel(n, threads=32) as bx:
        Y[bx] = X[bx, bx]
    return Y


diagonal(torch.randn(4, 4))
