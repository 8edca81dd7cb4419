#include "profiler/cupti/instruction_counts.h"

#include "profiler/capture/capture.h"
#include "tests/unit/cupti/fake_library.h"

namespace tw::cupti {
namespace {

namespace count = capture::count;

class InstructionCountsTest : public FakeCuptiTest {
protected:
    void SetUp() override
    {
        FakeCuptiTest::SetUp();
        fake_->sassMetrics = {"smsp__sass_inst_executed", "smsp__sass_sectors_mem_global", "smsp__sass_sectors_mem_global_ideal"};
        // A record a metric, in any order; a metric that nobody chose is not ours.
        fake_->sass = {{0x20, 2, 96}, {0x10, 1, 8}, {0x20, 1, 8}, {0x20, 3, 32}, {0x10, 9, 5}};
    }

    Result<CountReport> countOnce()
    {
        CountWork work;
        work.prepare = [&] { return done_ += "prepare ", cuda::Result<void>(); };
        work.launch = [&] { return done_ += fake_->isCounting ? "counted launch " : "launch ", cuda::Result<void>(); };
        return countInstructions(library_, *context_, work, isSpent_, {});
    }

    std::string done_;
    bool isSpent_ = false;
};

TEST_F(InstructionCountsTest, CountsTheLaunchAndNotWhatPreparesIt)
{
    const auto report = countOnce();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(done_, "prepare counted launch ");
    EXPECT_TRUE(isSpent_);
    ASSERT_EQ(report->instructions.size(), 2U);
    EXPECT_EQ(report->instructions[0].offset, 0x10U);
    EXPECT_EQ(report->instructions[0].counts, (std::map<std::string, double>{{count::kExecuted, 8}}));
    EXPECT_EQ(report->instructions[1].entry, "kernel");
    EXPECT_EQ(report->instructions[1].counts, (std::map<std::string, double>{{count::kExecuted, 8}, {count::kSectors, 96}, {count::kIdealSectors, 32}}));
    EXPECT_EQ(report->lacking, (std::vector<std::string>{count::kThreads, count::kWavefronts, count::kIdealWavefronts}));
    EXPECT_FALSE(fake_->isCounting);
    EXPECT_TRUE(called("sassUnconfig"));
}

TEST_F(InstructionCountsTest, ASecondTimeInAProcessSaysSo)
{
    ASSERT_TRUE(countOnce());
    const auto again = countOnce();
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().text().find("preparing to count instructions"), std::string::npos) << again.error().text();
    EXPECT_EQ(done_, "prepare counted launch prepare ");
}

TEST_F(InstructionCountsTest, AChipWithoutThemIsUnsupported)
{
    fake_->sassMetrics.clear();
    const auto report = countOnce();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, FailureKind::kUnsupported);
    EXPECT_FALSE(isSpent_);
    EXPECT_EQ(done_, "");
}

TEST_F(InstructionCountsTest, NoRecordsAreAFailure)
{
    fake_->sass.clear();
    const auto report = countOnce();
    ASSERT_FALSE(report);
    EXPECT_FALSE(fake_->isCounting);  // switched off all the same
}

}  // namespace
}  // namespace tw::cupti
