"""Lesson 15: building blocks.

`@T.macro` names a piece of kernel and is inlined where it is called. Buffers pass by reference, numbers are bound once, a
parameter marked `T.Ref` is written through. Macros may be made by functions, call one another and take functions as
arguments: here a row-wise pipeline is assembled from a list of steps.
"""
import tilelang
import tilelang.language as T


@T.macro
def map_rows(x, v, rows, cols, f):
    for i, j in T.Parallel(rows, cols):
        x[i, j] = f(x[i, j], v[i])


@T.macro
def count(steps: T.Ref):
    steps += 1


def make_centre(rows, cols):
    @T.macro
    def centre(x, v):
        T.reduce_sum(x, v, dim=1)
        map_rows(x, v, rows, cols, lambda e, total: e - total / cols)

    return centre


def make_normalise(rows, cols):
    @T.macro
    def normalise(x, v):
        T.reduce_absmax(x, v, dim=1)
        map_rows(x, v, rows, cols, lambda e, top: e / T.max(top, 1e-6))

    return normalise


@tilelang.jit(out_idx=[1, 2])
def row_pipeline(M=50, N=96, rows=8, steps=("centre", "normalise")):
    makers = {"centre": make_centre, "normalise": make_normalise}
    chosen = [makers[s](rows, N) for s in steps]

    @T.prim_func
    def main(X: T.Tensor((M, N), T.float32), Y: T.Tensor((M, N), T.float32), Steps: T.Tensor((T.ceildiv(M, rows),), T.int32)):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, N), T.float32)
            v = T.alloc_fragment((rows,), T.float32)
            done = T.alloc_local((1,), T.int32)
            done[0] = 0
            T.copy(X[bx * rows, 0], x)
            for step in chosen:  # a Python list: unrolled while the kernel is built
                step(x, v)
                count(done[0])
            T.copy(x, Y[bx * rows, 0])
            if T.get_thread_binding() == 0:
                Steps[bx] = done[0]

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(50, 96, device="cuda")
    y, steps = row_pipeline(50, 96)(x)
    want = x - x.mean(1, keepdim=True)
    torch.testing.assert_close(y, want / want.abs().amax(1, keepdim=True), rtol=1e-4, atol=1e-4)
    assert steps.eq(2).all()
