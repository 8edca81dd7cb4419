"""Lesson 19: the same product, written as mathematics.

The array dialect knows no threads, tiles or memories: three loops say what C is. `tl.compile` makes it callable; an
extent that no line defines (`m` here) is open until the kernel meets its arguments.
"""
import numpy as np
import tilelang as tl

N, K = 64, 48


@tl.kernel
def matmul(A: tl.Tensor[(m, K), float32], B: tl.Tensor[(K, N), float32]) -> tl.Tensor[(m, N), float32]:
    m = A.shape[0]
    C = tl.zeros((m, N), dtype=float32)
    for i in range(m):
        for j in range(N):
            for k in range(K):
                C[i, j] += A[i, k] * B[k, j]
    return C


if __name__ == "__main__":
    f = tl.compile(matmul, target="cuda")
    a = np.random.randn(100, K).astype(np.float32)
    b = np.random.randn(K, N).astype(np.float32)
    assert np.allclose(f(a, b), a @ b, rtol=1e-4, atol=1e-4)
