import tilelang
import tilelang.language as T


@tilelang.jit
def scale(X, s: T.float32):
    M = T.dynamic("M")
    N = T.const("N")
    X: T.Tensor((M, N), T.float32)
    Y = T.empty((M, N), T.float32)
    with T.Kernel(T.ceildiv(M, 8), threads=128) as bx:
        for i, j in T.Parallel(8, N):
            Y[bx * 8 + i, j] = X[bx * 8 + i, j] * s
    return Y


if __name__ == "__main__":
    import torch

    scale(torch.randn(100, 48), 2.0)
