// unpack_kernel: 128 threads a block
extern "C" __global__ void __launch_bounds__(128) unpack_kernel(const unsigned char* __restrict__ Q, const half* __restrict__ S, half* __restrict__ Y, unsigned char* __restrict__ Z)
{
    const int tx = (int)threadIdx.x;
#line 11 "packed_int4.py"
    {
        vec<unsigned char, 4> Q_wide = tw_load<vec<unsigned char, 4>>(Q + tx * 8 / 2);
        const vec<half, 8> Q_float16 = tw_widen_int<half, 8, 4, true>(&Q_wide);
        vec<half, 8> Y_wide;
#pragma unroll
        for (int v = 0; v < 8; ++v) {
            Y_wide[v] = Q_float16[v] * S[0];
        }
        tw_store(&Y[tx * 8], Y_wide);
    }
#line 13 "packed_int4.py"
    {
        vec<unsigned char, 4> Q_wide = tw_load<vec<unsigned char, 4>>(Q + tx * 8 / 2);
        vec<unsigned char, 4> Z_wide;
#pragma unroll
        for (int v = 0; v < 8; ++v) {
            tw_store_4(Z_wide.e, v, (unsigned)tw_wrap_s4(tw_load_s4(Q_wide.e, v) + (signed char)1));
        }
        tw_store(Z + tx * 8 / 2, Z_wide);
    }
}
