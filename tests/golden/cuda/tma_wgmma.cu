// product_kernel: 128 threads a block, 24584 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) product_kernel(float* __restrict__ C, const __grid_constant__ tw_tensor_map tensor_map_0, const __grid_constant__ tw_tensor_map tensor_map_1)
{
    const int tx = (int)threadIdx.x;
    alignas(1024) __shared__ bf16 A_s[4096];
    alignas(1024) __shared__ bf16 B_s[8192];
    alignas(8) __shared__ unsigned long long full[1];
    alignas(16) float C_r[64];
#line 15 "tma_wgmma.py"
    if (tx == 0) {
        // tw.op("mbarrier_init", full[0], 1)
#line 16 "tma_wgmma.py"
        tw_mbarrier_init(full, 1);
        // T.ptx_fence_barrier_init()
#line 17 "tma_wgmma.py"
        tw_fence_barrier_init();
    }
    // T.sync_threads()
#line 18 "tma_wgmma.py"
    __syncthreads();
#line 19 "tma_wgmma.py"
    if (tx == 0) {
        // T.mbarrier_arrive_expect_tx(full[0], 24576)
#line 20 "tma_wgmma.py"
        tw_mbarrier_arrive_expect_tx(full, 24576);
        // tw.op("ptx_tma_load", A[0:64, 0:64], A_s[0], full[0], swizzle=128)
#line 21 "tma_wgmma.py"
        tw_tma_load_2d(&tensor_map_0, A_s, full, 0, 0);
        // tw.op("ptx_tma_load", B[0:128, 0:64], B_s[0], full[0], swizzle=128, eviction_policy="evict_last")
#line 22 "tma_wgmma.py"
        tw_tma_load_2d_evict_last(&tensor_map_1, B_s, full, 0, 0);
    }
    // T.barrier_wait(full[0], 0)
#line 23 "tma_wgmma.py"
    tw_mbarrier_wait(full, 0);
    // T.warpgroup_arrive()
#line 24 "tma_wgmma.py"
    tw_wgmma_arrive();
#line 25 "tma_wgmma.py"
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        // tw.op("ptx_wgmma", A_s[k * 16], B_s[k * 16], C_r[0:64], k > 0, shape="m64n128k16", type="bfloat16", transpose_B=True, swizzle_A=128, swizzle_B=128, leading_A=16, leading_B=16, stride_A=1024, stride_B=1024)
#line 26 "tma_wgmma.py"
        tw_wgmma_m64n128k16_f32_bf16_bf16_ss_00_128_16_1024_128_16_1024(C_r, &A_s[k * 16], &B_s[k * 16], k > 0);
    }
    // T.warpgroup_commit_batch()
#line 27 "tma_wgmma.py"
    tw_wgmma_commit();
    // T.warpgroup_wait(0)
#line 28 "tma_wgmma.py"
    tw_wgmma_wait<0>();
#line 29 "tma_wgmma.py"
#pragma unroll
    for (int j = 0; j < 16; ++j) {
#line 30 "tma_wgmma.py"
#pragma unroll
        for (int h = 0; h < 2; ++h) {
#line 31 "tma_wgmma.py"
            {
                vec<float, 2> C_wide;
#pragma unroll
                for (int v = 0; v < 2; ++v) {
                    C_wide[v] = C_r[j * 4 + h * 2 + v];
                }
                tw_store(&C[tx / 32 * 2048 + h * 1024 + tx / 4 % 8 * 128 + j * 8 + tx % 4 * 2], C_wide);
            }
        }
    }
}
