// divide_kernel: 64 threads a block
extern "C" __global__ void __launch_bounds__(64) divide_kernel(const int* __restrict__ X, int* __restrict__ Y, int d, int N)
{
    const int bx = (int)blockIdx.x;
    const int tx = (int)threadIdx.x;
#line 13 "floor_division.py"
    const long long i = (long long)bx * 64 + tx;
#line 14 "floor_division.py"
    if (i < N) {
        // Y[i] = X[i] // 8 + X[i] % 8 + X[i] // d + X[i] % 3 + i // 5 - X[i] * 7
#line 15 "floor_division.py"
        Y[i] = tw_wrap_sub(tw_wrap_add(tw_wrap_add(tw_wrap_add(tw_wrap_add(X[i] >> 3, X[i] & 7), tw_floordiv<int>(X[i], d)), tw_floormod<int>(X[i], 3)), (int)(i / 5)), tw_wrap_mul(X[i], 7));
    }
}
