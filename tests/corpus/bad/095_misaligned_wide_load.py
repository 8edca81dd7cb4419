# expect: line 12, about: 16, multiple|multiples|aligned|alignment|misaligned
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def shifted(n=256):
    @T.prim_func
    def main(A: T.Tensor((n,), T.float32), B: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=32) as bx:
            tx = T.get_thread_binding()
            words = T.ldg128(A[tx * 4 + 1])
            T.stg128(B[tx * 4], words)

    return main


kernel = shifted()
