// widen_kernel: 128 threads a block
extern "C" __global__ void __launch_bounds__(128) widen_kernel(const e4m3* __restrict__ X, const e5m2* __restrict__ S, bf16* __restrict__ Y, bf16* __restrict__ Z)
{
    const int tx = (int)threadIdx.x;
    alignas(16) e4m3 x[8];
    alignas(16) bf16 y[8];
#line 14 "narrow_floats.py"
    {
        vec<e4m3, 8> X_wide = tw_load<vec<e4m3, 8>>(&X[tx * 8]);
#pragma unroll
        for (int v = 0; v < 8; ++v) {
            x[v] = X_wide[v];
        }
    }
#line 16 "narrow_floats.py"
    {
        const vec<bf16, 8> x_bfloat16 = tw_widen_e4m3<bf16, 8>(x);
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            // y[r] = T.Cast("bfloat16", x[r]) * T.bfloat16(2)
#line 17 "narrow_floats.py"
            y[r] = x_bfloat16[r] * bf16(2.0f);
        }
    }
#line 18 "narrow_floats.py"
    {
        vec<bf16, 8> Y_wide;
#pragma unroll
        for (int v = 0; v < 8; ++v) {
            Y_wide[v] = y[v];
        }
        tw_store(&Y[tx * 8], Y_wide);
    }
#line 20 "narrow_floats.py"
    {
        vec<e5m2, 8> S_wide = tw_load<vec<e5m2, 8>>(&S[tx * 8]);
        const vec<bf16, 8> S_bfloat16 = tw_widen_e5m2<bf16, 8>(&S_wide);
        vec<bf16, 8> Z_wide;
#pragma unroll
        for (int v = 0; v < 8; ++v) {
            Z_wide[v] = S_bfloat16[v];
        }
        tw_store(&Z[tx * 8], Z_wide);
    }
}
