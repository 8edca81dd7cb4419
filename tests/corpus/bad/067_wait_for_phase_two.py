# expect: line 13, about: parity, 0, 1
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            done = T.alloc_barrier(128)
            T.barrier_arrive(done)
            T.barrier_wait(done, 2)
            Y[0, 0] = X[0, 0]

    return main
