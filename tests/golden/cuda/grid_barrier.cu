// two_phases_kernel: 128 threads a block, all blocks resident
extern "C" __global__ void __launch_bounds__(128) two_phases_kernel(float* X, float* Y, unsigned* grid_barrier)
{
    const int bx = (int)blockIdx.x;
    const int tx = (int)threadIdx.x;
    // Y[bx * 128 + tx] = X[bx * 128 + tx] * T.float32(2)
#line 11 "grid_barrier.py"
    Y[bx * 128 + tx] = X[bx * 128 + tx] * 2.0f;
    // T.sync_grid()
#line 12 "grid_barrier.py"
    tw_grid_sync(grid_barrier);
    // X[bx * 128 + tx] = Y[1023 - bx * 128 - tx]
#line 13 "grid_barrier.py"
    X[bx * 128 + tx] = Y[-(bx * 128) - tx + 1023];
    // T.print(X[bx * 128 + tx], "after")
#line 14 "grid_barrier.py"
    printf("msg='after' BlockIdx=(%d, %d, %d), ThreadIdx=(%d, %d, %d): dtype=float32 value=%f\n", (int)blockIdx.x, (int)blockIdx.y, (int)blockIdx.z, (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z, double(float(X[bx * 128 + tx])));
    // T.device_assert(bx < 8, "few blocks")
#line 15 "grid_barrier.py"
    if (!(bx < 8)) tw_assert_failed("few blocks", "grid_barrier.py", 15);
}
