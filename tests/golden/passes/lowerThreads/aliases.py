# target: sm_80
"""Parameters that may be one tensor: the launch says so, and no pointer to them is restricted."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float32")):
    with T.Kernel(2, threads=128) as bx:
        T.annotate_restrict_buffers(A, B)
        for i in T.Parallel(128):
            B[bx * 128 + i] = A[bx * 128 + i] + C[bx * 128 + i]
