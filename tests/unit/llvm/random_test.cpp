// Random numbers on the CPU: the interpreter's, to the bit. The numbers here are splitmix64 computed in Python, whose first number
// after 1234567 is published as 6457827717110365317.
#include "core/ir/random.h"

#include "tests/unit/interp/text_kernel.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

interp::Arguments onCpu(interp::TextKernel& kernel)
{
    kernel.runWell();  // makes the arguments, too
    interp::Arguments arguments = kernel.arguments;
    for (auto& [name, tensor] : arguments.tensors)
        interp::poison(tensor);
    const Outcome outcome = runOnCpu(*kernel.function, arguments);
    EXPECT_TRUE(outcome.ok) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message);
    for (const auto& [name, tensor] : kernel.arguments.tensors)
        EXPECT_EQ(arguments.tensors.at(name).bytes, tensor.bytes) << name;
    return arguments;
}

TEST(Random, TheHashIsSplitmix64) { EXPECT_EQ(ir::RandomCounter::mix(1234567), 6457827717110365317ULL); }

TEST(Random, EveryThreadDrawsItsOwn)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((256,), T.uint32), B: T.Tensor((256,), T.float64), C: T.Tensor((256,), T.float32)):
    with T.Kernel(2, threads=128) as bx:
        tx = T.get_thread_binding()
        T.rng_init(42, bx * 128 + tx, 3)
        A[bx * 128 + tx] = T.rng_rand()
        B[bx * 128 + tx] = T.rng_rand_float(bit=64, dist="normal")
        C[bx * 128 + tx] = T.rng_rand_float()
)", "f");
    interp::Arguments cpu = onCpu(kernel);
    const std::pair<int, std::int64_t> numbers[] = {{0, 3310670467}, {5, 508758276}, {63, 3722293245}, {64, 3668283760}, {127, 1923763746}};
    for (const auto& [thread, number] : numbers)
        EXPECT_EQ(cpu.tensors.at("A").intAt(thread), number) << thread;
    EXPECT_NEAR(cpu.tensors.at("B").floatAt(5), 0.7927372204500666, 1e-14);
}

// Without a sequence it is the number of the thread in the launch. A nest shared by the threads: iteration i draws of thread i,
// and of thread i - 64 in the second round.
TEST(Random, NestsDrawOfTheThreadOfEachIteration)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((2, 16, 8), T.uint32), B: T.Tensor((2, 16, 8), T.float32)):
    with T.Kernel(1, 2, threads=64) as (bx, by):
        s = T.alloc_fragment((16, 8), T.float32)
        T.rng_init(42, off=3)
        for i, j in T.Parallel(16, 8):
            A[by, i, j] = T.rng_rand()
        for i, j in T.Parallel(16, 8):
            if j % 2 == 0:
                s[i, j] = T.rng_rand_float() + T.rng_rand_float(dist="normal")
            else:
                s[i, j] = 0
        T.copy(s, B[by, 0:16, 0:8])
)", "f");
    interp::Arguments cpu = onCpu(kernel);
    const std::pair<int, std::int64_t> numbers[] = {
        {0, 3310670467}, {5, 508758276}, {63, 3722293245},  // threads of the first block, their first number
        {64, 2928046172}, {69, 1316251982}, {127, 3797804340},  // their second
        {128, 3668283760}, {191, 1923763746}};                  // the second block: threads 64 and 127
    for (const auto& [element, number] : numbers)
        EXPECT_EQ(cpu.tensors.at("A").intAt(element), number) << element;
}

// Only those threads that come to a nest share it.
TEST(Random, ANestOfSomeThreads)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((64,), T.uint32), B: T.Tensor((96,), T.uint32)):
    with T.Kernel(1, threads=96) as bx:
        tx = T.get_thread_binding()
        T.rng_init(7)
        if tx >= 64:
            for i in T.Parallel(64):
                A[i] = T.rng_rand()
        B[tx] = T.rng_rand()
)", "f");
    onCpu(kernel);
}

TEST(Random, ADrawBeforeTheStartIsAnError)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def f(A: T.Tensor((32,), T.uint32)):
    with T.Kernel(1, threads=32) as bx:
        A[T.get_thread_binding()] = T.rng_rand()
)", "f");
    EXPECT_FALSE(kernel.run());
    const Outcome outcome = runOnCpu(*kernel.function, kernel.arguments);
    EXPECT_FALSE(outcome.ok);
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].message, kernel.diagnostics.at(0).message);
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kUninitialized);
    EXPECT_TRUE(outcome.diagnostics[0].range.isKnown());
}

}  // namespace
}  // namespace tw::test
