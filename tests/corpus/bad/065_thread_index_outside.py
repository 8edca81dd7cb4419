# expect: line 13, about: 127, 64
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding()
            s = T.alloc_shared((n,), T.float16)
            s[tx] = X[0, 0]
            T.copy(s, Y[0, 0:n])

    return main
