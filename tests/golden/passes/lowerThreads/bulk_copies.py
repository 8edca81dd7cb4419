# target: sm_90a
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64, 256), "float16"), B: T.Tensor((64, 256), "float16")):
    with T.Kernel(1, threads=128):
        ring = T.alloc_shared((2, 64, 128), "float16")
        full = T.alloc_barrier([128, 128])
        for k in T.serial(4):
            T.tma_copy(A[k, 0:64, 128:256], ring[k % 2, :, :], barrier=full[k % 2])
            T.barrier_arrive(full[k % 2])
            T.barrier_wait(full[k % 2], k // 2 % 2)
        T.tma_copy(ring[1, :, :], B[0:64, 0:128])
        T.tma_store_wait()
