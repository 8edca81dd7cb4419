# target: sm_80
"""ldmatrix through the swizzle, one mma a tile of the result."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 16), "float16"), B: T.Tensor((16, 8), "float16"), C: T.Tensor((16, 8), "float32")):
    with T.Kernel(1, threads=32) as bx:
        a = T.alloc_shared((16, 16), "float16")
        b = T.alloc_shared((16, 8), "float16")
        c = T.alloc_fragment((16, 8), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.clear(c)
        T.gemm(a, b, c)
        T.copy(c, C)
