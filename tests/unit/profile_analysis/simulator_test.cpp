// Counts from the text of a program against what the simulator sees while it runs it.
#include <gtest/gtest.h>

#include "core/sim/sim.h"
#include "profiler/analysis/record.h"

namespace tw::profile_analysis {
namespace {

std::shared_ptr<const driver::CompileSnapshot> compiled(const std::string& body)
{
    driver::CompileRequest r;
    r.source = std::make_shared<const SourceText>("k.py", "import tilelang\nimport tilelang.language as T\n" + body);
    r.target = "sm_80";
    r.stages = driver::StageWanted::kTrace | driver::StageWanted::kCheck;
    r.stages |= static_cast<unsigned>(driver::StageWanted::kPasses);
    return driver::compile(r);
}

sim::Report simulated(const driver::CompileSnapshot& snapshot)
{
    interp::Arguments arguments;
    for (const ir::Param& p : snapshot.function->params) {
        const auto& buffer = std::get<ir::Buffer>(p.value);
        std::vector<std::int64_t> shape;
        for (const ir::Expr& extent : buffer->shape)
            shape.push_back(*ir::asInt(extent));
        arguments.tensors[p.name()] = interp::makeTensor(buffer->dtype, shape);
    }
    DiagnosticSink sink;
    sim::SimResult result = sim::simulate(*snapshot.passes.back().after, arguments, {}, sink);
    EXPECT_TRUE(result.ok) << (sink.all().empty() ? "" : sink.all()[0].message);
    return std::move(result.report);
}

TEST(WorkAgainstSimulator, ProductWithTails)
{
    const auto snapshot = compiled(R"(
@T.prim_func
def kernel(A: T.Tensor((80, 48), T.float16), B: T.Tensor((48, 96), T.float16), C: T.Tensor((80, 96), T.float32)):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), T.float16)
        b = T.alloc_shared((32, 64), T.float16)
        c = T.alloc_fragment((64, 64), T.float32)
        T.clear(c)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 64, bx * 64])
)");
    ASSERT_TRUE(snapshot->ok());
    const Work work = workOf(*snapshot->function, {});
    const sim::Report report = simulated(*snapshot);
    EXPECT_TRUE(work.isExact);
    EXPECT_EQ(work.least.read, static_cast<double>(report.traffic.uniqueRead));
    EXPECT_EQ(work.least.written, static_cast<double>(report.traffic.uniqueWritten));
    double read = 0, written = 0;
    for (const OperationWork& op : work.launches[0].operations) {
        read += op.global.read;
        written += op.global.written;
    }
    EXPECT_EQ(read, static_cast<double>(report.traffic.globalRead));
    EXPECT_EQ(written, static_cast<double>(report.traffic.globalWritten));
}

TEST(WorkAgainstSimulator, ItsTrafficReplacesTheLeast)
{
    // Every lane takes an element of its own sector: eight times the bytes.
    const auto snapshot = compiled(R"(
@T.prim_func
def kernel(A: T.Tensor((2048,), T.float32), B: T.Tensor((256,), T.float32)):
    with T.Kernel(1, threads=256):
        for i in T.Parallel(256):
            B[i] = A[i * 8]
)");
    ASSERT_TRUE(snapshot->ok());
    const Work work = workOf(*snapshot->function, {});
    EXPECT_EQ(work.launches[0].operations[0].global.read, 1024);
    const Work seen = withSimulatedTraffic(work, simulated(*snapshot));
    EXPECT_EQ(seen.launches[0].operations[0].global.read, 8 * 1024);
    EXPECT_EQ(seen.launches[0].operations[0].global.written, 1024);
}

}  // namespace
}  // namespace tw::profile_analysis
