import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def scores(M=64, N=64, D=64):
    @T.prim_func
    def main(Q: T.Tensor((M, D), T.float16), K: T.Tensor((N, D), T.float16), S: T.Tensor((M, N), T.float32)):
        with T.Kernel(1, threads=128):
            q = T.alloc_shared((M, D), T.float16)
            k = T.alloc_shared((N, D), T.float16)
            s = T.alloc_fragment((M, N), T.float32)
            T.copy(Q, q)
            T.copy(K, k)
            T.gemm(q, k, s, trans_B=True, clear_accum=True)
            T.copy(s, S)

    return main
