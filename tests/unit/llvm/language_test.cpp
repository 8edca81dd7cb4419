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

}  // namespace
}  // namespace tw::test
