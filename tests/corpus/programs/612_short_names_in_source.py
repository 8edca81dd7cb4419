"""C source of the author's that uses the short type names which a host's headers give (uint, uint8_t), in a launch of one block
that names no grid."""

import tilelang
import tilelang.language as T

SOURCE = r"""
#ifndef __CUDACC__
#define __device__
typedef unsigned int uint;
typedef unsigned char uint8_t;
#endif

static __device__ void unpack_crumbs(const uint8_t *packed, signed char *out) {
  uint word = *packed;
  for (int i = 0; i < 4; ++i)
    out[i] = (signed char)((word >> (2 * i) & 3u) - 2);
}
"""


@tilelang.jit(out_idx=[1])
def unpack(threads=64):
    @T.prim_func
    def main(Packed: T.Tensor((threads,), T.uint8), Values: T.Tensor((threads, 4), T.int8)):
        with T.Kernel(threads=threads):
            T.import_source(SOURCE)
            tx = T.get_thread_binding()
            byte = T.alloc_local((1,), T.uint8)
            four = T.alloc_local((4,), T.int8)
            byte[0] = Packed[tx]
            T.call_extern("unpack_crumbs", T.address_of(byte[0]), T.address_of(four[0]), dtype="handle")
            for i in T.serial(4):
                Values[tx, i] = four[i]

    return main
