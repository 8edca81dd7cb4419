# target: sm_90a
import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((384,), "float32"), Y: T.Tensor((384,), "float32")):
    with T.Kernel(1, threads=384):
        tx = T.get_thread_binding()
        with T.ws(0):
            T.set_max_nreg(24, 0)
        with T.ws(1, 2):
            T.set_max_nreg(240, 1)
        Y[tx] = X[tx]
