"""Lesson 16: down to single threads.

Sometimes the author wants the threads themselves. Here every thread sums a stripe of the row in a variable of its own,
a warp adds up its lanes by shuffles, and the warps meet in shared memory. `T.sync_threads` is where all threads wait for
each other; between barriers they run at their own pace.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def row_norm(M=20, N=1000, threads=128):
    warps = threads // 32

    @T.prim_func
    def main(X: T.Tensor((M, N), T.float32), Norm: T.Tensor((M,), T.float32)):
        with T.Kernel(M, threads=threads) as row:
            tx = T.get_thread_binding()
            partial = T.alloc_shared((warps,), T.float32)
            total = T.alloc_var(T.float32, 0.0)
            for k in T.serial(T.ceildiv(N, threads)):
                if k * threads + tx < N:
                    total += X[row, k * threads + tx] * X[row, k * threads + tx]
            for step in T.unroll(5):
                total += T.shfl_xor(total, 16 >> step)  # afterwards every lane holds the sum of its warp
            if tx % 32 == 0:
                partial[tx // 32] = total
            T.sync_threads()
            if tx == 0:
                whole = T.alloc_var(T.float32, 0.0)
                for w in T.serial(warps):
                    whole += partial[w]
                Norm[row] = T.sqrt(whole)

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(20, 1000, device="cuda")
    torch.testing.assert_close(row_norm(20, 1000)(x), x.norm(dim=1), rtol=1e-5, atol=1e-5)
