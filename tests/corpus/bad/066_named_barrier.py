# expect: line 13, about: 32|warp|warps, 48
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            tx = T.get_thread_binding()
            if tx < 48:
                T.sync_threads(1, 48)
            Y[0, 0] = X[0, 0]

    return main
