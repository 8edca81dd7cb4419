// gemm_kernel: 32 threads a block, 1536 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32) gemm_kernel(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C)
{
    const int bx = (int)blockIdx.x;
    const int tx = (int)threadIdx.x;
    alignas(16) __shared__ half A_s[512];
    alignas(16) __shared__ half B_s[256];
    alignas(16) half A_r[8];
    alignas(16) half B_r[4];
    alignas(16) float C_r[4];
#line 16 "gemm_mma_pipeline.py"
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        // C_r[i] = T.float32(0)
#line 17 "gemm_mma_pipeline.py"
        C_r[i] = 0.0f;
    }
#line 18 "gemm_mma_pipeline.py"
    for (int k = 0; k < 32; ++k) {
        // tw.op("ptx_cp_async", A_s[k % 2 * 256 + tx * 8], A[bx * 16 + tx // 2, k * 16 + tx % 2 * 8], None, count=8)
#line 19 "gemm_mma_pipeline.py"
        tw_cp_async<16>(&A_s[k % 2 * 256 + tx * 8], &A[bx * 8192 + tx / 2 * 512 + k * 16 + tx % 2 * 8]);
        // tw.op("ptx_cp_async", B_s[k % 2 * 128 + tx % 16 * 8], B[k * 16 + tx % 16, 0], tx < 16, count=8)
#line 20 "gemm_mma_pipeline.py"
        tw_cp_async<16>(&B_s[k % 2 * 128 + tx % 16 * 8], &B[k * 128 + tx % 16 * 8], tx < 16);
        // T.ptx_commit_group()
#line 21 "gemm_mma_pipeline.py"
        tw_cp_async_commit();
        // T.ptx_wait_group(0)
#line 22 "gemm_mma_pipeline.py"
        tw_cp_async_wait<0>();
        // T.sync_threads()
#line 23 "gemm_mma_pipeline.py"
        __syncthreads();
        // tw.op("ptx_ldmatrix", A_r[0:8], A_s[k % 2 * 256 + tx % 16 * 16 + tx // 16 * 8], num=4)
#line 24 "gemm_mma_pipeline.py"
        tw_ldmatrix_x4(A_r, &A_s[k % 2 * 256 + tx % 16 * 16 + tx / 16 * 8]);
        // tw.op("ptx_ldmatrix", B_r[0:4], B_s[k % 2 * 128 + tx % 16 * 8], num=2, trans=True)
#line 25 "gemm_mma_pipeline.py"
        tw_ldmatrix_x2_trans(B_r, &B_s[k % 2 * 128 + tx % 16 * 8]);
        // tw.op("ptx_mma", A_r[0:8], B_r[0:4], C_r[0:4], shape="m16n8k16", type="float16")
#line 26 "gemm_mma_pipeline.py"
        tw_mma_m16n8k16_f32_f16_f16(C_r, A_r, B_r);
    }
#line 27 "gemm_mma_pipeline.py"
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#line 28 "gemm_mma_pipeline.py"
        {
            vec<float, 2> C_wide;
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                C_wide[j] = C_r[i * 2 + j];
            }
            tw_store(&C[bx * 128 + i * 64 + tx / 4 * 8 + tx % 4 * 2], C_wide);
        }
    }
}
