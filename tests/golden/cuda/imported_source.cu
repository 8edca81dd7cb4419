// mix_kernel: 128 threads a block
extern "C" __global__ void __launch_bounds__(128) mix_kernel(const int* __restrict__ X, int* __restrict__ Y)
{
    const int tx = (int)threadIdx.x;
    alignas(16) int word[2];
    // word[0] = X[tx]
#line 17 "imported_source.py"
    word[0] = X[tx];
    // T.call_extern("void", "twice", T.address_of(word[0]), T.address_of(word[1]))
#line 18 "imported_source.py"
    twice(word, &word[1]);
    // Y[tx] = T.call_extern("int32", "rotate", word[1], 5)
#line 19 "imported_source.py"
    Y[tx] = rotate(word[1], 5);
}
