# target: sm_80
"""Copies that ask for cp.async are started, committed and waited for."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
    with T.Kernel(1, threads=64) as bx:
        a = T.alloc_shared((32, 32), "float32")
        b = T.alloc_shared((32, 32), "float32")
        T.copy(A, a, prefer_instruction="cp_async")
        for i, j in T.Parallel(32, 32, prefer_async=True):
            b[i, j] = A[i, j]
        for i, j in T.Parallel(32, 32):
            B[i, j] = a[i, j] + b[i, j]
