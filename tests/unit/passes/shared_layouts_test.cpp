// Layouts of shared tiles that no product asks for: what the solver predicts, and what the simulator counts.
#include <gtest/gtest.h>

#include "core/passes/nest_traffic.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::passes {
namespace {

using I = std::int64_t;

struct Lowered {
    std::vector<LayoutReason> reasons;
    sim::Report report;
};

// Lowers the kernel, runs it in the simulator and expects the interpreter's values.
Lowered lowerAndRun(interp::TextKernel& kernel, const char* targetName)
{
    const target::Target target = *target::parse(targetName);
    DiagnosticSink sink;
    PassContext context{target, sink, {}};
    const PipelineResult lowered = runPipeline(kernel.function, context);
    EXPECT_TRUE(lowered.complete);
    kernel.fill("A", [](I k) { return k * 7 % 31 - 9; });
    interp::Arguments simulated = kernel.arguments;
    kernel.runWell();
    Lowered result{context.layoutReasons, sim::simulate(*lowered.function, simulated, {}, sink).report};
    EXPECT_TRUE(result.report.findings.empty());
    for (I k = 0; k < kernel.tensor("B").elementCount(); ++k)
        if (kernel.at("B", k) != simulated.tensors.at("B").floatAt(k)) {
            ADD_FAILURE() << targetName << ": B[" << k << "]";
            break;
        }
    return result;
}

const LayoutReason* reasonOf(const Lowered& lowered, const std::string& buffer)
{
    for (const LayoutReason& reason : lowered.reasons)
        if (reason.buffer == buffer)
            return &reason;
    return nullptr;
}

std::string transposition(int rows, int columns, int threads, const std::string& type)
{
    return fmt::format(R"(
@T.prim_func
def k(A: T.Tensor(({0}, {1}), "{3}"), B: T.Tensor(({1}, {0}), "{3}")):
    with T.Kernel(1, threads={2}) as bx:
        tile = T.alloc_shared(({0}, {1}), "{3}")
        T.copy(A, tile)
        for i, j in T.Parallel({1}, {0}):
            B[i, j] = tile[j, i]
)", rows, columns, threads, type);
}

TEST(SharedLayouts, TranspositionsHaveNoConflictsAndWholeSectors)
{
    struct Case {
        int rows, columns, threads;
        const char* type;
    };
    for (const Case& c : {Case{64, 64, 256, "float32"}, {64, 64, 256, "float16"}, {32, 32, 128, "float32"}, {64, 128, 128, "float16"}, {32, 64, 64, "int8"}})
        for (const char* target : {"sm_75", "sm_80", "sm_90a"}) {
            interp::TextKernel kernel(transposition(c.rows, c.columns, c.threads, c.type), "k");
            const Lowered lowered = lowerAndRun(kernel, target);
            for (const sim::SiteCost& site : lowered.report.sites) {
                EXPECT_EQ(site.wavefronts, site.idealWavefronts) << c.rows << "x" << c.columns << " " << c.type << " " << target << " " << site.buffer;
                EXPECT_EQ(site.sectors, site.idealSectors) << c.rows << "x" << c.columns << " " << c.type << " " << target << " " << site.buffer;
            }
        }
}

// The candidates' costs are those that the simulator counts.
TEST(SharedLayouts, PredictedPassesAreTheCounted)
{
    interp::TextKernel kernel(transposition(64, 64, 256, "float32"), "k");
    const Lowered lowered = lowerAndRun(kernel, "sm_80");
    const LayoutReason* reason = reasonOf(lowered, "tile");
    ASSERT_TRUE(reason);
    ASSERT_GT(reason->candidates.size(), 4U);
    I counted = 0;
    for (const sim::SiteCost& site : lowered.report.sites)
        counted += site.shared ? site.wavefronts : 0;
    I chosen = 0;
    for (const LayoutCandidate& c : reason->candidates)
        if (c.chosen)
            chosen = c.cost;
    EXPECT_EQ(chosen, counted);
    // 4096 elements: written 512 bytes at a time in 4 passes, read by columns of 64 rows 256 bytes apart.
    EXPECT_EQ(chosen, 256);
    EXPECT_EQ(reason->candidates.front().layout, "row-major");
    EXPECT_FALSE(reason->candidates.front().chosen);
    EXPECT_GT(reason->candidates.front().cost, 2 * chosen);
}

TEST(SharedLayouts, RowsReadByRowsStayAsTheyAre)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def k(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as bx:
        tile = T.alloc_shared((64, 64), "float32")
        T.copy(A, tile)
        for i, j in T.Parallel(64, 64):
            B[i, j] = tile[i, j] + 1.0
)", "k");
    const Lowered lowered = lowerAndRun(kernel, "sm_80");
    const LayoutReason* reason = reasonOf(lowered, "tile");
    ASSERT_TRUE(reason);
    ASSERT_EQ(reason->candidates.size(), 1U);
    EXPECT_EQ(reason->candidates.front().layout, "row-major");
    EXPECT_TRUE(reason->candidates.front().chosen);
}

// A thread that names elements itself has chosen its banks.
TEST(SharedLayouts, TilesOfThreadCodeStayRowMajor)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def k(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
    with T.Kernel(1, threads=32) as bx:
        tx = T.get_thread_binding()
        tile = T.alloc_shared((32, 32), "float32")
        T.copy(A, tile)
        for j in T.serial(32):
            B[tx, j] = tile[tx, j]
)", "k");
    const Lowered lowered = lowerAndRun(kernel, "sm_80");
    for (const LayoutReason& reason : lowered.reasons)
        EXPECT_NE(reason.buffer, "tile");
}

// An accumulator goes to shared memory in the layout of the tensor core and leaves it by columns.
TEST(SharedLayouts, AFragmentsLayoutIsKept)
{
    interp::TextKernel kernel(R"(
@T.prim_func
def k(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=128) as bx:
        a = T.alloc_shared((64, 64), "float16")
        out = T.alloc_shared((64, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.copy(A, a)
        T.clear(acc)
        T.gemm(a, a, acc, transpose_B=True)
        for i, j in T.Parallel(64, 64):
            out[j, i] = acc[i, j]
        T.copy(out, B)
)", "k");
    const Lowered lowered = lowerAndRun(kernel, "sm_80");
    const LayoutReason* reason = reasonOf(lowered, "out");
    ASSERT_TRUE(reason);
    I least = reason->candidates.front().cost, chosen = 0;
    for (const LayoutCandidate& c : reason->candidates) {
        least = std::min(least, c.cost);
        chosen = c.chosen ? c.cost : chosen;
    }
    EXPECT_LE(chosen, reason->candidates.front().cost);
    const LayoutReason* product = reasonOf(lowered, "a");
    ASSERT_TRUE(product);
    EXPECT_NE(product->why.find("T.gemm"), std::string::npos);
}

}  // namespace
}  // namespace tw::passes
