// Programs of language.md that a CPU has to run, with answers known another way.
#include "tests/unit/interp/text_kernel.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

// The interpreter's answer and the CPU's, to the bit.
void expectSame(interp::TextKernel& kernel)
{
    interp::Arguments arguments = kernel.arguments;
    kernel.runWell();
    const Outcome outcome = runOnCpu(*kernel.function, arguments);
    ASSERT_TRUE(outcome.ok) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    for (const auto& [name, tensor] : kernel.arguments.tensors)
        EXPECT_EQ(arguments.tensors.at(name).bytes, tensor.bytes) << name;
}

// Of every four columns of A the first and the last are kept: E is 0, 3, 0, 3, … = 0b11001100 a byte.
TEST(CpuLanguage, SparseProduct)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((16, 32), T.float16), E: T.Tensor((16, 8), T.uint8), B: T.Tensor((64, 16), T.float16), C: T.Tensor((16, 16), T.float32)):
    with T.Kernel(1, threads=32) as bx:
        a = T.alloc_shared((16, 16), T.float16)
        e = T.alloc_shared((16, 4), T.uint8)
        b = T.alloc_shared((32, 16), T.float16)
        acc = T.alloc_fragment((16, 16), T.float32)
        T.clear(acc)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[0, k * 16], a)
            T.copy(E[0, k * 4], e)
            T.copy(B[k * 32, 0], b)
            T.gemm_sp(a, e, b, acc)
        T.copy(acc, C)
)", "f");
    const auto a = [](std::int64_t i, std::int64_t k) { return (i * 5 + k * 3) % 7 - 3; };
    const auto b = [](std::int64_t k, std::int64_t j) { return (k * 2 + j) % 5 - 2; };
    kernel.fill("A", [&](std::int64_t x) { return a(x / 32, x % 32); });
    kernel.fill("B", [&](std::int64_t x) { return b(x / 16, x % 16); });
    for (std::int64_t i = 0; i < 16 * 8; ++i)
        kernel.tensor("E").setInt(i, 0xCC);
    expectSame(kernel);
    for (std::int64_t i = 0; i < 16; ++i)
        for (std::int64_t j = 0; j < 16; ++j) {
            std::int64_t want = 0;
            for (std::int64_t k = 0; k < 32; ++k)
                want += a(i, k) * b(k / 2 * 4 + (k % 2) * 3, j);
            EXPECT_EQ(kernel.at("C", i * 16 + j), static_cast<double>(want)) << i << ", " << j;
        }
}

// A workspace allocated inside a launch is one for all blocks.
TEST(CpuLanguage, AWorkspaceOfALaunch)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((4, 64), T.float32), B: T.Tensor((4, 64), T.float32)):
    with T.Kernel(4, threads=64) as bx:
        w = T.alloc_global((4, 64), T.float32)
        tx = T.get_thread_binding()
        w[bx, tx] = A[bx, tx]
        T.sync_grid()
        B[bx, tx] = w[3 - bx, 63 - tx]
)", "f");
    kernel.fill("A", [](std::int64_t i) { return i; });
    expectSame(kernel);
    for (std::int64_t i = 0; i < 256; ++i)
        EXPECT_EQ(kernel.at("B", i), static_cast<double>(255 - i));
}

// More than fits on a thread's stack, while the threads wait for each other.
TEST(CpuLanguage, LargePrivateArrays)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((64,), T.float32), B: T.Tensor((64,), T.float32)):
    with T.Kernel(1, threads=64) as bx:
        tx = T.get_thread_binding()
        s = T.alloc_shared((64,), T.float32)
        l = T.alloc_local((40000,), T.float32)
        for i in range(400):
            l[i * 100 + tx] = A[tx] + i
        s[tx] = l[39900 + tx]
        T.sync_threads()
        B[tx] = s[63 - tx] + l[tx]
)", "f");
    kernel.fill("A", [](std::int64_t i) { return i; });
    expectSame(kernel);
    for (std::int64_t i = 0; i < 64; ++i)
        EXPECT_EQ(kernel.at("B", i), static_cast<double>(63 - i + 399 + i));
}

// Half way between two numbers of the type: the upper half of the random bits goes away from zero. The third row lies below the
// smallest normal number, whose quantum is 2^-9, the fourth beyond the largest one.
TEST(CpuLanguage, StochasticRounding)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((4,), T.float32), B: T.Tensor((4, 16), T.float8_e4m3fn), C: T.Tensor((4, 16), T.float16)):
    with T.Kernel(1, threads=32) as bx:
        for i, j in T.Parallel(4, 16):
            B[i, j] = T.cast(A[i], T.float8_e4m3fn, round="rs", rbits=T.uint32(j) << T.uint32(16))
            C[i, j] = T.cast(A[i] * T.float32(0.9990234375), T.float16, round="rs", rbits=T.uint32(j) << T.uint32(9))
)", "f");
    const double values[] = {1.0625, -20.8, 0.0009765625, 1000}, below[] = {1, -20, 0, 448}, above[] = {1.125, -22, 0.001953125, 448};
    const double share[] = {0.5, 0.4, 0.5, 0};  // of the step from `below` to `above`
    kernel.fill("A", [&](std::int64_t i) { return values[i]; });
    expectSame(kernel);
    for (std::int64_t i = 0; i < 64; ++i) {
        const bool up = share[i / 16] + static_cast<double>(i % 16) / 16 >= 1;
        EXPECT_EQ(kernel.at("B", i), up ? above[i / 16] : below[i / 16]) << i;
    }
}

}  // namespace
}  // namespace tw::test
