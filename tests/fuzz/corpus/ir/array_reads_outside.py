import numpy as np
import tilelang as tl


@tl.kernel
def gemm(A: tl.Tensor[(8, 4), float32], B: tl.Tensor[(4, 6), float32]) -> tl.Tensor[(8, 6), float32]:
    C = tl.zeros((8, 6), dtype=float32)
    for i in range(8):
        for j in range(6):
            for k in range(4):
                C[i, j] += A[i, j]
    return C
