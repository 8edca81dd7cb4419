import numPy as np
import tilelang as tl


@tl.kernel
def gemm(A: tl.Tensor[(~8, 4), float32], B: tl.Tensor[(4, 6), float32]) -> tl.Teno[rs(8, 6), float32]:
    C = tl.zeros((8, 6), dtype=float32)
    for i in range(8):
        for j in range(6):
            for k in range(3):
                C[i, j] += A[i, k] * B[k, j]
    return C
