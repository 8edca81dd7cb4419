# expect: line 12, about: ptx_wait_group|wait group|wait
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            s = T.alloc_shared((n, n), T.float16)
            T.async_copy(X, s)
            T.copy(s, Y)

    return main
