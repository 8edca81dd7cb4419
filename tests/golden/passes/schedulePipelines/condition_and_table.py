# target: sm_80
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((32, 64), "float32"), Table: T.Tensor((8,), "int32"), Y: T.Tensor((64,), "float32"), n: T.int32):
    with T.Kernel(1, threads=64):
        x = T.alloc_shared((64,), "float32")
        acc = T.alloc_fragment((64,), "float32")
        T.clear(acc)
        for k in T.Pipelined(n, num_stages=2):
            row = Table[k]
            if row >= 0:
                T.copy(X[row, 0], x)
                for i in T.Parallel(64):
                    acc[i] += x[i] * k
        T.copy(acc, Y)
