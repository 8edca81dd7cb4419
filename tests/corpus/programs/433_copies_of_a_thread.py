"""Every thread has a row: it copies the row into its own array, works on it and copies the result out, to a place that its
index names; threads without a row end early. What a thread has is added to a sum by an atomic over its array, too."""
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def scan_rows(n, width=4, threads=32):
    @T.prim_func
    def main(X: T.Tensor((n, width), T.int32), Y: T.Tensor((n, width), T.int32), Total: T.Tensor((width,), T.int32)):
        with T.Kernel(T.ceildiv(n, threads), threads=threads) as bx:
            tx = T.get_thread_binding()
            row = bx * threads + tx
            if row >= n:
                T.thread_return()
            own = T.alloc_local((width,), T.int32)
            T.copy(X[row, :], own)
            for i in T.unroll(1, width):
                own[i] = own[i] + own[i - 1]
            T.copy(own, Y[row, :])
            T.atomic_add(Total[0:width], own)

    return main


def main():
    x = torch.randint(-9, 10, (75, 4), device="cuda", dtype=torch.int32)
    y = torch.empty_like(x)
    total = torch.zeros(4, device="cuda", dtype=torch.int32)
    scan_rows(75)(x, y, total)
    torch.testing.assert_close(y, x.cumsum(1).int())
    torch.testing.assert_close(total, y.sum(0).int())


if __name__ == "__main__":
    main()
