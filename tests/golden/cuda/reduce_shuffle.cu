// row_sum_kernel: 32 threads a block
extern "C" __global__ void __launch_bounds__(32) row_sum_kernel(const bf16* __restrict__ X, float* __restrict__ Y)
{
    const int bx = (int)blockIdx.x;
    const int tx = (int)threadIdx.x;
    // T.alloc_var("float32", 0.0)
#line 11 "reduce_shuffle.py"
    float acc = 0.0f;
#line 12 "reduce_shuffle.py"
    for (int i = 0; i < 8; ++i) {
        // acc[0] = acc[0] + T.Cast("float32", X[bx, i * 32 + tx])
#line 13 "reduce_shuffle.py"
        acc = acc + float(X[bx * 256 + i * 32 + tx]);
    }
    // acc[0] = acc[0] + T.shfl_xor(acc[0], 16)
#line 14 "reduce_shuffle.py"
    acc = acc + tw_shfl_xor(acc, 16);
    // acc[0] = acc[0] + T.shfl_xor(acc[0], 8)
#line 15 "reduce_shuffle.py"
    acc = acc + tw_shfl_xor(acc, 8);
    // acc[0] = T.warp_reduce_max(acc[0])
#line 16 "reduce_shuffle.py"
    acc = tw_warp_max(acc);
#line 17 "reduce_shuffle.py"
    if (tx == 0) {
        // Y[bx] = acc[0]
#line 18 "reduce_shuffle.py"
        Y[bx] = acc;
    }
}
