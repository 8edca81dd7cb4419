// What is written down of a run to be timed, against what the code of the GPU executes.
#include "core/sim/tracer.h"

#include <gtest/gtest.h>

#include "core/interp/interpreter.h"
#include "programs.h"
#include "sim_kernel.h"

namespace tw::sim {
namespace {

// Of block 0, which runs alone.
BlockTrace traceOf(const std::string& body)
{
    SimKernel kernel(body);
    const target::Target target = *target::parse("sm_90a");
    Tracer tracer(*target::ratesOf(target), *target::pipesOf(target), {0}, 100000);
    interp::RunOptions options;
    options.observer = &tracer;
    options.blocks = {0};
    DiagnosticSink sink;
    EXPECT_TRUE(interp::run(kernel.function(), kernel.arguments(), options, sink).ok);
    const std::vector<BlockTrace> traces = tracer.take();
    EXPECT_EQ(traces.size(), 1U);
    return traces.empty() ? BlockTrace{} : traces.front();
}

double issued(const BlockTrace& trace, TraceKind kind)
{
    double sum = 0;
    for (const TraceOp& op : trace.warps.at(0))
        sum += op.kind == kind ? op.issue : 0;
    return sum;
}

// The counters of unrolled loops may stand where a shuffled value stood before: what is computed from them is an address all the same.
TEST(Tracer, AddressesCostNothing)
{
    const BlockTrace t = traceOf(R"(
@T.prim_func
def f(A: T.Tensor((32, 16), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32) as bx:
        tid = T.get_thread_binding()
        x = T.alloc_local((16,), "float32")
        y = T.alloc_local((2,), "float32")
        for i in T.unroll(16):
            x[i] = A[tid, i]
        for r in T.unroll(2):
            y[r] = x[r] + x[r + 8]
            y[r] = y[r] + T.shfl_xor(y[r], 1)
        for r in T.unroll(2):
            for i in T.unroll(4):
                for j in T.unroll(2):
                    x[r * 8 + i * 2 + j] = x[r * 8 + i * 2 + j] - y[r]
        for i in T.unroll(16):
            A[tid, i] = x[i]
)");
    EXPECT_EQ(issued(t, TraceKind::kArithmetic), 2 + 2 + 16);
    EXPECT_EQ(issued(t, TraceKind::kNarrow), 0);
}

TEST(Tracer, InstructionsAreThoseOfTheirPipes)
{
    const BlockTrace t = traceOf(R"(
@T.prim_func
def f(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float16")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32) as bx:
        tid = T.get_thread_binding()
        x = T.alloc_local((1,), "float32")
        x[0] = A[tid]
        x[0] = T.exp2(x[0])
        x[0] = T.max(x[0], 0.5)
        x[0] = x[0] / A[tid]
        x[0] = x[0] * A[tid] + 1.0
        B[tid] = T.cast(x[0], "float16")
)");
    EXPECT_EQ(issued(t, TraceKind::kSpecial), 4);     // compare, scale, ex2, scale back
    EXPECT_EQ(issued(t, TraceKind::kNarrow), 1.5);    // the maximum; half of a conversion of two
    EXPECT_EQ(issued(t, TraceKind::kLong), 11);
    EXPECT_EQ(issued(t, TraceKind::kArithmetic), 1);  // fused
}

// cp.async of 16 bytes: a quarter of a warp that fetches from two lines writes twice (Nsight Compute on an H200: 4 wavefronts a warp from
// whole rows of 256 bytes, 1.2 times the ideal 320 of a product where one of two operands has rows of 64).
TEST(Tracer, CopiesPassLineByLine)
{
    const BlockTrace t = traceOf(kMmaGemm);
    std::vector<float> passes;
    for (const TraceOp& op : t.warps.at(0))
        if (op.kind == TraceKind::kCopy)
            passes.push_back(op.work);
    ASSERT_EQ(passes.size(), 16U);
    for (std::size_t k = 0; k < passes.size(); ++k)
        EXPECT_EQ(passes[k], k % 2 == 0 ? 8 : 4) << k;  // A: rows of 64 bytes; B: of 128
}

}  // namespace
}  // namespace tw::sim
