"""Lesson 6: what a pipeline is.

The loop below adds up row panels. With num_stages = 1 every step waits for its copy; with more, the copies of the next
steps are under way while this one is added. How many copies of `panel` that needs is decided by the compiler: the source
names one. A trip count that is known only at run time (here: `count[0]`) is fine, zero included.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def sum_panels(panels=12, rows=64, cols=128, num_stages=3):
    @T.prim_func
    def main(
        X: T.Tensor((panels, rows, cols), T.float32),
        count: T.Tensor((1,), T.int32),
        Y: T.Tensor((rows, cols), T.float32),
    ):
        with T.Kernel(T.ceildiv(cols, 64), T.ceildiv(rows, 32), threads=128) as (bx, by):
            panel = T.alloc_shared((32, 64), T.float32)
            total = T.alloc_fragment((32, 64), T.float32)
            T.clear(total)
            for p in T.Pipelined(T.min(count[0], panels), num_stages=num_stages):
                T.copy(X[p, by * 32 : (by + 1) * 32, bx * 64 : (bx + 1) * 64], panel)
                for i, j in T.Parallel(32, 64):
                    total[i, j] += panel[i, j]
            T.copy(total, Y[by * 32, bx * 64])

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(12, 64, 128, device="cuda")
    n = torch.tensor([5], device="cuda", dtype=torch.int32)
    torch.testing.assert_close(sum_panels(12, 64, 128)(x, n), x[:5].sum(0), rtol=1e-5, atol=1e-5)
