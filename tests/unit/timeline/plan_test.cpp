// Modelled timelines of real kernels: the order of their stages, times by hand, and beside what an H200 recorded (tests/data).
#include "profiler/timeline/plan.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "profiler/store/twr.h"
#include "profiler/timeline/records.h"
#include "profiler/timeline/summary.h"

namespace tw::timeline {
namespace {

std::string textOf(const std::string& file)
{
    std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Plan planOfText(const std::string& text, const staging::Bindings& params, const PlanOptions& options)
{
    driver::CompileRequest request;
    request.source = std::make_shared<SourceText>("kernel.py", text);
    request.target = "sm_90a";
    request.stages = static_cast<unsigned>(driver::StageWanted::kCuda);
    request.kernel.params = params;
    const auto snapshot = driver::compile(request);
    DiagnosticSink sink;
    const auto recorded = driver::recordProgram(*snapshot, {}, sink);
    EXPECT_TRUE(recorded);
    if (!recorded)
        return {};
    auto made = plan(*recorded, snapshot->target, options);
    EXPECT_TRUE(made) << (made ? "" : made.error());
    return made ? *made : Plan{};
}

Plan planOf(const std::string& file, const staging::Bindings& params, const PlanOptions& options = {})
{
    return planOfText(textOf(file), params, options);
}

std::vector<capture::Span> spans(const capture::Timeline& t, const std::string& event, int track = 0)
{
    std::vector<capture::Span> found;
    std::ranges::copy_if(t.spans, std::back_inserter(found), [&](const capture::Span& s) { return s.event == event && s.track == track; });
    return found;
}

TEST(Plan, APipelineHasPrologueSteadyStateAndEpilogue)
{
    const Plan p = planOf("samples/04_gemm.py", {{"M", "512"}, {"N", "512"}, {"K", "512"}});
    EXPECT_TRUE(p.remarks.empty()) << p.remarks.front();
    EXPECT_EQ(p.timeline.origin, capture::Origin::kModelled);
    ASSERT_EQ(p.timeline.tracks.size(), 4U);  // of the 16 blocks
    EXPECT_EQ(p.timeline.tracks[0].role, "block");
    const auto products = spans(p.timeline, "tensor");
    ASSERT_EQ(products.size(), 16U);  // 512 / 32 steps
    // 2 * 128 * 128 * 32 FLOP at 4096 a clock of 1625 MHz by four wgmma, and the 54 clocks of their wait.
    const double clocks = (products[3].endNs - products[3].startNs) * p.timeline.clockMHz / 1000;
    EXPECT_GT(clocks, 2.0 * 128 * 128 * 32 / 4096 + 54);
    EXPECT_LT(clocks, 2.0 * 128 * 128 * 32 / 4096 + 54 + 4 * 12 + 8);  // and their descriptors
    EXPECT_EQ(products[3].iteration, 3);
    const auto copies = spans(p.timeline, "issue");
    ASSERT_GE(copies.size(), 4U);
    // Two iterations of copies stand in front of the first product (three stages).
    EXPECT_EQ(std::ranges::count_if(copies, [&](const auto& s) { return s.endNs <= products[0].startNs && s.iteration <= 1; }), 4);
    const auto rest = spans(p.timeline, "epilogue");
    ASSERT_FALSE(rest.empty());
    EXPECT_GE(rest[0].startNs, products.back().endNs);
}

// Blocks of causal attention differ: those that a GPU would record stand for all of them, not the first, which is the lightest.
TEST(Plan, BlocksThatDifferAreShown)
{
    const Plan p = planOf("samples/09_attention.py", {{"batch", "2"}, {"heads", "16"}, {"seq", "2048"}, {"dim", "128"}, {"causal", "True"}});
    ASSERT_EQ(p.timeline.tracks.size(), 4U);
    const std::int64_t blocks[] = {170, 341, 511, 682};  // through 32 x 16 x 2
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(p.timeline.tracks[static_cast<std::size_t>(i)].block, blocks[i]);
        // Keys of 64 up to the last query of the block, 64 queries each: two products of each.
        EXPECT_EQ(static_cast<std::int64_t>(spans(p.timeline, "tensor", i).size()), 2 * (blocks[i] % 32 + 1)) << blocks[i];
    }
}

TEST(Plan, ADroppedStageSerializes)
{
    const auto total = [](const char* stages) {
        const Plan p = planOf("samples/04_gemm.py", {{"M", "512"}, {"N", "512"}, {"K", "2048"}, {"num_stages", stages}});
        return p.timeline.spans.back().endNs;
    };
    EXPECT_GT(total("1"), 1.5 * total("4"));
}

TEST(Plan, RolesWaitForEachOther)
{
    const Plan p = planOf("tests/corpus/programs/501_ws_gemm_ring.py", {{"M", "256"}, {"N", "128"}, {"K", "1024"}});
    ASSERT_GE(p.timeline.tracks.size(), 2U);
    EXPECT_TRUE(p.remarks.empty()) << p.remarks.front();
    const Summary s = summarize(p.timeline);
    for (const RoleSummary& role : s.roles) {
        EXPECT_TRUE(role.byEvent.contains("wait")) << role.role;
        double sum = 0;
        for (const auto& [event, ns] : role.byEvent)
            sum += ns;
        EXPECT_NEAR(sum, role.totalNs, 1e-6 * role.totalNs) << role.role;
    }
    for (std::size_t i = 0; i < p.timeline.tracks.size(); ++i)
        if (p.timeline.tracks[i].role.starts_with("consumer"))
            EXPECT_EQ(spans(p.timeline, "tensor", static_cast<int>(i)).size(), 16U);
}

TEST(Plan, ABlockThatIsNotThereIsSaid)
{
    PlanOptions options;
    options.blocks = {0, 1000};
    const Plan p = planOf("samples/04_gemm.py", {{"M", "512"}, {"N", "512"}, {"K", "512"}}, options);
    EXPECT_EQ(p.timeline.tracks.size(), 1U);
    ASSERT_EQ(p.remarks.size(), 1U);
    EXPECT_EQ(p.remarks[0], "launch 0 has no block 1000");
}

// Clocks of a block by role, without the numbers that tell consumers apart, and the share of waits; `record`: clocks of each stage that
// are its record's.
struct RoleTime {
    double clocks = 0, waits = 0;
};
std::map<std::string, RoleTime> timesOf(const capture::Timeline& t, double record)
{
    std::map<std::string, RoleTime> out;
    std::map<std::string, int> tracks;
    const auto nameOf = [](const capture::Track& track) { return track.role.substr(0, track.role.find(' ')); };
    for (const capture::Track& track : t.tracks)
        ++tracks[nameOf(track)];
    for (const capture::Span& s : t.spans) {
        const std::string name = nameOf(t.tracks[static_cast<std::size_t>(s.track)]);
        const double clocks = ((s.endNs - s.startNs) * t.clockMHz / 1000 - record) / tracks[name];
        out[name].clocks += clocks;
        out[name].waits += s.event == "wait" ? clocks : 0;
    }
    return out;
}

constexpr double kRecordClocks = 47;  // simulated_test.cpp measures it

class PlannedBesideRecorded : public testing::TestWithParam<const char*> {};

// A prediction, not a bound: what is recorded longer is worth a look.
TEST_P(PlannedBesideRecorded, RolesTakeAboutAsLong)
{
    const auto read = store::readTwr((std::filesystem::path(TW_SOURCE_DIR) / "tests/data/overlapped" / (std::string(GetParam()) + ".twr")).string());
    ASSERT_TRUE(read) << read.error();
    PlanOptions options;
    options.blocks = {341};
    options.launches = {{read->launches.at(0).blocksPerSm, 0.1}};
    const Plan p = planOfText(read->files.at(0).text, read->params, options);
    EXPECT_TRUE(p.remarks.empty()) << p.remarks.front();
    const auto planned = timesOf(p.timeline, 0), recorded = timesOf(read->timelines.at(1), kRecordClocks);
    ASSERT_EQ(planned.size(), recorded.size());
    for (const auto& [name, role] : recorded) {
        EXPECT_GT(planned.at(name).clocks, 0.65 * role.clocks) << name;
        EXPECT_LT(planned.at(name).clocks, 1.2 * role.clocks) << name;
        EXPECT_NEAR(planned.at(name).waits / planned.at(name).clocks, role.waits / role.clocks, 0.15) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Captures, PlannedBesideRecorded, testing::Values("gemm_4_stages", "gemm_ring", "attention"),
                         [](const auto& name) { return std::string(name.param); });

// The producer of the one sleeps before each copy, which the plan of the other does not know.
TEST(Plan, ASlowProducerStandsOut)
{
    const auto ring = store::readTwr((std::filesystem::path(TW_SOURCE_DIR) / "tests/data/overlapped/gemm_ring.twr").string());
    ASSERT_TRUE(ring) << ring.error();
    const Plan p = planOfText(ring->files.at(0).text, {{"M", "1024"}, {"N", "1024"}, {"K", "2048"}}, {});
    const auto iteration = [](const capture::Timeline& t) {
        for (const RoleSummary& r : summarize(t).roles)
            if (r.role == "consumer 1")
                return r.iterationNs.at("tensor");
        return 0.0;
    };
    const auto recorded = [](const std::string& name) {
        const auto launches = fromText(textOf("tests/data/timeline/" + name + ".json"));
        const auto decoded = launches ? decode(*launches) : tl::unexpected(launches.error());
        EXPECT_TRUE(decoded) << name;
        return decoded ? decoded->timeline : capture::Timeline{};
    };
    const double planned = iteration(p.timeline);
    EXPECT_GT(iteration(recorded("ring_slow")), 3 * planned);
    EXPECT_LT(iteration(recorded("ring_fast")), 2 * planned);
    EXPECT_GT(iteration(recorded("ring_fast")), planned);
}

}  // namespace
}  // namespace tw::timeline
