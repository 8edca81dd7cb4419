# target: sm_80
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[0:64, k * 32 : k * 32 + 32], a)
            T.copy(B[k * 32 : k * 32 + 32, 0:64], b)
            T.gemm(a, b, c)
        T.copy(c, C)
