// From samples of program counters to lines and tile operations; what doctor says of counters.
#include "profiler/device/cuda_stalls.h"

#include <gtest/gtest.h>

#include "profiler/cupti/failure.h"
#include "profiler/device/machine_counters.h"

namespace tw::device {
namespace {

// As nvdisasm prints: two kernels, the second instruction of the first without a line.
constexpr const char* kSass = R"(	.headerflags	@"EF_CUDA_TEXTURE_MODE"
	.section	.text.first,"ax",@progbits
.text.first:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_1:
        /*0a30*/              @P0  HGMMA.64x128x16.F32 R24, gdesc[UR4], R24 ;
	.section	.text.second,"ax",@progbits
.text.second:
        /*0000*/                   EXIT ;
)";

struct StallsTest : testing::Test {
    StallsTest() { sources.add(std::make_shared<const SourceText>("kernel.py", "one\ntwo\nthree\n")); }

    SourceSet sources;
    // Line 4 of the text is source line 1, line 7 is line 3 (offset 8), line 10 is line 1.
    std::vector<gpu::LineSource> map = {{4, {0, 0, 3}, 5}, {7, {0, 8, 13}, 6}, {10, {0, 0, 3}, 0}};
};

TEST_F(StallsTest, FindsInstructionsInTheDisassembly)
{
    const InstructionPlaces places = placesInSass(kSass, map);
    ASSERT_EQ(places.size(), 4U);
    EXPECT_EQ(places.at({"first", 0}).op, 5U);
    EXPECT_FALSE(places.at({"first", 0x10}).source.isKnown());
    EXPECT_EQ(places.at({"first", 0x10}).sassLine, 5);
    EXPECT_EQ(places.at({"first", 0xa30}).op, 6U);
    EXPECT_EQ(places.at({"first", 0xa30}).sassLine, 7);
    EXPECT_EQ(places.at({"second", 0}).sassLine, 10);
}

TEST_F(StallsTest, ChargesSamplesToOperationsAndLines)
{
    const std::vector<cupti::PcSample> samples = {{"first", 0, {{"selected", 5}, {"wait", 5}}},
                                                  {"first", 0x10, {{"barrier", 10}}},
                                                  {"first", 0xa30, {{"gmma", 60}, {"selected", 10}}},
                                                  {"second", 0, {{"drain", 10}}}};
    const StallAttribution found = attribute(samples, placesInSass(kSass, map), sources);
    EXPECT_DOUBLE_EQ(found.placed, 0.9);
    ASSERT_EQ(found.operations.size(), 2U);
    EXPECT_EQ(found.operations[0].id, 6U);
    EXPECT_EQ(found.operations[0].line, 3);
    EXPECT_DOUBLE_EQ(found.operations[0].timeShare, 0.7);
    EXPECT_DOUBLE_EQ(found.operations[0].samples, 70);
    EXPECT_DOUBLE_EQ(found.operations[0].stalls.at("gmma"), 60.0 / 70);
    EXPECT_FALSE(found.operations[0].stalls.contains("selected"));
    EXPECT_EQ(found.operations[1].id, 5U);

    std::map<std::pair<std::string, int>, double> shares;
    for (const capture::LineCost& line : found.lines)
        shares[{line.text, line.line}] = line.share;
    EXPECT_DOUBLE_EQ((shares[{"source", 1}]), 0.2);  // of both kernels
    EXPECT_DOUBLE_EQ((shares[{"source", 3}]), 0.7);
    EXPECT_DOUBLE_EQ((shares[{"sass", 5}]), 0.1);
    EXPECT_EQ(shares.size(), 6U);
}

TEST_F(StallsTest, ChargesCountsToOperationsAndLines)
{
    namespace count = capture::count;
    const std::vector<cupti::CountedInstruction> counted = {{"first", 0, {{count::kExecuted, 4}, {count::kThreads, 100}}},
                                                            {"first", 0x10, {{count::kExecuted, 4}}},
                                                            {"first", 0xa30, {{count::kExecuted, 8}, {count::kWavefronts, 64}}},
                                                            {"second", 0, {{count::kExecuted, 4}}},
                                                            {"other", 0, {{count::kExecuted, 20}}}};
    // Operation 6 and its line were sampled before, operation 5 was not.
    std::vector<capture::Operation> operations(1);
    operations[0].id = 6;
    operations[0].samples = 10;
    std::vector<capture::LineCost> lines = {{"source", 3, 6, 1, {}, capture::Origin::kMeasured, {}}};
    EXPECT_DOUBLE_EQ(chargeCounts(counted, placesInSass(kSass, map), sources, operations, lines), 16.0 / 40);
    ASSERT_EQ(operations.size(), 2U);
    EXPECT_EQ(operations[0].counts, (std::map<std::string, double>{{count::kExecuted, 8}, {count::kWavefronts, 64}}));
    EXPECT_EQ(operations[0].samples, 10);
    EXPECT_EQ(operations[1].id, 5U);
    EXPECT_EQ(operations[1].line, 1);
    std::map<std::pair<std::string, int>, double> executed;
    for (const capture::LineCost& line : lines)
        executed[{line.text, line.line}] = line.counts.at(count::kExecuted);
    EXPECT_EQ(executed, (std::map<std::pair<std::string, int>, double>{
                            {{"source", 1}, 8}, {{"source", 3}, 8}, {{"sass", 4}, 4}, {{"sass", 5}, 4}, {{"sass", 7}, 8}, {{"sass", 10}, 4}}));
    EXPECT_EQ(lines[0].share, 1);
}

TEST_F(StallsTest, NothingSampledIsNothing)
{
    const StallAttribution found = attribute({}, {}, sources);
    EXPECT_TRUE(found.operations.empty());
    EXPECT_EQ(found.placed, 0);
}

TEST(CounterAccess, IsSaidWithItsRemedy)
{
    const std::string user = "CapEff:\t0000000000000000\n", root = "CapEff:\t000001ffffffffff\n";
    EXPECT_EQ(describeAccess("RmProfilingAdminOnly: 1\n", root).state, "ok");
    EXPECT_EQ(describeAccess("RmProfilingAdminOnly: 0\n", user).state, "ok");
    const protocol::Check refused = describeAccess("RmProfilingAdminOnly: 1\n", user);
    EXPECT_EQ(refused.state, "limited");
    EXPECT_EQ(refused.remedy, cupti::permissionRemedy());
    EXPECT_EQ(describeAccess("", user).state, "limited");
}

}  // namespace
}  // namespace tw::device
