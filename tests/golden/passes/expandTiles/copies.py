# target: sm_80
import tilelang.language as T


@T.prim_func
def copies(A: T.Tensor((100, 64), "float16"), B: T.Tensor((100, 64), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(T.ceildiv(100, 32), threads=64) as by:
        tx = T.get_thread_binding()
        s = T.alloc_shared((32, 64), "float16")
        f = T.alloc_fragment((32, 64), "float32")
        x = T.alloc_local((4,), "float32")
        T.async_copy(A[by * 32, 0], s)
        T.ptx_wait_group(0)
        T.copy(s, f)
        T.copy(f, B[by * 32, 0])
        T.fill(x, 1.0)
        T.copy(C[tx % 16 * 4:tx % 16 * 4 + 4], x)
        T.atomic_add(C[0:32], f[:, 3])
