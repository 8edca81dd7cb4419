#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/analysis/attribute.h"
#include "profiler/analysis/explain.h"

namespace tw::profile_analysis {
namespace {

using capture::Capture;
using capture::Origin;

const target::Target& h200() { return target::defaultTarget(); }

Capture oneLaunch()
{
    Capture c;
    c.files = {{"k.py", "first\nsecond\nthird\n"}};
    c.launches.resize(1);
    c.launches[0].entry = "k";
    capture::Operation op;
    op.id = 7;
    op.name = "copy A → A_shared";
    op.where = {0, 6, 12};
    op.line = 2;
    op.timeShare = 0.5;
    c.operations = {op};
    return c;
}

TEST(Findings, BankConflictsByAccess)
{
    const Capture c = oneLaunch();
    sim::Report report;
    sim::SiteCost site;
    site.where = {0, 6, 12};
    site.op = 7;
    site.buffer = "A_shared";
    site.shared = site.writes = true;
    site.requests = 100;
    site.idealWavefronts = 100;
    site.wavefronts = 400;
    site.ways = 4;
    report.sites = {site};
    Evidence e{c, h200()};
    e.simulated = &report;
    const Findings found = bankConflicts(e);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].value, 300);
    EXPECT_EQ(found[0].line, 2);
    EXPECT_EQ(found[0].origin, Origin::kSimulated);
    EXPECT_NEAR(found[0].gain, 1 / (1 - 0.5 * 0.75), 1e-9);  // half of the time, a quarter of it left
    report.sites[0].wavefronts = 105;
    EXPECT_TRUE(bankConflicts(e).empty());
}

TEST(Findings, ConflictsByTheCounter)
{
    Capture c = oneLaunch();
    c.operations[0].stalls = {{"short_scoreboard", 0.4}};
    c.metrics = {{"shared_bank_conflicts", 50, "count", 0, Origin::kMeasured, 1, 0}, {"shared_read_bytes", 64 * 128, "bytes", 0, Origin::kModelled, 1, 0},
                 {"shared_write_bytes", 36 * 128, "bytes", 0, Origin::kModelled, 1, 0}};
    const Findings found = countedConflicts({c, h200()});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].value, 50);
    EXPECT_EQ(found[0].line, 2);
    EXPECT_NEAR(found[0].gain, 1 / (1 - 0.2 / 3), 1e-9);  // a fifth of the time waits; a third of it for nothing
    c.metrics[0].value = 5;
    EXPECT_TRUE(countedConflicts({c, h200()}).empty());
    c.metrics[0] = {"shared_bank_conflicts", 50, "count", 0, Origin::kSimulated, 1, 0};
    EXPECT_TRUE(countedConflicts({c, h200()}).empty());
}

TEST(Findings, UncoalescedAndNarrowAccess)
{
    const Capture c = oneLaunch();
    sim::Report report;
    sim::SiteCost site;
    site.op = 7;
    site.buffer = "A";
    site.requests = 10;
    site.bytes = 10 * 32 * 4;
    site.sectors = 320;
    site.idealSectors = 40;
    report.sites = {site};
    Evidence e{c, h200()};
    e.simulated = &report;
    ASSERT_EQ(uncoalescedAccess(e).size(), 1U);
    EXPECT_DOUBLE_EQ(uncoalescedAccess(e)[0].value, 12.5);
    EXPECT_TRUE(narrowAccess(e).empty());  // the worse of the two is said
    report.sites[0].sectors = 40;
    EXPECT_TRUE(uncoalescedAccess(e).empty());
    ASSERT_EQ(narrowAccess(e).size(), 1U);
    EXPECT_DOUBLE_EQ(narrowAccess(e)[0].value, 4);
}

TEST(Findings, ConsumersWaitByTheTimeline)
{
    Capture c = oneLaunch();
    c.metrics = {{"tensor_pipe_pct", 41, "%", 0, Origin::kMeasured, 10, 0}};
    capture::Timeline t;
    t.tracks = {{"producer", 0, 0, 0, 0}, {"consumer 1", 0, 0, 0, 4}};
    t.spans = {{0, "issue", 7, 0, 0, 0, 100}, {1, "wait", 7, 0, 0, 0, 38}, {1, "tensor", 8, 0, 0, 38, 100}};
    c.timelines = {t};
    const Findings found = consumerWaits({c, h200()});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_DOUBLE_EQ(found[0].value, 38);
    EXPECT_EQ(found[0].line, 2);
    EXPECT_NEAR(found[0].gain, 1 / 0.62, 1e-9);
    // A wait of a group of copies belongs to none of them: it is a wait of the work behind it.
    c.timelines[0].spans = {{1, "wait", 0, 0, 0, 0, 38}, {1, "issue", 8, 0, 0, 38, 40}, {1, "tensor", 7, 0, 0, 40, 100}};
    ASSERT_EQ(consumerWaits({c, h200()}).size(), 1U);
    EXPECT_EQ(consumerWaits({c, h200()})[0].line, 2);
    EXPECT_EQ(consumerWaits({c, h200()})[0].op, 7U);
    c.metrics[0].value = 90;
    EXPECT_TRUE(consumerWaits({c, h200()}).empty());
}

