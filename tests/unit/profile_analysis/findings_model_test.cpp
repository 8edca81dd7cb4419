// Rules that rest on the model or on samples, over constructed evidence.
#include <gtest/gtest.h>

#include "profiler/analysis/findings.h"

namespace tw::profile_analysis {
namespace {

using capture::Capture;
using capture::Origin;

class ModelFindings : public testing::Test {
protected:
    ModelFindings()
    {
        capture_.files = {{"k.py", "first\nsecond\nthird\n"}};
        capture_.launches.resize(1);
        LaunchWork launch;
        launch.blocks = 330;
        launch.where = {0, 0, 5};
        launch.loops = {{{0, 6, 12}, 2, 640, 10}};
        work_.launches = {launch};
        LaunchModel model;
        model.us = 12;
        model.bound = "latency";
        model.waves = 2.5;
        model.tailShare = 0.5 / 3;
        LoopModel loop;
        loop.trips = 64;
        loop.computeNs = 100;
        loop.meetingNs = 20;
        loop.transferNs = 50;
        loop.latencyNs = 500;
        loop.depth = 2;
        model.loops = {loop};
        model_.launches = {model};
        evidence_.work = &work_;
        evidence_.model = &model_;
    }

    LaunchModel& launch() { return model_.launches[0]; }
    LoopModel& loop() { return model_.launches[0].loops[0]; }

    Capture capture_;
    Work work_;
    Model model_;
    Evidence evidence_{capture_, target::defaultTarget()};
};

TEST_F(ModelFindings, ALastWaveThatIsHalfEmpty)
{
    const Findings found = tailWave(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].line, 1);
    EXPECT_NEAR(found[0].value, 100 * 0.5 / 3, 1e-9);
    EXPECT_NEAR(found[0].gain, 3 / 2.5, 1e-9);
    launch().tailShare = 0.1;
    EXPECT_TRUE(tailWave(evidence_).empty());
    launch().tailShare = 0.3;
    launch().bound = "DRAM";  // whose time no tail changes
    EXPECT_TRUE(tailWave(evidence_).empty());
}

TEST_F(ModelFindings, FewerBlocksThanMultiprocessors)
{
    EXPECT_TRUE(smallGrid(evidence_).empty());
    work_.launches[0].blocks = 33;
    const Findings found = smallGrid(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].value, 33);
    EXPECT_NEAR(found[0].gain, 12 / (2 + 10.0 / 4), 1e-9);  // the start of the launch stays
}

TEST_F(ModelFindings, APipelineThatCouldBeDeeper)
{
    EXPECT_TRUE(shallowPipelines(evidence_).empty());  // nothing certain to propose
    evidence_.literal = [](const SourceRange& where, std::string_view keyword, std::int64_t expected) -> std::optional<Literal> {
        EXPECT_EQ(where.begin, 6U);
        EXPECT_EQ(keyword, "num_stages");
        return Literal{{0, 11, 12}, expected};
    };
    evidence_.gainOf = [](const std::vector<FixIt>& changes) { return changes[0].replacement == "3" ? 1.2 : 1.4; };
    Findings found = shallowPipelines(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "shallow-pipeline");
    EXPECT_EQ(found[0].line, 2);
    EXPECT_EQ(found[0].edit.label, "num_stages 2 → 4");
    EXPECT_EQ(found[0].gain, 1.4);
    evidence_.gainOf = [](const std::vector<FixIt>& changes) { return changes[0].replacement == "3" ? std::optional(1.2) : std::nullopt; };
    found = shallowPipelines(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].edit.changes[0].replacement, "3");
    loop().latencyNs = 90;  // hidden
    EXPECT_TRUE(shallowPipelines(evidence_).empty());
}

TEST_F(ModelFindings, NoPipelineAtAll)
{
    loop().depth = 1;
    const Findings found = shallowPipelines(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "no-pipelining");
    EXPECT_FALSE(found[0].edit.isPossible());
}

TEST_F(ModelFindings, ThreadsThatMeetMoreThanTheyWork)
{
    EXPECT_TRUE(heavyMeetings(evidence_).empty());
    loop() = {64, 30, 20, 25, 20, 2};  // 20 of 30 ns
    const Findings found = heavyMeetings(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].value, 100 * 20.0 / 30, 1e-9);
    launch().bound = "shared memory";  // other blocks go on meanwhile
    EXPECT_TRUE(heavyMeetings(evidence_).empty());
}

// Operation 3 on line 3: half of the samples, 60 % of them at a barrier.
capture::Operation mostlyAtABarrier(const char* name)
{
    capture::Operation op;
    op.id = 3;
    op.name = name;
    op.where = {0, 13, 18};
    op.line = 3;
    op.samples = 1000;
    op.timeShare = 0.5;
    op.stalls = {{"barrier", 0.6}, {"long_scoreboard", 0.1}};
    return op;
}

TEST_F(ModelFindings, SamplesAtABarrier)
{
    capture_.operations = {mostlyAtABarrier("reduce_sum x → s")};
    Findings found = heavyMeetings(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].value, 30, 1e-9);
    EXPECT_EQ(found[0].line, 3);
    EXPECT_EQ(found[0].origin, Origin::kMeasured);
    found = stalledOperations(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].value, 60, 1e-9);
    EXPECT_NE(found[0].reason.find("barrier"), std::string::npos);
}

// The sampler finds warps that wait for wgmma at WARPGROUP.DEPBAR, and calls that a barrier.
TEST_F(ModelFindings, AWaitForProductsIsNoMeeting)
{
    capture_.operations = {mostlyAtABarrier("gemm a, b → c")};
    std::vector<LaunchFacts> facts(1);
    facts[0].products[3] = ProductUnit::kWgmma;
    evidence_.facts = &facts;
    EXPECT_TRUE(heavyMeetings(evidence_).empty());
    const Findings found = stalledOperations(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].reason, "50 % of the samples are in gemm a, b → c, and 60 % of those wait for its products (barrier)");
}

TEST_F(ModelFindings, ReadyWarpsAreNotStalled)
{
    capture::Operation op;
    op.id = 3;
    op.name = "parallel i, j → score";
    op.samples = 1000;
    op.timeShare = 0.5;
    op.stalls = {{"not_selected", 0.5}, {"short_scoreboard", 0.2}};
    capture_.operations = {op};
    EXPECT_TRUE(stalledOperations(evidence_).empty());
    capture_.operations[0].stalls = {{"not_selected", 0.5}, {"short_scoreboard", 0.4}};
    Findings found = stalledOperations(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].reason.find("shared memory or special functions"), std::string::npos);
    capture_.operations[0].name = "barrier_wait";
    EXPECT_TRUE(stalledOperations(evidence_).empty());
}

TEST_F(ModelFindings, LanesThatDisagree)
{
    sim::Report report;
    report.branches = {{{0, 6, 12}, 1000, 500}, {{0, 13, 18}, 1000, 50}};
    evidence_.simulated = &report;
    const Findings found = divergence(evidence_);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].value, 50);
    EXPECT_EQ(found[0].line, 2);
}

TEST_F(ModelFindings, AreRankedByGain)
{
    work_.launches[0].blocks = 66;
    const Findings all = findingsOf(evidence_);
    ASSERT_GE(all.size(), 2U);
    for (std::size_t i = 1; i < all.size(); ++i)
        EXPECT_GE(all[i - 1].gain, all[i].gain);
}

}  // namespace
}  // namespace tw::profile_analysis
