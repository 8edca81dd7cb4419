"""Lesson 2: one loop, all threads.

`T.Parallel` runs its iterations in any order and at the same time; the compiler deals them to the block's threads and
picks wide memory accesses. This one fuses a gated activation, silu(gate) * up, into a single pass over memory.

Watch the types: arithmetic of halves rounds to a half after every operation. The two casts make it float32, so only the
store into `Out` rounds.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def swiglu(rows=512, cols=1000, block=256):
    @T.prim_func
    def main(
        Gate: T.Tensor((rows, cols), T.float16),
        Up: T.Tensor((rows, cols), T.float16),
        Out: T.Tensor((rows, cols), T.float16),
    ):
        with T.Kernel(T.ceildiv(cols, block), rows, threads=128) as (bx, row):
            for j in T.Parallel(block):
                g = T.cast(Gate[row, bx * block + j], T.float32)
                u = T.cast(Up[row, bx * block + j], T.float32)
                Out[row, bx * block + j] = g * T.sigmoid(g) * u

    return main


if __name__ == "__main__":
    import torch

    gate, up = (torch.randn(512, 1000, device="cuda", dtype=torch.float16) for _ in range(2))
    want = torch.nn.functional.silu(gate.float()) * up.float()
    torch.testing.assert_close(swiglu(512, 1000)(gate, up), want.half(), rtol=1e-3, atol=1e-3)
