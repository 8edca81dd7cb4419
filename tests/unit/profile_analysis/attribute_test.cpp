// Counts of instructions and stages of pipelines, put where they belong.
#include "profiler/analysis/attribute.h"

#include <gtest/gtest.h>

#include "profiler/analysis/record.h"

namespace tw::profile_analysis {
namespace {

namespace count = capture::count;

// Two SASS lines and two CUDA lines of operation 1 at byte 10; one of each of operation 2 at byte 20.
capture::Capture sample()
{
    capture::Capture c;
    c.sass.text = c.cuda.text = "x";
    c.sass.lines = {{4, {0, 10, 12}, 1}, {5, {0, 10, 12}, 1}, {6, {0, 20, 22}, 2}};
    c.cuda.lines = {{1, {0, 10, 12}, 1}, {2, {0, 10, 12}, 1}, {3, {0, 20, 22}, 2}};
    c.lines = {{"sass", 4, 1, 0, {}, capture::Origin::kMeasured, {{count::kExecuted, 6}}},
               {"sass", 5, 1, 0, {}, capture::Origin::kMeasured, {{count::kExecuted, 4}}},
               {"cuda", 3, 2, 0.5, {}, capture::Origin::kModelled, {}}};
    return c;
}

TEST(Counts, OfSassLinesAreSharedByCudaLinesOfTheirPlace)
{
    capture::Capture c = sample();
    spreadCounts(c);
    std::map<int, std::map<std::string, double>> found;
    for (const capture::LineCost& line : c.lines)
        if (line.text == "cuda")
            found[line.line] = line.counts;
    EXPECT_EQ(found, (std::map<int, std::map<std::string, double>>{{1, {{count::kExecuted, 5}}}, {2, {{count::kExecuted, 5}}}, {3, {}}}));
}

TEST(Counts, JoinTheModelledOperationsAndLines)
{
    capture::Capture c;
    c.operations.resize(1);
    c.operations[0].id = 1;
    c.operations[0].timeShare = 0.7;
    c.lines = {{"source", 9, 1, 0.7, {}, capture::Origin::kModelled, {}}};
    std::vector<capture::Operation> counted(2);
    counted[0].id = 1;
    counted[0].counts = {{count::kExecuted, 3}};
    counted[1].id = 2;
    takeCounts(counted, {{"source", 9, 1, 0, {}, capture::Origin::kMeasured, {{count::kExecuted, 3}}},
                         {"sass", 4, 1, 0, {}, capture::Origin::kMeasured, {{count::kExecuted, 3}}}}, c);
    ASSERT_EQ(c.operations.size(), 2U);
    EXPECT_EQ(c.operations[0].timeShare, 0.7);
    EXPECT_EQ(c.operations[0].counts.at(count::kExecuted), 3);
    ASSERT_EQ(c.lines.size(), 2U);
    EXPECT_EQ(c.lines[0].share, 0.7);
    EXPECT_EQ(c.lines[0].counts.at(count::kExecuted), 3);
}

TEST(Stages, AreIterationsModuloTheDepthOfTheirPipeline)
{
    Work work;
    work.launches.resize(1);
    work.launches[0].operations.resize(3);
    for (std::uint32_t i = 0; i < 3; ++i)
        work.launches[0].operations[i].op = i + 1;
    work.launches[0].operations[0].loop = 0;  // of depth 3
    work.launches[0].operations[1].loop = 1;  // not overlapped
    LaunchFacts facts;
    facts.depths = {3, 1};
    capture::Capture c;
    c.timelines.resize(1);
    c.timelines[0].tracks.resize(1);
    for (const auto& [op, iteration] : std::vector<std::pair<std::uint32_t, std::int64_t>>{{1, 0}, {1, 2}, {1, 4}, {1, -1}, {2, 4}, {3, 4}, {0, 4}})
        c.timelines[0].spans.push_back({0, "issue", op, iteration, -1, 0, 1});
    recordStages(work, {facts}, c);
    std::vector<int> stages;
    for (const capture::Span& span : c.timelines[0].spans)
        stages.push_back(span.stage);
    EXPECT_EQ(stages, (std::vector<int>{0, 2, 1, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace tw::profile_analysis
