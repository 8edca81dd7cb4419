"""Kernels that are measured on a GPU beside the best of others; bench.py runs them."""
import math

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def gemm(M, N, K, block_M=128, block_N=256, block_K=32, num_stages=4, threads=256, panel=8, dtype=T.float16):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), T.float32)
            T.use_swizzle(panel)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


@tilelang.jit(out_idx=[3])
def attention(heads, seq, dim, block_M=128, block_N=64, num_stages=2, threads=256):
    scale = math.log2(math.e) / math.sqrt(dim)
    shape = (heads, seq, dim)

    @T.prim_func
    def main(
        Q: T.Tensor(shape, T.float16),
        K: T.Tensor(shape, T.float16),
        V: T.Tensor(shape, T.float16),
        O: T.Tensor(shape, T.float16),
    ):
        with T.Kernel(T.ceildiv(seq, block_M), heads, threads=threads) as (bx, head):
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
            T.copy(Q[head, bx * block_M, 0], q)
            T.clear(out)
            T.clear(total)
            T.fill(top, -T.infinity(T.float32))
            for n in T.Pipelined(T.ceildiv(seq, block_N), num_stages=num_stages):
                T.copy(K[head, n * block_N, 0], k)
                T.gemm(q, k, score, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(top, before)
                T.reduce_max(score, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    before[i] = T.exp2(before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    score[i, j] = T.exp2(score[i, j] * scale - top[i] * scale)
                T.reduce_sum(score, part, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * before[i] + part[i]
                for i, j in T.Parallel(block_M, dim):
                    out[i, j] *= before[i]
                T.copy(score, weight)
                T.copy(V[head, n * block_N, 0], v)
                T.gemm(weight, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, dim):
                out[i, j] /= total[i]
            T.copy(out, O[head, bx * block_M, 0])

    return main


@tilelang.jit(out_idx=[-1])
def copy(n, block=4096, dtype=T.float32):
    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i]

    return main


@tilelang.jit(out_idx=[-1])
def elementwise(n, block=4096, dtype=T.float32):
    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=256) as bx:
            for i in T.Parallel(block):
                C[bx * block + i] = A[bx * block + i] * 2.0 + B[bx * block + i]

    return main


@tilelang.jit(out_idx=[-1])
def softmax(rows, cols, block=1, threads=256, dtype=T.float16):
    @T.prim_func
    def main(X: T.Tensor((rows, cols), dtype), Y: T.Tensor((rows, cols), dtype)):
        with T.Kernel(T.ceildiv(rows, block), threads=threads) as bx:
            x = T.alloc_fragment((block, cols), T.float32)
            top = T.alloc_fragment((block,), T.float32)
            total = T.alloc_fragment((block,), T.float32)
            T.copy(X[bx * block, 0], x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(block, cols):
                x[i, j] = T.exp2((x[i, j] - top[i]) * 1.4426950408889634)
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(block, cols):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[bx * block, 0])

    return main


@tilelang.jit(out_idx=[-1])
def rms_norm(rows, cols, block=1, threads=256, dtype=T.float16):
    @T.prim_func
    def main(X: T.Tensor((rows, cols), dtype), W: T.Tensor((cols,), dtype), Y: T.Tensor((rows, cols), dtype)):
        with T.Kernel(T.ceildiv(rows, block), threads=threads) as bx:
            x = T.alloc_fragment((block, cols), T.float32)
            square = T.alloc_fragment((block, cols), T.float32)
            mean = T.alloc_fragment((block,), T.float32)
            T.copy(X[bx * block, 0], x)
            for i, j in T.Parallel(block, cols):
                square[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(square, mean, dim=1)
            for i in T.Parallel(block):
                mean[i] = T.rsqrt(mean[i] / cols + 1e-5)
            for i, j in T.Parallel(block, cols):
                Y[bx * block + i, j] = x[i, j] * mean[i] * W[j]

    return main


@tilelang.jit(out_idx=[-1])
def transpose(rows, cols, block=64, threads=256, dtype=T.float32):
    @T.prim_func
    def main(A: T.Tensor((rows, cols), dtype), B: T.Tensor((cols, rows), dtype)):
        with T.Kernel(T.ceildiv(cols, block), T.ceildiv(rows, block), threads=threads) as (bx, by):
            tile = T.alloc_shared((block, block), dtype)
            T.copy(A[by * block, bx * block], tile)
            for i, j in T.Parallel(block, block):
                B[bx * block + i, by * block + j] = tile[j, i]

    return main
