import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def add(n=256, bias=False):
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), b: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(n):
                if bias:
                    Y[i] = X[i] + b[i]
                else:
                    Y[i] = X[i]

    return main


if __name__ == "__main__":
    add(256, True)