TEST(Findings, ResourcesAndBandwidth)
{
    Capture c = oneLaunch();
    c.launches[0].blocksPerSm = 1;
    c.launches[0].occupancy = 0.0625;
    c.launches[0].limiter = "shared memory";
    c.launches[0].registers = 255;
    c.launches[0].spillBytes = 128;
    c.metrics = {{"dram_bandwidth_pct", 30, "%", 0, Origin::kMeasured, 10, 0}};
    EXPECT_EQ(lowOccupancy({c, h200()}).size(), 1U);
    ASSERT_EQ(spills({c, h200()}).size(), 1U);
    EXPECT_EQ(spills({c, h200()})[0].value, 128);
    EXPECT_TRUE(bandwidthBound({c, h200()}).empty());
    c.metrics[0].value = 86;  // of 89 that a copy reaches
    EXPECT_TRUE(lowOccupancy({c, h200()}).empty());
    ASSERT_EQ(bandwidthBound({c, h200()}).size(), 1U);
    EXPECT_EQ(bandwidthBound({c, h200()})[0].gain, 1);
}

TEST(Findings, MoreTrafficThanTheTensorsHold)
{
    Capture c = oneLaunch();
    c.metrics = {{"dram_read_bytes", 300, "bytes", 0, Origin::kMeasured, 1, 0}, {"dram_write_bytes", 100, "bytes", 0, Origin::kMeasured, 1, 0},
                 {"dram_read_bytes", 999, "bytes", 0, Origin::kModelled, 1, 0}, {"least_dram_bytes", 200, "bytes", -1, Origin::kModelled, 1, 0}};
    EXPECT_TRUE(extraTraffic({c, h200()}).empty());  // which nobody waits for
    c.metrics.push_back({"dram_bandwidth_pct", 50, "%", 0, Origin::kMeasured, 1, 0});
    ASSERT_EQ(extraTraffic({c, h200()}).size(), 1U);
    EXPECT_DOUBLE_EQ(extraTraffic({c, h200()})[0].value, 2);
    EXPECT_NEAR(extraTraffic({c, h200()})[0].gain, 1 / 0.75, 1e-9);
}

TEST(Attribution, CountedAndSampledBecomeOne)
{
    capture::Operation counted = oneLaunch().operations[0], other = counted;
    counted.bytes = {{"l2", 64}};
    counted.flops = 9;
    other.id = 8;
    other.name = "gemm";
    capture::Operation sampled;
    sampled.id = 7;
    sampled.timeShare = 0.9;
    std::vector<capture::Operation> all = {sampled};
    completeOperations({counted, other}, all);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "copy A → A_shared");
    EXPECT_EQ(all[0].timeShare, 0.9);
    EXPECT_EQ(all[0].bytes.at("l2"), 64);
    EXPECT_EQ(all[0].line, 2);
    EXPECT_EQ(all[1].timeShare, 0);
}

TEST(Attribution, InstructionsHeatTheCudaLinesOfTheirPlace)
{
    Capture c = oneLaunch();
    c.cuda.format = "cuda";
    c.cuda.lines = {{10, {0, 6, 12}, 7}, {11, {0, 6, 12}, 7}, {12, {0, 0, 5}, 3}};
    c.sass.format = "sass";
    c.sass.lines = {{1, {0, 6, 12}, 7}, {2, {0, 0, 5}, 3}, {3, {0, 6, 12}, 7}};
    c.lines = {{"sass", 1, 7, 0.5, {{"long_scoreboard", 1}}, Origin::kMeasured}, {"sass", 3, 7, 0.3, {}, Origin::kMeasured},
               {"sass", 2, 3, 0.2, {}, Origin::kMeasured}};
    spreadToCuda(c);
    ASSERT_EQ(c.lines.size(), 6U);
    EXPECT_EQ(c.lines[3].line, 10);
    EXPECT_DOUBLE_EQ(c.lines[3].share, 0.4);
    EXPECT_DOUBLE_EQ(c.lines[3].stalls.at("long_scoreboard"), 0.625);
    EXPECT_DOUBLE_EQ(c.lines[5].share, 0.2);
    // Another text of the program has its own line map; a place that nothing was sampled at has no heat.
    const auto ptx = spreadCosts(c, "ptx", {{4, {0, 0, 5}, 3}, {5, {0, 6, 12}, 7}, {6, {0, 40, 50}, 9}});
    ASSERT_EQ(ptx.size(), 2U);
    EXPECT_EQ(ptx[0].text, "ptx");
    EXPECT_DOUBLE_EQ(ptx[0].share, 0.2);
    EXPECT_DOUBLE_EQ(ptx[1].share, 0.8);
    // Without samples an operation's lines share its time, wherever they came from.
    c.lines.clear();
    capture::Operation op;
    op.id = 7;
    op.timeShare = 0.6;
    op.origin = Origin::kModelled;
    c.operations = {op};
    const auto ir = spreadCosts(c, "ir", {{1, {0, 6, 12}, 7}, {2, {0, 0, 5}, 7}, {3, {0, 0, 5}, 0}});
    ASSERT_EQ(ir.size(), 2U);
    EXPECT_DOUBLE_EQ(ir[1].share, 0.3);
    EXPECT_EQ(ir[1].origin, Origin::kModelled);
}

