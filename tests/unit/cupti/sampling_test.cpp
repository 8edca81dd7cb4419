// Samples over time and of program counters.
#include "profiler/cupti/pc_sampling.h"
#include "profiler/cupti/pm_sampling.h"
#include "tests/unit/cupti/fake_library.h"

namespace tw::cupti {
namespace {

TEST(OverTime, KeepsTheTimeInWhichTheKernelRan)
{
    RawSamples raw;
    // A long empty interval first, as CUPTI gives it; then idle, three busy samples with a pause, idle.
    raw.startNs = {0, 90000, 92000, 94000, 96000, 98000};
    raw.endNs = {90000, 92000, 94000, 96000, 98000, 100000};
    raw.values = {{5, 0, 40, 0, 60, 0}, {1, 2, 3, 4, 5, 6}};
    const RawSamples trimmed = trimToActive(raw, 0);
    EXPECT_EQ(trimmed.startNs, (std::vector<double>{0, 2000, 4000}));
    EXPECT_EQ(trimmed.endNs, (std::vector<double>{2000, 4000, 6000}));
    EXPECT_EQ(trimmed.values[0], (std::vector<double>{40, 0, 60}));
    EXPECT_EQ(trimmed.values[1], (std::vector<double>{3, 4, 5}));
    EXPECT_TRUE(trimToActive({}, 0).startNs.empty());
    raw.values[0] = {0, 0, 0, 0, 0, 0};
    EXPECT_TRUE(trimToActive(raw, 0).startNs.empty());
}

class OverTimeTest : public FakeCuptiTest {
protected:
    Result<OverTimeReport> sample(double expectedUs)
    {
        return sampleOverTime(library_, *context_, [&] { return ++launches_, cuda::Result<void>(); }, {expectedUs, 2000});
    }
    int launches_ = 0;
};

TEST_F(OverTimeTest, GivesWhatTheChipOffers)
{
    fake_->pmSamples = 6;  // of 2 µs; the kernel runs in the middle four
    fake_->value = [](const std::string& counter, std::size_t index) {
        const bool runs = index > 0 && index < 5;
        return !runs ? 0.0 : counter.starts_with("TPC") ? 50.0 : 10.0 * static_cast<double>(index);
    };
    const auto report = sample(8);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(launches_, 1);
    EXPECT_EQ(fake_->interval, 2000U);
    ASSERT_EQ(report->series.size(), 2U);
    EXPECT_EQ(report->series[0].name, "occupancy_pct");
    EXPECT_EQ(report->series[0].timeNs, (std::vector<double>{1000, 3000, 5000, 7000}));
    EXPECT_EQ(report->series[1].name, "l2_bandwidth_pct");
    EXPECT_EQ(report->series[1].values, (std::vector<double>{10, 20, 30, 40}));
    EXPECT_TRUE(called("pmDisable"));
}

TEST_F(OverTimeTest, LongLaunchesAreSampledMoreRarely)
{
    (void)sample(100000);  // 0.1 s in at most 2000 samples
    EXPECT_EQ(fake_->interval, 50000U);
}

TEST_F(OverTimeTest, EveryFailureIsSaidAndTheSamplerSwitchedOff)
{
    for (const char* step : {"pmAvailability", "hostInitialize", "addMetrics", "pmEnable", "pmConfig", "pmDataSize", "pmDataInitialize", "pmStart",
                             "pmStop", "pmDecode", "pmDataInfo", "pmSampleInfo", "evaluate"}) {
        *fake_ = {};
        fake_->pmSamples = 2;
        fake_->results[step] = api::kInsufficientPrivileges;
        const auto report = sample(8);
        ASSERT_FALSE(report) << step;
        EXPECT_EQ(report.error().kind, FailureKind::kPermission) << step;
        EXPECT_EQ(called("pmDisable"), called("pmConfig")) << step;
    }
    *fake_ = {};
    EXPECT_NE(sample(8).error().message.find("no sample"), std::string::npos);
    fake_->isFull = true;
    EXPECT_NE(sample(8).error().message.find("room"), std::string::npos);
}

TEST(PcSampling, NamesReasonsShortly)
{
    EXPECT_EQ(reasonText("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
    EXPECT_EQ(reasonText("smsp__pcsamp_warps_issue_stalled_gmma"), "gmma");
    EXPECT_EQ(reasonText("smsp__pcsamp_warps_issue_stalled_gmma_not_issued"), "");
}

TEST(PcSampling, PeriodsFollowTheLength)
{
    EXPECT_EQ(periodFor(1), 5U);
    EXPECT_LT(periodFor(100), periodFor(1000));
    EXPECT_EQ(periodFor(1e9), 20U);
    // A millisecond: about 1.5 million cycles, so 2^11 cycles give some 700 samples.
    EXPECT_EQ(periodFor(1000), 11U);
}

class PcSamplingTest : public FakeCuptiTest {
protected:
    void SetUp() override
    {
        FakeCuptiTest::SetUp();
        fake_->reasonNames = {"smsp__pcsamp_warps_issue_stalled_selected", "smsp__pcsamp_warps_issue_stalled_gmma",
                              "smsp__pcsamp_warps_issue_stalled_gmma_not_issued"};
    }
    Result<PcReport> sample(PcOptions options)
    {
        PcWork work;
        // What is loaded earlier, CUPTI does not know.
        work.load = [&] {
            EXPECT_TRUE(called("pcConfigure"));
            return cuda::Result<void>();
        };
        work.round = [&] { return ++rounds_, cuda::Result<void>(); };
        return samplePcs(library_, *context_, work, options, {});
    }
    int rounds_ = 0;
};

TEST_F(PcSamplingTest, AddsRoundsUpUntilThereAreEnough)
{
    fake_->pcs = {{16, {{0, 2}, {1, 30}, {2, 25}}}, {0, {{0, 8}}}};
    PcOptions options;
    options.enough = 100;
    const auto report = sample(options);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(rounds_, 3);  // 40 samples each: the second count of the same ones is not one
    EXPECT_EQ(report->total, 120U);
    ASSERT_EQ(report->samples.size(), 2U);
    EXPECT_EQ(report->samples[0].offset, 0U);
    EXPECT_EQ(report->samples[1].entry, "kernel");
    EXPECT_EQ(report->samples[1].reasons, (std::map<std::string, std::uint64_t>{{"selected", 6}, {"gmma", 90}}));
    EXPECT_EQ(fake_->pcOptions[api::kPcMode], static_cast<std::uint32_t>(api::kPcSerialized));
    EXPECT_TRUE(called("pcDisable"));
}

TEST_F(PcSamplingTest, WaitsForSamplesThatAreStillParsed)
{
    fake_->pcs = {{0, {{0, 5}}}};
    fake_->looksUntilSamples = 3;
    PcOptions options;
    options.enough = 5;
    const auto report = sample(options);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(rounds_, 1);
    EXPECT_EQ(report->total, 5U);
}

TEST_F(PcSamplingTest, NoSampleIsSaid)
{
    PcOptions options;
    options.maxRounds = 1;
    const auto report = sample(options);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("no sample"), std::string::npos);
}

TEST_F(PcSamplingTest, EveryFailureIsSaidAndTheSamplerSwitchedOff)
{
    for (const char* step : {"pcEnable", "pcReasonCount", "pcConfigure", "pcGetData"}) {
        fake_->results = {{step, api::kInsufficientPrivileges}};
        fake_->log.clear();
        const auto report = sample({});
        ASSERT_FALSE(report) << step;
        EXPECT_EQ(report.error().kind, FailureKind::kPermission) << step;
        EXPECT_EQ(called("pcDisable"), std::string(step) != "pcEnable") << step;
    }
}

TEST_F(PcSamplingTest, AsksForLines)
{
    const SourceLine line = lineOf(*library_, "cubin", "kernel", 32);
    EXPECT_EQ(line.file, "kernel.py");
    EXPECT_EQ(line.line, 3);
}

}  // namespace
}  // namespace tw::cupti
