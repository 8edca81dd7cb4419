// Stage records on a GPU: roles add up to their blocks' time, recording is cheap, slow producers and missing stages show.
// TW_RECORDS=FOLDER keeps what was recorded there.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "profiler/cuda/context.h"
#include "profiler/device/cuda_timeline.h"
#include "profiler/device/workload.h"
#include "profiler/timeline/plan.h"
#include "profiler/timeline/summary.h"

namespace tw::device {
namespace {

// Four stages of cp.async in one role; or other stages.
constexpr const char* kPipeline = R"(
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def gemm(M, N, K, num_stages=4, bM=128, bN=128, bK=32):
    @T.prim_func
    def main(A: T.Tensor((M, K), T.float16), B: T.Tensor((K, N), T.float16), C: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=128) as (bx, by):
            a = T.alloc_shared((bM, bK), T.float16)
            b = T.alloc_shared((bK, bN), T.float16)
            c = T.alloc_fragment((bM, bN), T.float32)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bK), num_stages=num_stages):
                T.copy(A[by * bM, k * bK], a)
                T.copy(B[k * bK, bx * bN], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * bM, bx * bN])
    return main
)";

// A producer and two consumer warp groups; the producer may be slowed down.
constexpr const char* kRing = R"(
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1], pass_configs={tilelang.PassConfigKey.TL_DISABLE_THREAD_STORAGE_SYNC: True})
def gemm(M, N, K, pause=0, stages=4, bM=128, bN=128, bK=64):
    steps = K // bK

    @T.prim_func
    def main(A: T.Tensor((M, K), T.float16), B: T.Tensor((K, N), T.float16), C: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=384) as (bx, by):
            A_s = T.alloc_shared((stages, bM, bK), T.float16)
            B_s = T.alloc_shared((stages, bK, bN), T.float16)
            acc = T.alloc_fragment((bM, bN), T.float32)
            full = T.alloc_barrier([128] * stages)
            empty = T.alloc_barrier([256] * stages)
            with T.ws(2):
                T.set_max_nreg(40, 0)
                for k in T.serial(steps):
                    T.barrier_wait(empty[k % stages], ((k // stages) & 1) ^ 1)
                    if pause > 0:
                        T.call_extern("void", "__nanosleep", pause)
                    T.tma_copy(A[by * bM : (by + 1) * bM, k * bK : (k + 1) * bK], A_s[k % stages, :, :], barrier=full[k % stages])
                    T.tma_copy(B[k * bK : (k + 1) * bK, bx * bN : (bx + 1) * bN], B_s[k % stages, :, :], barrier=full[k % stages])
                    T.barrier_arrive(full[k % stages])
            with T.ws(0, 1):
                T.set_max_nreg(232, 1)
                T.clear(acc)
                for k in T.serial(steps):
                    T.barrier_wait(full[k % stages], (k // stages) & 1)
                    T.gemm(A_s[k % stages, :, :], B_s[k % stages, :, :], acc)
                    T.barrier_arrive(empty[k % stages])
                T.copy(acc, C[by * bM, bx * bN])
    return main
)";

std::string readFile(const std::string& path)
{
    for (const std::string& name : {std::string(TW_SOURCE_DIR) + "/" + path, path}) {
        std::ifstream in(name);
        std::ostringstream text;
        if (text << in.rdbuf(); !text.str().empty())
            return text.str();
    }
    ADD_FAILURE() << "no file " << path;
    return {};
}

class TimelineOnGpu : public testing::Test {
protected:
    void SetUp() override
    {
        auto driver = cuda::Driver::open();
        if (!driver)
            GTEST_SKIP() << driver.error().message;
        if ((*driver)->deviceCount() == 0)
            GTEST_SKIP() << "the driver finds no GPU";
        auto context = cuda::Context::open(*driver, 0);
        ASSERT_TRUE(context) << context.error().message;
        if ((*context)->device().major != 9)
            GTEST_SKIP() << "the kernels are for compute capability 9.0";
        if (const auto version = nvrtc::nvrtcVersion(); !version)
            GTEST_SKIP() << version.error();
    }

    // `name`: of the file that keeps the records.
    CudaTimeline record(const std::string& name, const std::string& text, const staging::Bindings& params, const CudaTimelineOptions& options = {})
    {
        driver::CompileRequest request;
        request.source = std::make_shared<SourceText>(name + ".py", text);
        request.target = "sm_90a";
        request.stages = static_cast<unsigned>(driver::StageWanted::kCuda);
        request.kernel.params = params;
        Workload workload;
        const GivenInputs given;
        const auto prepared = prepareWorkload(request, given, 1024, workload, {});
        for (const Diagnostic& d : workload.snapshot->diagnostics)
            EXPECT_NE(d.severity, Severity::kError) << d.message;
        EXPECT_TRUE(prepared);
        auto arguments = prepareArguments(*workload.snapshot->function, workload.extents.values, given, {});
        EXPECT_TRUE(arguments) << arguments.error();
        DiagnosticSink sink;
        auto out = timelineOnCuda(0, *workload.snapshot, arguments->arguments, options, {}, sink, {}, {});
        EXPECT_TRUE(out) << name << ": " << (sink.all().empty() ? "" : sink.all().front().message);
        if (!out)
            return {};
        for (const std::string& remark : out->remarks)
            std::printf("%s: %s\n", name.c_str(), remark.c_str());
        report(name, *out);
        if (const char* folder = std::getenv("TW_RECORDS"))
            std::ofstream(std::string(folder) + "/" + name + ".json") << timeline::toText(out->records);
        return std::move(*out);
    }

    static void report(const std::string& name, const CudaTimeline& t)
    {
        const timeline::Summary s = timeline::summarize(t.timeline);
        std::printf("%s: %.2f us plain, %.2f us recorded (%+.2f %%), %.0f MHz, %.1f ns a record, %lld dropped\n", name.c_str(), t.timeline.plainUs,
                    t.timeline.recordedUs, 100 * s.overhead, t.timeline.clockMHz, t.timeline.recordCostNs, static_cast<long long>(t.timeline.dropped));
        for (const timeline::RoleSummary& r : s.roles) {
            std::printf("  %-12s %d tracks, %9.0f ns, %.1f %% of its blocks:", r.role.c_str(), r.tracks, r.totalNs, 100 * r.blockShare);
            for (const auto& [event, ns] : r.byEvent)
                std::printf(" %s %.1f %%", event.c_str(), 100 * ns / r.totalNs);
            std::printf("\n");
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(3, s.bubbles.size()); ++i)
            std::printf("  waits: %.0f ns in %d, operation %u for %u, %s\n", s.bubbles[i].ns, s.bubbles[i].times, s.bubbles[i].op, s.bubbles[i].nextOp,
                        timeline::causeText(s.bubbles[i].cause));
    }

    // Every role's stages make up its block's time.
    static void expectWhole(const CudaTimeline& t)
    {
        for (const timeline::RoleSummary& r : timeline::summarize(t.timeline).roles) {
            double known = 0;
            for (const auto& [event, ns] : r.byEvent)
                known += event == timeline::kUnrecorded ? 0 : ns;
            EXPECT_NEAR(known, r.totalNs, 0.001 * r.totalNs) << r.role;
        }
    }
    static double waitShare(const CudaTimeline& t, const std::string& role)
    {
        for (const timeline::RoleSummary& r : timeline::summarize(t.timeline).roles)
            if (r.role.starts_with(role))
                return r.waitShare;
        ADD_FAILURE() << "no role " << role;
        return 0;
    }
};

TEST_F(TimelineOnGpu, GemmOfFourStages)
{
    const CudaTimeline t = record("gemm_4_stages", kPipeline, {{"M", "4096"}, {"N", "4096"}, {"K", "4096"}});
    ASSERT_FALSE(t.timeline.tracks.empty());
    expectWhole(t);
    EXPECT_LT(timeline::summarize(t.timeline).overhead, 0.03);
    EXPECT_GT(timeline::summarize(t.timeline).roles[0].blockShare, 0.98);
}

TEST_F(TimelineOnGpu, GemmOfRoles)
{
    const CudaTimeline t = record("gemm_ring", kRing, {{"M", "4096"}, {"N", "4096"}, {"K", "4096"}});
    ASSERT_GE(t.timeline.tracks.size(), 2U);
    expectWhole(t);
    EXPECT_LT(timeline::summarize(t.timeline).overhead, 0.03);
}

TEST_F(TimelineOnGpu, Attention)
{
    const CudaTimeline t = record("attention", readFile("samples/09_attention.py"), {{"batch", "1"}, {"heads", "32"}, {"seq", "4096"}, {"dim", "128"}});
    ASSERT_FALSE(t.timeline.tracks.empty());
    expectWhole(t);
    EXPECT_GT(timeline::summarize(t.timeline).roles[0].blockShare, 0.98);
}

TEST_F(TimelineOnGpu, ASlowProducerMakesConsumersWait)
{
    const staging::Bindings size{{"M", "1024"}, {"N", "1024"}, {"K", "2048"}};
    staging::Bindings slow = size;
    slow["pause"] = "2000";
    const CudaTimeline fast = record("ring_fast", kRing, size, {{0}, 5, true});
    const CudaTimeline late = record("ring_slow", kRing, slow, {{0}, 5, true});
    ASSERT_FALSE(fast.timeline.tracks.empty() || late.timeline.tracks.empty());
    EXPECT_GT(waitShare(late, "consumer"), 0.7);
    EXPECT_GT(waitShare(late, "consumer"), 1.5 * waitShare(fast, "consumer"));
    const timeline::Summary s = timeline::summarize(late.timeline);
    ASSERT_FALSE(s.bubbles.empty());
    EXPECT_EQ(s.bubbles[0].cause, timeline::Cause::kProducerLate);
}

TEST_F(TimelineOnGpu, AMissingStageSerializes)
{
    const CudaTimeline four = record("stages_4", kPipeline, {{"M", "512"}, {"N", "512"}, {"K", "2048"}}, {{0}, 5, true});
    const CudaTimeline one = record("stages_1", kPipeline, {{"M", "512"}, {"N", "512"}, {"K", "2048"}, {"num_stages", "1"}}, {{0}, 5, true});
    ASSERT_FALSE(four.timeline.tracks.empty() || one.timeline.tracks.empty());
    EXPECT_GT(one.timeline.plainUs, 1.3 * four.timeline.plainUs);
}

}  // namespace
}  // namespace tw::device
