# expect: line 14, about: wait_wgmma|wait
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((n, n), T.float16)
            c = T.alloc_fragment((n, n), T.float32)
            T.copy(X, a)
            T.wgmma_gemm(a, a, c, clear_accum=True)
            T.copy(c, Y)

    return main
