# target: sm_80
import tilelang.language as T
import tw

SOURCE = """static __device__ int rotate(int x, int n) { return (int)((unsigned)x << n | (unsigned)x >> (32 - n)); }
static __device__ void twice(const int* from, int* to) { *to = 2 * *from; }
static __device__ int unused() { return 1; }
"""


@T.prim_func
def mix(X: T.Tensor((128,), "int32"), Y: T.Tensor((128,), "int32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=128, prelude=SOURCE) as bx:
        tx = T.get_thread_binding(0)
        word = T.alloc_local((2,), "int32")
        word[0] = X[tx]
        T.call_extern("void", "twice", T.address_of(word[0]), T.address_of(word[1]))
        Y[tx] = T.call_extern("int32", "rotate", word[1], 5)
