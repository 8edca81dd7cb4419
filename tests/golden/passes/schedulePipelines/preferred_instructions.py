# target: sm_90a
"""A pipelined loop runs its copies ahead by cp.async: an author who asked for another instruction is told."""
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((256, 64), "float16"), B: T.Tensor((256, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as bx:
        a = T.alloc_shared((64, 64), "float16")
        b = T.alloc_shared((64, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.clear(acc)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[k * 64, 0], a, prefer_instruction="tma")
            T.copy(B[k * 64, 0], b, prefer_instruction="cp_async")
            T.gemm(a, b, acc, transpose_A=True)
        T.copy(acc, C)
