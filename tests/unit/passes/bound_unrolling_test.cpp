// Kernels whose tiles registers cannot hold: the text that the assembler gets stays short, the meaning stays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::passes {
namespace {

using I = std::int64_t;

// Stores and operations once every loop that asks for it is unrolled.
class Instances final : public ir::Visitor {
public:
    I count = 0;
    int kept = 0;  // loops that ask to stay
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        const auto* loop = ir::as<ir::For>(s);
        const bool stays = loop && ir::intAttr(loop->attrs, "unroll_factor", 0) == 1;
        kept += stays;
        count += s && (s->kind == ir::StmtKind::kStore || s->kind == ir::StmtKind::kOp);
        const I before = count;
        ir::Visitor::visit(s);
        if (loop && loop->loop == ir::ForKind::kUnrolled && !stays)
            count = before + (count - before) * (*ir::asInt(loop->axes[0].end) - *ir::asInt(loop->axes[0].begin));
    }
};

struct Lowered {
    PipelineResult result;
    std::vector<Diagnostic> diagnostics;
    Instances instances;
};

Lowered lower(const interp::TextKernel& kernel, const char* target)
{
    const target::Target machine = *target::parse(target);
    DiagnosticSink sink;
    PassContext context{machine, sink, {}};
    Lowered lowered{runPipeline(kernel.function, context), {}, {}};
    lowered.diagnostics = sink.all();
    ir::Visitor& visitor = lowered.instances;
    visitor.visit(lowered.result.function->body);
    return lowered;
}

// Rows and columns are normalised in turn: 32 threads keep the whole tile.
std::string normalised(int rows, int columns)
{
    return fmt::format(R"(
@T.prim_func
def k(A: T.Tensor(({0}, {1}), "float32"), B: T.Tensor(({0}, {1}), "float32")):
    with T.Kernel(1, threads=32) as bx:
        tile = T.alloc_fragment(({0}, {1}), "float32")
        row = T.alloc_fragment(({0},), "float32")
        column = T.alloc_fragment(({1},), "float32")
        T.copy(A, tile)
        T.reduce_max(tile, row, dim=1)
        for i, j in T.Parallel({0}, {1}):
            tile[i, j] = tile[i, j] - row[i]
        T.reduce_sum(tile, column, dim=0)
        for i, j in T.Parallel({0}, {1}):
            tile[i, j] = tile[i, j] + column[j]
        T.copy(tile, B)
)", rows, columns);
}

TEST(BoundUnrolling, TextDoesNotGrowWithATileBeyondRegisters)
{
    const Lowered small = lower(interp::TextKernel(normalised(64, 512), "k"), "sm_80");    // 1024 registers a thread
    const Lowered large = lower(interp::TextKernel(normalised(1024, 512), "k"), "sm_80");  // 16384
    EXPECT_LT(small.instances.count, 2000);
    EXPECT_LT(large.instances.count, 2000);
    EXPECT_GT(large.instances.kept, 4);
}

TEST(BoundUnrolling, WhatFitsIsUnrolledAndSaidNothingOf)
{
    const Lowered fits = lower(interp::TextKernel(normalised(16, 256), "k"), "sm_80");  // 128 registers a thread
    EXPECT_EQ(fits.instances.kept, 0);
    EXPECT_TRUE(fits.diagnostics.empty());
}

TEST(BoundUnrolling, KeepsTheMeaning)
{
    for (const auto& [rows, columns] : {std::pair{64, 512}, {128, 160}, {512, 33}}) {
        SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
        interp::TextKernel kernel(normalised(rows, columns), "k");
        const Lowered lowered = lower(kernel, "sm_75");
        ASSERT_TRUE(lowered.result.complete);
        kernel.fill("A", [](I k) { return k * 7 % 31 - 9; });  // sums of small whole numbers are exact
        interp::Arguments simulated = kernel.arguments;
        kernel.runWell();
        DiagnosticSink sink;
        EXPECT_TRUE(sim::simulate(*lowered.result.function, simulated, {}, sink).report.findings.empty());
        for (I k = 0; k < kernel.tensor("B").elementCount(); ++k)
            ASSERT_EQ(kernel.at("B", k), simulated.tensors.at("B").floatAt(k)) << "B[" << k << "]";
    }
}

TEST(BoundUnrolling, SaysWhatDoesNotFit)
{
    const auto messageOf = [](int rows, int columns) {
        const Lowered lowered = lower(interp::TextKernel(normalised(rows, columns), "k"), "sm_90a");
        return lowered.diagnostics.size() == 1 ? lowered.diagnostics[0].message : fmt::format("{} diagnostics", lowered.diagnostics.size());
    };
    EXPECT_EQ(messageOf(64, 512), "tile takes 4096 bytes of each thread, whose registers hold 1020: it lives in local memory, which is slow; smaller tiles or more threads fit");
    EXPECT_EQ(messageOf(32, 256), "tile takes 1024 bytes of each thread, whose registers hold 1020: a part of it lives in local memory, which is slow; smaller tiles or more threads fit");
}

}  // namespace
}  // namespace tw::passes
