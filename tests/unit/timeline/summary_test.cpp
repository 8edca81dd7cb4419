#include "profiler/timeline/summary.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiler/timeline/perfetto.h"

namespace tw::timeline {
namespace {

// A producer and a consumer over `n` iterations of 100 ns: the copy of iteration i is asked for at 100 i + `late`, the consumer
// waits from 100 i to 100 i + 40 and multiplies until 100 (i + 1).
capture::Timeline pair(int n, double late)
{
    capture::Timeline t;
    t.clockMHz = 1000;
    t.plainUs = 100;
    t.recordedUs = 102;
    t.recordCostNs = 10;
    t.tracks = {{"producer", 0, 3, 7, 4}, {"consumer", 0, 3, 7, 0}};
    for (int i = 0; i < n; ++i) {
        const double at = 100.0 * i;
        t.spans.push_back({0, "wait", 1, i, -1, at, at + late});
        t.spans.push_back({0, "issue", 2, i, -1, at + late, at + 100});
    }
    for (int i = 0; i < n; ++i) {
        const double at = 100.0 * i;
        t.spans.push_back({1, "wait", 3, i, -1, at, at + 40});
        t.spans.push_back({1, "tensor", 4, i, -1, at + 40, at + 100});
    }
    return t;
}

TEST(Summary, ARolesStagesAddUpToItsTime)
{
    const Summary s = summarize(pair(10, 20));
    ASSERT_EQ(s.roles.size(), 2U);
    EXPECT_EQ(s.roles[1].role, "consumer");
    EXPECT_DOUBLE_EQ(s.roles[1].totalNs, 1000);
    EXPECT_DOUBLE_EQ(s.roles[1].byEvent.at("wait"), 400);
    EXPECT_DOUBLE_EQ(s.roles[1].byEvent.at("tensor"), 600);
    EXPECT_DOUBLE_EQ(s.roles[1].byOp.at(4), 600);
    EXPECT_DOUBLE_EQ(s.roles[1].waitShare, 0.4);
    EXPECT_DOUBLE_EQ(s.roles[1].blockShare, 1);
    EXPECT_DOUBLE_EQ(s.roles[1].iterationNs.at("tensor"), 100);
    EXPECT_NEAR(s.overhead, 0.02, 1e-12);
}

TEST(Summary, AProducerThatAsksTooLateIsTheCause)
{
    const Summary s = summarize(pair(10, 20));
    ASSERT_EQ(s.bubbles.size(), 2U);
    EXPECT_EQ(s.bubbles[0].track, 1);
    EXPECT_EQ(s.bubbles[0].times, 10);
    EXPECT_DOUBLE_EQ(s.bubbles[0].ns, 400);
    EXPECT_EQ(s.bubbles[0].nextOp, 4U);
    EXPECT_EQ(s.bubbles[0].cause, Cause::kProducerLate);
    EXPECT_EQ(s.bubbles[1].cause, Cause::kUnknown) << "nobody copies for the producer";
}

TEST(Summary, MemoryIsTheCauseWhereTheCopyWasAskedForBefore)
{
    capture::Timeline t = pair(10, 0);
    for (capture::Span& s : t.spans)
        if (s.event == "issue")
            s.endNs = s.startNs;
        else if (s.track == 0)
            s.endNs = s.startNs;
    const Summary s = summarize(t);
    ASSERT_FALSE(s.bubbles.empty());
    EXPECT_EQ(s.bubbles[0].cause, Cause::kMemorySlow);
}

TEST(Summary, OneLongWaitStandsOut)
{
    capture::Timeline t;
    t.tracks = {{"block", 0, 0, 0, 0}};
    double at = 0;
    for (int i = 0; i < 20; ++i) {
        const double wait = i == 7 ? 50 : 2;
        t.spans.push_back({0, "wait", 1, i, -1, at, at + wait});
        t.spans.push_back({0, "tensor", 2, i, -1, at + wait, at + wait + 100});
        at += wait + 100;
    }
    const Summary s = summarize(t);
    ASSERT_EQ(s.bubbles.size(), 1U);
    EXPECT_EQ(s.bubbles[0].iteration, 7);
    EXPECT_DOUBLE_EQ(s.bubbles[0].ns, 50);
}

TEST(Summary, GapsAreUnrecorded)
{
    capture::Timeline t;
    t.tracks = {{"block", 0, 0, 0, 0}};
    t.spans = {{0, "setup", 0, -1, -1, 0, 10}, {0, "tensor", 2, -1, -1, 30, 40}};
    const Summary s = summarize(t);
    EXPECT_DOUBLE_EQ(s.roles.at(0).totalNs, 40);
    EXPECT_DOUBLE_EQ(s.roles.at(0).byEvent.at("unrecorded"), 20);
}

TEST(Perfetto, HasAProcessABlockAndAThreadARole)
{
    capture::Capture capture;
    capture.timelines = {pair(2, 20)};
    capture.operations.resize(1);
    capture.operations[0].id = 4;
    capture.operations[0].name = "gemm";
    capture.operations[0].line = 12;
    const auto json = nlohmann::json::parse(toPerfetto(capture));
    const auto& events = json.at("traceEvents");
    ASSERT_EQ(events.size(), 3U + 8U);
    EXPECT_EQ(events[0].at("args").at("name"), "measured: launch 0, block 3, SM 7");
    EXPECT_EQ(events[1].at("args").at("name"), "producer (warp 4)");
    const auto& last = events.back();
    EXPECT_EQ(last.at("ph"), "X");
    EXPECT_EQ(last.at("name"), "tensor");
    EXPECT_DOUBLE_EQ(last.at("ts"), 0.14);
    EXPECT_DOUBLE_EQ(last.at("dur"), 0.06);
    EXPECT_EQ(last.at("args").at("line"), 12);
    EXPECT_EQ(last.at("args").at("operation"), "gemm");
    EXPECT_EQ(last.at("args").at("iteration"), 1);
    EXPECT_NEAR(json.at("otherData").at("timelines").at(0).at("overhead"), 0.02, 1e-12);
}

}  // namespace
}  // namespace tw::timeline
