# target: sm_75
import tilelang.language as T
import tw


@T.prim_func
def histogram(X: T.Tensor((4096,), "int32"), H: T.Tensor((256,), "int32"), S: T.Tensor((4,), "bfloat16"), P: T.Tensor((2,), "float16"), M: T.Tensor((1,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(32, threads=128) as bx:
        tx = T.get_thread_binding(0)
        old = tw.bind(T.atomic_add(H[X[bx * 128 + tx] % 256], 1, return_prev=True))
        T.atomic_add(S[old % 4], T.bfloat16(1), memory_order="release")
        T.atomic_add(P[0], T.float16(0.5))
        T.atomic_max(M[0], T.Cast("float32", old))
