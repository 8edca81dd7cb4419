import tilelang
import tilelang.language as T


@tilelang.autotune(config=[dict(block=64)])
@tilelang.jit(out_idx=[1])
def copy(n=64, block=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=block) as bx:
            T.copy(X, Y)

    return main
