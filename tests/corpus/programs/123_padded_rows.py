"""Rows that are no multiple of the block: a fragment is padded, only its front is loaded, and the whole of it is stored; what is
beyond the end of a row goes nowhere."""
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def expand_rows(n, width, padded=64):
    @T.prim_func
    def main(X: T.Tensor((n, width), T.float32), Where: T.Tensor((n, 2), T.int32), Y: T.Tensor((2 * n, width), T.float32)):
        with T.Kernel(n, threads=32) as row:
            x = T.alloc_fragment((padded,), T.float32)
            places = T.alloc_local((2,), T.int32)
            T.copy(Where[row, 0], places)
            T.copy(X[row, :], x[0:width])
            for k in T.serial(2):
                if places[k] >= 0:
                    for i in T.Parallel(padded):
                        Y[places[k], i] = x[i]

    return main


def main():
    x = torch.randn(20, 40, device="cuda")
    where = torch.randperm(40, device="cuda").view(20, 2).int()
    y = torch.empty(40, 40, device="cuda")
    expand_rows(20, 40)(x, where, y)
    torch.testing.assert_close(y[where.long()], x[:, None].expand(20, 2, 40))


if __name__ == "__main__":
    main()
