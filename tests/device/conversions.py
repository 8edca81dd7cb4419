# Every conversion between element types over all bit patterns of the narrower side. Nothing is given: the answers of the device
# and of the interpreter must be equal to the bit.
#
#     tilec verify tests/device/conversions.py --device cuda:0
import tilelang.language as T

SMALL = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]


def decode8(dtype):
    @T.prim_func
    def main(Y: T.Tensor((256,), "float32"), H: T.Tensor((256,), "float16"), I: T.Tensor((256,), "int32")):
        with T.Kernel(2, threads=128) as bx:
            for i in T.Parallel(128):
                code = T.reinterpret(T.Cast("uint8", bx * 128 + i), dtype)
                Y[bx * 128 + i] = T.Cast("float32", code)
                H[bx * 128 + i] = T.Cast("float16", code)
                I[bx * 128 + i] = T.Cast("int32", T.Cast("float32", code))

    return main


# All float16 and bfloat16 patterns: every tie of an 8-bit format is among them.
def encode8(dtype):
    @T.prim_func
    def main(F: T.Tensor((65536,), "uint8"), B: T.Tensor((65536,), "uint8")):
        with T.Kernel(512, threads=128) as bx:
            for i in T.Parallel(128):
                half = T.reinterpret(T.Cast("uint16", bx * 128 + i), "float16")
                brain = T.reinterpret(T.Cast("uint16", bx * 128 + i), "bfloat16")
                F[bx * 128 + i] = T.reinterpret(T.Cast(dtype, half), "uint8")
                B[bx * 128 + i] = T.reinterpret(T.Cast(dtype, brain), "uint8")

    return main


# Float32 patterns around every tie of the 16-bit formats: the upper 16 bits are counted, the lower ones chosen.
def encode16(low):
    @T.prim_func
    def main(H: T.Tensor((65536,), "float16"), B: T.Tensor((65536,), "bfloat16"), I: T.Tensor((65536,), "int32"), U: T.Tensor((65536,), "uint8"), S: T.Tensor((65536,), "int16")):
        with T.Kernel(512, threads=128) as bx:
            for i in T.Parallel(128):
                x = T.reinterpret(T.Cast("uint32", bx * 128 + i) * T.uint32(65536) + T.uint32(low), "float32")
                H[bx * 128 + i] = T.Cast("float16", x)
                B[bx * 128 + i] = T.Cast("bfloat16", x)
                I[bx * 128 + i] = T.Cast("int32", x)
                U[bx * 128 + i] = T.Cast("uint8", x)
                S[bx * 128 + i] = T.Cast("int16", x)

    return main


def arithmetic16(dtype):
    @T.prim_func
    def main(A: T.Tensor((65536,), dtype), M: T.Tensor((65536,), dtype), D: T.Tensor((65536,), dtype)):
        with T.Kernel(512, threads=128) as bx:
            for i in T.Parallel(128):
                x = T.reinterpret(T.Cast("uint16", bx * 128 + i), dtype)
                y = T.reinterpret(T.Cast("uint16", (bx * 128 + i) * 40503 % 65536), dtype)
                A[bx * 128 + i] = x + y
                M[bx * 128 + i] = x * y
                D[bx * 128 + i] = x / y

    return main


# Integers that a 16-bit format rounds, and doubles that a float would round first.
def from_wide():
    @T.prim_func
    def main(H: T.Tensor((65536,), "float16"), B: T.Tensor((65536,), "bfloat16"), W: T.Tensor((65536,), "bfloat16"), F: T.Tensor((65536,), "float32")):
        with T.Kernel(512, threads=128) as bx:
            for i in T.Parallel(128):
                n = (bx * 128 + i) * 32749
                H[bx * 128 + i] = T.Cast("float16", n)
                B[bx * 128 + i] = T.Cast("bfloat16", n)
                W[bx * 128 + i] = T.Cast("bfloat16", T.Cast("int64", n) * T.int64(1073741827))
                F[bx * 128 + i] = T.Cast("float32", T.Cast("int64", n) * T.int64(1073741827))

    return main


if __name__ == "__main__":
    for name in SMALL:
        decode8(name)
        encode8(name)
    for bits in (0, 1, 32767, 32768, 32769, 65535, 4096, 12288):
        encode16(bits)
    for name in ("float16", "bfloat16"):
        arithmetic16(name)
    from_wide()
