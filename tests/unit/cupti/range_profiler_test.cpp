#include "profiler/cupti/range_profiler.h"

#include "tests/unit/cupti/fake_library.h"

namespace tw::cupti {
namespace {

class RangeProfilerTest : public FakeCuptiTest {
protected:
    Result<RangeReport> collect(int launches, int rounds)
    {
        auto profiler = RangeProfiler::open(library_, context_);
        if (!profiler)
            return tl::unexpected(profiler.error());
        const Choice choice = chooseMetrics((*profiler)->host(), {"headline"});
        RangeWork work;
        work.count = launches;
        work.prepare = [&](int i) { return done_.push_back("prepare " + std::to_string(i)), cuda::Result<void>(); };
        work.launch = [&](int i) -> cuda::Result<void> {
            done_.push_back("launch " + std::to_string(i));
            if (launchFails_)
                return tl::unexpected(cuda::Failure{cuda::FailureKind::kBadLaunch, 0, "too many blocks", "use fewer"});
            return {};
        };
        return (*profiler)->collect(choice.metrics, work, rounds, {});
    }

    std::vector<std::string> done_;
    bool launchFails_ = false;
};

TEST_F(RangeProfilerTest, CountsEveryLaunchInEveryPass)
{
    fake_->passes = 2;
    // Launch 0 takes 1, 2, 3 µs; launch 1 takes 4, 5, 6.
    double samples = 0;
    fake_->value = [&](const std::string& counter, std::size_t) { return counter == "gpu__time_duration.sum" ? 1000.0 * ++samples : samples; };
    const auto report = collect(2, 3);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->passes, 2U);
    EXPECT_EQ(done_.size(), 2U * 2 * 3 * 2);  // prepare and launch, passes, rounds, launches
    EXPECT_EQ((std::vector<std::string>(done_.begin(), done_.begin() + 4)), (std::vector<std::string>{"prepare 0", "launch 0", "prepare 0", "launch 0"}));
    EXPECT_EQ(done_.back(), "launch 1");
    EXPECT_EQ(fake_->counters.size(), 3U);
    EXPECT_EQ(std::count(fake_->log.begin(), fake_->log.end(), "addMetrics"), 1);  // chosen in one call
    EXPECT_TRUE(called("rangeDisable"));

    ASSERT_EQ(report->metrics.size(), 6U);
    const capture::Metric& duration = report->metrics[0];
    EXPECT_EQ(duration.name, "duration_us");
    EXPECT_EQ(duration.unit, "us");
    EXPECT_EQ(duration.launch, 0);
    EXPECT_DOUBLE_EQ(duration.value, 2.0);
    EXPECT_EQ(duration.samples, 3);
    EXPECT_NEAR(duration.spread, (2.8 - 1.2) / 2 / 2, 1e-12);
    EXPECT_EQ(report->metrics[3].launch, 1);
    EXPECT_DOUBLE_EQ(report->metrics[3].value, 5.0);
    // Sectors of 32 bytes.
    EXPECT_EQ(report->metrics[2].name, "l2_read_bytes");
    EXPECT_DOUBLE_EQ(report->metrics[2].value, 2.0 * 32);
}

TEST_F(RangeProfilerTest, AnEmptyGridHasNoNumbers)
{
    fake_->ranges = 0;
    const auto report = collect(1, 2);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->metrics.empty());
}

TEST_F(RangeProfilerTest, EveryFailureIsSaidAndTheProfilerSwitchedOff)
{
    for (const char* step : {"availability", "hostInitialize", "addMetrics", "configImageSize", "configImage", "passCount", "rangeEnable",
                             "rangeDataSize", "rangeDataInitialize", "rangeConfig", "rangeStart", "rangeStop", "rangeDecode",
                             "rangeDataInfo", "evaluate"}) {
        *fake_ = {};
        fake_->results[step] = api::kInsufficientPrivileges;
        const auto report = collect(1, 1);
        ASSERT_FALSE(report) << step;
        EXPECT_EQ(report.error().kind, FailureKind::kPermission) << step;
        const bool wasOn = called("rangeDataSize");  // the first thing that is done with it
        EXPECT_EQ(called("rangeDisable"), wasOn) << step;
    }
}

TEST_F(RangeProfilerTest, ABusyGpuSaysWhoMayHoldIt)
{
    fake_->results["rangeEnable"] = api::kHardwareBusy;
    const auto report = collect(1, 1);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, FailureKind::kBusy);
    EXPECT_NE(report.error().text().find("another profiler"), std::string::npos);
}

TEST_F(RangeProfilerTest, KernelsOfOthersAreAFailure)
{
    fake_->dropped = 2;
    const auto report = collect(1, 1);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("more than one kernel"), std::string::npos);
}

TEST_F(RangeProfilerTest, AFailingLaunchStopsTheCounters)
{
    launchFails_ = true;
    const auto report = collect(1, 1);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, "too many blocks");
    EXPECT_TRUE(called("rangeStop"));
    EXPECT_TRUE(called("rangeDisable"));
}

}  // namespace
}  // namespace tw::cupti
