"""Lesson 10: grouped queries, decoded one token at a time.

When a model writes its answer, each step has one query a head but thousands of keys. Several heads share one key head, so
their queries form the rows of a tile: the product that would be a thin vector times a matrix fills the tensor core again.
Layout here is (batch, sequence, head, dim), so the tile of keys is written as slices with the head fixed between them.
"""
import math

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def decode(batch=2, heads=16, groups=2, keys=500, dim=64, block_N=64):
    share = heads // groups
    rows = 16  # a product has at least 16 rows; what is beyond `share` is not written
    assert heads % groups == 0 and share <= rows, f"{heads} heads do not share {groups} key heads by up to {rows}"
    scale = math.log2(math.e) / math.sqrt(dim)

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, dim), T.float16),
        K: T.Tensor((batch, keys, groups, dim), T.float16),
        V: T.Tensor((batch, keys, groups, dim), T.float16),
        O: T.Tensor((batch, heads, dim), T.float16),
    ):
        with T.Kernel(groups, batch, threads=32) as (g, b):
            q = T.alloc_shared((rows, dim), T.float16)
            k = T.alloc_shared((block_N, dim), T.float16)
            v = T.alloc_shared((block_N, dim), T.float16)
            score = T.alloc_fragment((rows, block_N), T.float32)
            weight = T.alloc_shared((rows, block_N), T.float16)
            out = T.alloc_fragment((rows, dim), T.float32)
            top = T.alloc_fragment((rows,), T.float32)
            fade = T.alloc_fragment((rows,), T.float32)
            part = T.alloc_fragment((rows,), T.float32)
            total = T.alloc_fragment((rows,), T.float32)

            T.clear(q)
            for i, d in T.Parallel(share, dim):
                q[i, d] = Q[b, g * share + i, d]
            T.clear(out)
            T.clear(total)
            T.fill(top, -1e30)
            for n in T.Pipelined(T.ceildiv(keys, block_N), num_stages=2):
                T.copy(K[b, n * block_N : (n + 1) * block_N, g, :], k)
                T.copy(V[b, n * block_N : (n + 1) * block_N, g, :], v)
                T.gemm(q, k, score, transpose_B=True, clear_accum=True)
                T.copy(top, fade)
                for i, j in T.Parallel(rows, block_N):
                    score[i, j] = T.if_then_else(n * block_N + j < keys, score[i, j] * scale, -1e30)
                T.reduce_max(score, top, dim=1, clear=False)
                for i in T.Parallel(rows):
                    fade[i] = T.exp2(fade[i] - top[i])
                for i, j in T.Parallel(rows, block_N):
                    score[i, j] = T.exp2(score[i, j] - top[i])
                T.reduce_sum(score, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * fade[i] + part[i]
                for i, d in T.Parallel(rows, dim):
                    out[i, d] *= fade[i]
                T.copy(score, weight)
                T.gemm(weight, v, out)
            for i, d in T.Parallel(share, dim):
                O[b, g * share + i, d] = out[i, d] / total[i]

    return main


if __name__ == "__main__":
    import torch

    q = torch.randn(2, 16, 64, device="cuda", dtype=torch.float16)
    k, v = (torch.randn(2, 500, 2, 64, device="cuda", dtype=torch.float16) for _ in range(2))
    many = [t.permute(0, 2, 1, 3).repeat_interleave(8, dim=1) for t in (k, v)]
    want = torch.nn.functional.scaled_dot_product_attention(q[:, :, None, :], *many)[:, :, 0]
    torch.testing.assert_close(decode(2, 16, 2, 500, 64)(q, k, v), want, rtol=1e-2, atol=1e-2)
