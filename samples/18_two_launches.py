"""Lesson 18: two launches, one function.

What one block cannot know in time, a second launch can: the first adds up each stripe of the vector into a workspace, the
second combines the stripes and normalises. `T.alloc_global` is memory that lives between them.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def normalise(n=5000, block=512):
    stripes = (n + block - 1) // block

    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        partial = T.alloc_global((stripes,), T.float32)
        with T.Kernel(stripes, threads=128) as bx:
            x = T.alloc_fragment((1, block), T.float32)
            s = T.alloc_fragment((1,), T.float32)
            for j in T.Parallel(block):
                x[0, j] = X[bx * block + j] * X[bx * block + j]
            T.reduce_sum(x, s, dim=1)
            T.copy(s, partial[bx])
        with T.Kernel(stripes, threads=128) as bx:
            total = T.alloc_var(T.float32, 0.0)
            for k in T.serial(stripes):
                total += partial[k]
            scale = T.rsqrt(total)
            for j in T.Parallel(block):
                Y[bx * block + j] = X[bx * block + j] * scale

    return main


if __name__ == "__main__":
    import torch

    x = torch.randn(5000, device="cuda")
    torch.testing.assert_close(normalise(5000)(x), x / x.norm(), rtol=1e-4, atol=1e-5)
