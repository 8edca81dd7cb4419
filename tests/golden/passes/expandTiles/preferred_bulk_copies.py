# target: sm_90a
"""Copies that ask for the TMA unit are started, arrived for and waited for; one that it cannot do is not."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 37), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=128) as bx:
        a = T.alloc_shared((64, 64), "float16")
        b = T.alloc_shared((64, 32), "float16")
        for k in T.serial(2):
            T.copy(A, a, prefer_instruction="tma")
        T.copy(B[0:64, 0:32], b, prefer_instruction="tma")
        T.copy(a, C, prefer_instruction="tma")
