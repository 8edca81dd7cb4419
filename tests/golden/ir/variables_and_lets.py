import tilelang
import tilelang.language as T


@tilelang.jit
def scan(n=64):
    @T.prim_func
    def main(X: T.Tensor((n,), T.int32)):
        with T.Kernel(1, threads=1):
            total = T.alloc_var(T.int32)
            best = T.alloc_var(T.int32, -1)
            i = T.alloc_var("int32", 0)
            while i < n:
                old = X[i]
                total += old
                if old > best:
                    best = old
                elif old < 0:
                    break
                X[i] = total
                i += 1
            X[0], X[1] = X[1], X[0]

    return main
