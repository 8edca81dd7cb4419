"""Lesson 9: attention without the big matrix.

The scores of a block of queries against *all* keys never exist at once. Keys and values come by in blocks; the running
maximum and the running sum are corrected whenever a larger score appears. With `causal=True`, blocks of keys that no
query of this block may see are not visited at all: the trip count depends on the block index.
"""
import math

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def attention(batch, heads, seq, dim, causal=False, block_M=64, block_N=64, num_stages=2):
    scale = math.log2(math.e) / math.sqrt(dim)
    shape = (batch, heads, seq, dim)

    @T.prim_func
    def main(
        Q: T.Tensor(shape, T.float16),
        K: T.Tensor(shape, T.float16),
        V: T.Tensor(shape, T.float16),
        O: T.Tensor(shape, T.float16),
    ):
        with T.Kernel(T.ceildiv(seq, block_M), heads, batch, threads=128) as (bx, head, b):
            q = T.alloc_shared((block_M, dim), T.float16)
            k = T.alloc_shared((block_N, dim), T.float16)
            v = T.alloc_shared((block_N, dim), T.float16)
            score = T.alloc_fragment((block_M, block_N), T.float32)
            weight = T.alloc_fragment((block_M, block_N), T.float16)
            out = T.alloc_fragment((block_M, dim), T.float32)
            top = T.alloc_fragment((block_M,), T.float32)
            before = T.alloc_fragment((block_M,), T.float32)
            part = T.alloc_fragment((block_M,), T.float32)
            total = T.alloc_fragment((block_M,), T.float32)

            T.copy(Q[b, head, bx * block_M, 0], q)
            T.clear(out)
            T.clear(total)
            T.fill(top, -1e30)
            blocks = T.ceildiv(T.min((bx + 1) * block_M, seq), block_N) if causal else T.ceildiv(seq, block_N)
            for n in T.Pipelined(blocks, num_stages=num_stages):
                T.copy(K[b, head, n * block_N, 0], k)
                T.gemm(q, k, score, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_M, block_N):
                    hidden = n * block_N + j >= seq
                    if causal:
                        hidden = n * block_N + j > bx * block_M + i
                    score[i, j] = T.if_then_else(hidden, -1e30, score[i, j] * scale)
                T.copy(top, before)
                T.reduce_max(score, top, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    score[i, j] = T.exp2(score[i, j] - top[i])
                T.reduce_sum(score, part, dim=1)
                for i in T.Parallel(block_M):
                    before[i] = T.exp2(before[i] - top[i])
                    total[i] = total[i] * before[i] + part[i]
                for i, j in T.Parallel(block_M, dim):
                    out[i, j] *= before[i]
                T.copy(score, weight)
                T.copy(V[b, head, n * block_N, 0], v)
                T.gemm(weight, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, dim):
                out[i, j] /= total[i]
            T.copy(out, O[b, head, bx * block_M, 0])

    return main


if __name__ == "__main__":
    import torch

    q, k, v = (torch.randn(1, 4, 300, 64, device="cuda", dtype=torch.float16) for _ in range(3))
    full = attention(1, 4, 300, 64)
    masked = attention(1, 4, 300, 64, causal=True)
    sdpa = torch.nn.functional.scaled_dot_product_attention
    torch.testing.assert_close(full(q, k, v), sdpa(q, k, v), rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(masked(q, k, v), sdpa(q, k, v, is_causal=True), rtol=1e-2, atol=1e-2)
