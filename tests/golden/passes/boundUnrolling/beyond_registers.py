# target: sm_80
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 512), "float32"), Y: T.Tensor((64, 512), "float32")):
    with T.Kernel(1, threads=32):
        tile = T.alloc_fragment((64, 512), "float32")
        scale = T.alloc_fragment((512,), "float32")
        T.copy(X, tile)
        T.reduce_max(tile, scale, dim=0)
        for i, j in T.Parallel(64, 512):
            tile[i, j] = tile[i, j] / scale[j]
        T.copy(tile, Y)
