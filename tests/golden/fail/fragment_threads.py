import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=64):
        f = T.alloc_fragment((64, 64), "float32")
        T.annotate_layout({f: T.Fragment((64, 64), forward_fn=lambda i, j: (i * 2 + j // 32, j % 32))})
        T.copy(A, f)
        T.copy(f, C)
