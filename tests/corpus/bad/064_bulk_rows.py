# expect: line 13, about: 16, 40|20
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            s = T.alloc_shared((n, 20), T.float16)
            arrived = T.alloc_barrier(128)
            T.tma_copy(X[0:n, 0:20], s, barrier=arrived)
            T.barrier_arrive(arrived)
            T.barrier_wait(arrived, 0)
            T.copy(s, Y[0:n, 0:20])

    return main
