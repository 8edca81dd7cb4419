import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def mix(n=128):
    @T.prim_func
    def main(h: T.Tensor((n,), T.float16), b: T.Tensor((n,), T.bfloat16), out: T.Tensor((6, n), T.float32)):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(n):
                out[0, i] = h[i] * 0.5
                out[1, i] = h[i] * 2
                out[2, i] = h[i] * T.float16(0.5)
                out[3, i] = h[i] + b[i]
                out[4, i] = T.max(h[i], 0)
                out[5, i] = T.if_then_else(i % 3 == 0, h[i], 1.5)

    return main
