# target: sm_80
"""A row stays within a group of threads, and its sum is with all of them."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=64) as bx:
        x = T.alloc_fragment((8, 64), "float32")
        total = T.alloc_fragment((8,), "float32")
        T.copy(A, x)
        T.reduce_sum(x, total, dim=1)
        T.copy(total, B)
