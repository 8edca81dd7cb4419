// Files that call their kernels more often than a survey stages them.
#include "staging_helpers.h"

#include <fmt/format.h>

#include "core/ir/visit.h"
#include "core/staging/program_state.h"

namespace tw::staging {
namespace {

constexpr int kCalls = 40;

// One kernel of each form, called in turn; a call of the lazy one in three fails while it is staged.
std::string manyCalls()
{
    std::string text = R"(import tilelang
import tilelang as tl
import tilelang.language as T
import torch

@tilelang.jit(out_idx=[1])
def copy(n, block=32):
    assert n % 3 != 0, f"{n} does not fit"
    @T.prim_func
    def main(X: T.Tensor((n,), T.float32), Y: T.Tensor((n,), T.float32)):
        with T.Kernel(T.ceildiv(n, block), threads=32) as bx:
            T.copy(X[bx * block], Y[bx * block:bx * block + block])
    return main

@tilelang.jit
def double(A, block: int = 32):
    N = T.const("N")
    A: T.Tensor((N,), T.float32)
    B = T.empty((N,), T.float32)
    with T.Kernel(T.ceildiv(N, block), threads=32) as bx:
        for i in T.Parallel(block):
            B[bx * block + i] = A[bx * block + i] * 2.0
    return B

def pair(n):
    @T.prim_func
    def one(X: T.Tensor((n,), T.float32)):
        with T.Kernel(1, threads=32) as bx:
            T.clear(X)
    @T.prim_func
    def two(X: T.Tensor((n, n), T.float32)):
        with T.Kernel(1, threads=32) as bx:
            T.clear(X)
    return one, two

@tl.kernel
def add(a, b):
    return a + b

scale = 3
)";
    for (int i = 1; i <= kCalls; ++i)
        text += fmt::format("scale += 1\nk{0} = copy({0} + scale)\ny{0} = double(torch.randn(scale * {0}))\npair({0})\nadd(torch.randn({0}, scale), torch.randn({0}, scale))\n", i);
    return text;
}

std::string messages(const DiagnosticSink& sink)
{
    std::string text;
    for (const Diagnostic& d : sink.all())
        text += d.message + "\n";
    return text;
}

// Every instance is what a program that is asked for nothing else gives, and the file runs a logarithmic number of times.
TEST(ManyCalls, AreStagedTogether)
{
    const std::string text = manyCalls();
    const Surveyed file(text);
    int instances = 0;
    for (const Kernel& kernel : file.program->kernels())
        for (const Instance& instance : kernel.instances) {
            TraceRequest request;
            request.kernel = kernel.name;
            request.instance = instance.name;
            DiagnosticSink together;
            const TraceResult got = trace(*file.program, request, plainOptions(), together);
            if (++instances % 7 != 0)
                continue;
            const Surveyed alone(text);
            DiagnosticSink said;
            const TraceResult want = trace(*alone.program, request, plainOptions(), said);
            ASSERT_EQ(!got.function, !want.function) << kernel.name << " " << instance.name << ": " << messages(together) << messages(said);
            EXPECT_TRUE(!got.function || ir::equal(*got.function, *want.function)) << kernel.name << " " << instance.name;
            EXPECT_EQ(got.instance.params, want.instance.params);
            EXPECT_EQ(got.instance.dims, want.instance.dims);
            EXPECT_EQ(got.missing, want.missing);
            EXPECT_EQ(messages(together), messages(said));
        }
    EXPECT_EQ(instances, 5 * kCalls + 1);  // copy, double, pair.0, pair.1, add; pair has no default, double has
    EXPECT_GT(file.program->state().cache->kept.size(), 4U * (kCalls - 4) - 20);
    EXPECT_LE(file.program->state().cache->nextRun, 512U);
}

TEST(NoCalls, LeaveFurtherArgumentsEmpty)
{
    const Surveyed file("import tilelang\nimport tilelang.language as T\n@tilelang.jit\ndef f(n, *rest, **more):\n"
                        "    @T.prim_func\n    def main(A: T.Tensor((n,), 'float32')):\n        with T.Kernel(1, threads=32):\n"
                        "            A[0] = len(more) + len(rest)\n    return main\n");
    DiagnosticSink sink;
    TraceRequest request;
    request.kernel = "f";
    request.params = {{"n", "64"}};
    EXPECT_TRUE(trace(*file.program, request, plainOptions(), sink).function);
    EXPECT_FALSE(sink.hasErrors());
}

}  // namespace
}  // namespace tw::staging
