# target: sm_80
import tilelang.language as T
import tw


@T.prim_func
def gemm(A: T.Tensor((64, 512), "float16"), B: T.Tensor((512, 8), "float16"), C: T.Tensor((64, 8), "float32")):
    tw.function(stage="thread")
    with T.Kernel(4, threads=32) as bx:
        tx = T.get_thread_binding(0)
        A_s = T.alloc_shared((2 * 16 * 16,), "float16", scope="shared")
        B_s = T.alloc_shared((2 * 16 * 8,), "float16", scope="shared")
        A_r = T.alloc_local((8,), "float16")
        B_r = T.alloc_local((4,), "float16")
        C_r = T.alloc_local((4,), "float32")
        for i in tw.loop("unroll", (0, 4, 1)):
            C_r[i] = T.float32(0)
        for k in T.serial(32):
            tw.op("ptx_cp_async", A_s[k % 2 * 256 + tx * 8], A[bx * 16 + tx // 2, k * 16 + tx % 2 * 8], None, count=8)
            tw.op("ptx_cp_async", B_s[k % 2 * 128 + tx % 16 * 8], B[k * 16 + tx % 16, 0], tx < 16, count=8)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            T.sync_threads()
            tw.op("ptx_ldmatrix", A_r[0:8], A_s[k % 2 * 256 + tx % 16 * 16 + tx // 16 * 8], num=4)
            tw.op("ptx_ldmatrix", B_r[0:4], B_s[k % 2 * 128 + tx % 16 * 8], num=2, trans=True)
            tw.op("ptx_mma", A_r[0:8], B_r[0:4], C_r[0:4], shape="m16n8k16", type="float16")
        for i in tw.loop("unroll", (0, 2, 1)):
            for j in tw.loop("vectorized", (0, 2, 1)):
                C[bx * 16 + i * 8 + tx // 4, tx % 4 * 2 + j] = C_r[i * 2 + j]
