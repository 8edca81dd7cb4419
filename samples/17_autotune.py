"""Lesson 17: a kernel with choices.

`tilelang.autotune` lists configurations; their keys are parameters of the kernel. The workbench offers them as choices
and uses the first until told otherwise. The list is ordinary Python and is evaluated when the file is opened.
"""
import itertools

import tilelang
import tilelang.language as T


def configurations():
    space = {"block": [128, 256, 512], "rows": [1, 2]}
    return [dict(zip(space, values)) for values in itertools.product(*space.values())]


@tilelang.autotune(configs=configurations(), warmup=5, rep=20)
@tilelang.jit(out_idx=[2])
def axpy_rows(M=64, N=2000, block=128, rows=1):
    @T.prim_func
    def main(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M, N), T.float32), Z: T.Tensor((M, N), T.float32)):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, rows), threads=128) as (bx, by):
            for i, j in T.Parallel(rows, block):
                Z[by * rows + i, bx * block + j] = 2.0 * X[by * rows + i, bx * block + j] + Y[by * rows + i, bx * block + j]

    return main


if __name__ == "__main__":
    import torch

    x, y = (torch.randn(64, 2000, device="cuda") for _ in range(2))
    torch.testing.assert_close(axpy_rows(64, 2000)(x, y), 2 * x + y)
