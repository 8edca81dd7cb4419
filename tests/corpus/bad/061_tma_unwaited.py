# expect: line 13, about: barrier_wait, wait|waits|waited
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(n=64):
    @T.prim_func
    def main(X: T.Tensor((n, n), T.float16), Y: T.Tensor((n, n), T.float16)):
        with T.Kernel(1, threads=128) as bx:
            s = T.alloc_shared((n, n), T.float16)
            arrived = T.alloc_barrier(128)
            T.tma_copy(X, s, barrier=arrived)
            T.barrier_arrive(arrived)
            T.copy(s, Y)

    return main
