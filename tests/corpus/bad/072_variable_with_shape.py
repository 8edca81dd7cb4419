# expect: line 11, about: alloc_local|array
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            v = T.alloc_var(T.float32, 4, 4, 0.0)
            Y[0, 0] = v + X[0, 0]

    return main
