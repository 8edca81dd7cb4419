"""Fragments of one or a few elements that threads use as registers of their own: plain statements of each thread add to them,
no parallel loop and no tile operation does. A warp adds up what its threads have; a fragment that all threads fill alike stays
a tile of the block."""
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1, 2])
def column_moments(rows, columns, threads=64):
    @T.prim_func
    def main(
        X: T.Tensor((rows, columns), T.float32),
        Sums: T.Tensor((columns, 2), T.float32),
        Warps: T.Tensor((T.ceildiv(columns, 32),), T.float32),
    ):
        with T.Kernel(T.ceildiv(columns, threads), threads=threads) as bx:
            tx = T.get_thread_binding()
            column = bx * threads + tx
            sums = T.alloc_fragment((2,), T.float32)
            scale = T.alloc_fragment((1,), T.float32)
            T.clear(sums)
            scale[0] = 1.0
            for r in T.serial(rows):
                scale[0] = scale[0] * -1.0
                if column < columns:
                    sums[0] += scale[0] * X[r, column]
                    sums[1] += X[r, column] * X[r, column]
            for k in T.serial(2):
                if column < columns:
                    Sums[column, k] = sums[k]
            total = T.alloc_fragment((1,), T.float32)
            total[0] = T.warp_reduce_sum(sums[0])
            if tx % 32 == 0 and column < columns:
                Warps[column // 32] = total[0]

    return main


def main():
    x = torch.randint(-5, 6, (9, 200), device="cuda").float()
    sums, warps = column_moments(9, 200)(x)
    sign = torch.tensor([-1.0, 1.0], device="cuda").repeat(5)[:9, None]
    torch.testing.assert_close(sums[:, 0], (sign * x).sum(0))
    torch.testing.assert_close(sums[:, 1], (x * x).sum(0))
    torch.testing.assert_close(warps[:6], (sign * x).sum(0)[:192].view(6, 32).sum(1))


if __name__ == "__main__":
    main()
