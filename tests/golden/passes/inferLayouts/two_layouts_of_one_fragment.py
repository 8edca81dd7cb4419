# target: sm_80
"""The accumulator of one product is the left operand of another, and the right operand of a third, which costs a way through shared memory."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 16), "float16"), B: T.Tensor((16, 16), "float32")):
    with T.Kernel(1, threads=32) as bx:
        a = T.alloc_shared((16, 16), "float16")
        first = T.alloc_fragment((16, 16), "float32")
        half = T.alloc_fragment((16, 16), "float16")
        second = T.alloc_fragment((16, 16), "float32")
        T.copy(A, a)
        T.clear(first)
        T.clear(second)
        T.gemm(a, a, first)
        T.copy(first, half)
        T.gemm(half, a, second)
        T.gemm(a, half, second)
        T.copy(second, B)