std::shared_ptr<const driver::CompileSnapshot> compiled(std::string source)
{
    driver::CompileRequest r;
    r.source = std::make_shared<const SourceText>("g.py", std::move(source));
    r.stages = driver::StageWanted::kTrace | driver::StageWanted::kCheck;
    r.stages |= static_cast<unsigned>(driver::StageWanted::kCuda);
    return driver::compile(r);
}

TEST(Literals, TheNumberItselfOrAnUntouchedDefault)
{
    const auto text = [](const std::string& stages) {
        return "import tilelang\nimport tilelang.language as T\n@tilelang.jit\ndef f(depth=3):\n    @T.prim_func\n"
               "    def main(A: T.Tensor((256, 64), T.float32), B: T.Tensor((64, 64), T.float32)):\n"
               "        with T.Kernel(1, threads=128):\n            a = T.alloc_shared((64, 64), T.float32)\n"
               "            for k in T.Pipelined(4, num_stages=" + stages + "):\n                T.copy(A[k * 64, 0], a)\n"
               "                T.copy(a, B)\n    return main\n";
    };
    for (const auto& [stages, found] : {std::pair{"3", true}, {"depth", true}, {"depth + 0", false}}) {
        const auto snapshot = compiled(text(stages));
        ASSERT_TRUE(snapshot->function) << stages;
        const LoopWork loop = workOf(*snapshot->function, {}).launches.at(0).loops.at(0);
        EXPECT_EQ(loop.stages, 3);
        const auto literal = literalOf(*snapshot, loop.where, "num_stages", 3);
        EXPECT_EQ(literal.has_value(), found) << stages;
        if (literal) {
            EXPECT_EQ(snapshot->source->slice(literal->range), "3");
        }
        EXPECT_FALSE(literalOf(*snapshot, loop.where, "num_stages", 4));
    }
}

// A product whose loop overlaps nothing: the finding proposes the literal's next value, which compiles and is modelled faster.
TEST(Explain, ProposesAnotherStageInTheSource)
{
    const std::string text = R"(import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def gemm(M=2048, N=2048, K=2048, num_stages=1):
    @T.prim_func
    def main(A: T.Tensor((M, K), T.float16), B: T.Tensor((K, N), T.float16), C: T.Tensor((M, N), T.float16)):
        with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), T.float16)
            b = T.alloc_shared((64, 128), T.float16)
            c = T.alloc_fragment((128, 128), T.float32)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=num_stages):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])
    return main
)";
    const auto snapshot = compiled(text);
    ASSERT_TRUE(snapshot->ok());
    const Work work = workOf(*snapshot->function, {});
    const CompiledFacts facts = factsOf(*snapshot);
    Capture c;
    recordProgram(*snapshot, work, facts, {}, c);
    explain({*snapshot, facts, work, {}, nullptr, {}, compiled}, c);
    const auto found = std::find_if(c.findings.begin(), c.findings.end(), [](const auto& f) { return f.edit.isPossible(); });
    ASSERT_NE(found, c.findings.end());
    EXPECT_GT(found->edit.modelledGain, 1.01);
    ASSERT_EQ(found->edit.changes.size(), 1U);
    const FixIt& change = found->edit.changes[0];
    EXPECT_EQ(text.substr(change.range.begin, change.range.end - change.range.begin), "1");
    EXPECT_TRUE(change.replacement == "2" || change.replacement == "3");
    const capture::Metric* flops = findMetric(c, capture::metric::kFlops);
    ASSERT_NE(flops, nullptr);
    EXPECT_EQ(flops->value, 2.0 * 2048 * 2048 * 2048);
    EXPECT_FALSE(c.roofline.points.empty());
    EXPECT_FALSE(c.schedule.empty() && facts.launches.at(0).depths.at(0) > 1);
}

}  // namespace
}  // namespace tw::profile_analysis
