# target: sm_80
"""A fragment under another shape and another type: the same registers."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8, 32), "float32"), B: T.Tensor((256,), "float32"), C: T.Tensor((8, 32), "int32")):
    with T.Kernel(1, threads=64) as bx:
        x = T.alloc_fragment((8, 32), "float32")
        flat = T.reshape(x, (256,))
        bits = T.view(x, (8, 32), "int32")
        T.copy(A, x)
        for i in T.Parallel(256):
            B[i] = flat[i] * 2.0
        for i, j in T.Parallel(8, 32):
            C[i, j] = bits[i, j]
