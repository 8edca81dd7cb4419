# target: sm_80
import tilelang.language as T


@T.prim_func
def gemm(A: T.Tensor((256, 128), "float16"), B: T.Tensor((128, 200), "float16"), C: T.Tensor((256, 200), "float16")):
    with T.Kernel(T.ceildiv(200, 64), 4, threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 64, bx * 64])
