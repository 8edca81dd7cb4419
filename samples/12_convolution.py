"""Lesson 12: a convolution is a matrix product with a strange A.

Row m of A is an output pixel, column k one (filter row, filter column, channel). No such matrix is stored: each block
gathers the tile it needs from the image while it copies, and what falls outside the image is zero padding.
"""
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def conv2d(N, H, W, C, F, kernel=3, stride=1, pad=1, block_M=64, block_N=64, block_K=32):
    OH = (H + 2 * pad - kernel) // stride + 1
    OW = (W + 2 * pad - kernel) // stride + 1
    pixels, taps = N * OH * OW, kernel * kernel * C

    @T.prim_func
    def main(
        image: T.Tensor((N, H, W, C), T.float16),
        weight: T.Tensor((kernel, kernel, C, F), T.float16),
        out: T.Tensor((N, OH, OW, F), T.float16),
    ):
        with T.Kernel(T.ceildiv(F, block_N), T.ceildiv(pixels, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_K), T.float16)
            b = T.alloc_shared((block_K, block_N), T.float16)
            acc = T.alloc_fragment((block_M, block_N), T.float32)
            flat_weight = T.Tensor((taps, F), T.float16, weight.data)
            flat_out = T.Tensor((pixels, F), T.float16, out.data)
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(taps, block_K), num_stages=2):
                for i, j in T.Parallel(block_M, block_K):
                    m = by * block_M + i
                    k = ko * block_K + j
                    y = m % (OH * OW) // OW * stride + k // (kernel * C) - pad
                    x = m % OW * stride + k // C % kernel - pad
                    inside = (m < pixels) and (k < taps) and (y >= 0) and (y < H) and (x >= 0) and (x < W)
                    a[i, j] = T.if_then_else(inside, image[m // (OH * OW), y, x, k % C], 0)
                T.copy(flat_weight[ko * block_K, bx * block_N], b)
                T.gemm(a, b, acc)
            T.copy(acc, flat_out[by * block_M, bx * block_N])

    return main


if __name__ == "__main__":
    import torch

    image = torch.randn(2, 14, 15, 16, device="cuda", dtype=torch.float16)
    weight = torch.randn(3, 3, 16, 24, device="cuda", dtype=torch.float16)
    out = conv2d(2, 14, 15, 16, 24)(image, weight)
    want = torch.nn.functional.conv2d(image.permute(0, 3, 1, 2).float(), weight.permute(3, 2, 0, 1).float(), padding=1)
    torch.testing.assert_close(out.float(), want.permute(0, 2, 3, 1), rtol=1e-2, atol=5e-2)
