# target: sm_80
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((8, 64), "float32"), Y: T.Tensor((8, 64), "float32")):
    with T.Kernel(1, threads=64):
        fresh = T.alloc_shared((64,), "float32")
        sums = T.alloc_shared((64,), "float32")
        T.clear(sums)
        for k in T.serial(8):
            T.copy(X[k, 0], fresh)
            for i in T.Parallel(64):
                sums[i] += fresh[i]
            T.copy(sums, Y[k, 0])
