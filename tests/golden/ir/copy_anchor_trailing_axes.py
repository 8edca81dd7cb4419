import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def heads(B=2, S=64, H=3, D=32):
    @T.prim_func
    def main(
        bhsd: T.Tensor((B, H, S, D), T.float16),
        bshd: T.Tensor((B, S, H, D), T.float16),
        out: T.Tensor((B, H, 2, S, D), T.float16),
    ):
        with T.Kernel(H, B, threads=128) as (h, b):
            x = T.alloc_shared((S, D), T.float16)
            T.copy(bhsd[b, h, 0, 0], x)
            T.copy(x, out[b, h, 0, 0, 0])
            T.copy(bshd[b, 0:S, h, :], x)
            T.copy(x, out[b, h, 1, :, :])

    return main
