# target: sm_80
"""Registers first, then a butterfly over the threads that share the row."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((2, 64), "float32"), B: T.Tensor((2,), "float32")):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_fragment((2, 64), "float32")
        total = T.alloc_fragment((2,), "float32")
        T.copy(A, x)
        T.reduce_sum(x, total, dim=1)
        T.copy(total, B)
