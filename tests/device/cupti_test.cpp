// CUPTI on a real GPU; skips, with the remedy, where this user may not count.
#include "profiler/cuda/cache_flush.h"
#include "profiler/cuda/nvml.h"
#include "profiler/cuda/timing.h"
#include "profiler/cupti/pc_sampling.h"
#include "profiler/cupti/pm_sampling.h"
#include "profiler/cupti/range_profiler.h"
#include "tests/device/gpu.h"

namespace tw::cupti {
namespace {

constexpr std::int64_t kBytes = std::int64_t{512} << 20;

class GpuCountersTest : public cuda::GpuTest {
protected:
    void SetUp() override
    {
        GpuTest::SetUp();
        if (!context_ || IsSkipped())
            return;
        auto opened = Library::open(context_->driver().version());
        if (!opened && (opened.error().kind == FailureKind::kMissing || opened.error().kind == FailureKind::kTooOld))
            GTEST_SKIP() << opened.error().text();
        ASSERT_TRUE(opened) << opened.error().text();
        library_ = *opened;
        in_ = allocate(kBytes);
        out_ = allocate(kBytes);
        ASSERT_TRUE(in_->fill(1));
        const auto groups = static_cast<std::uint32_t>(kBytes / 16);
        parameters_.add(out_->address());
        parameters_.add(in_->address());
        parameters_.add(groups);
        shape_ = {{(groups + 255) / 256, 1, 1}, {256, 1, 1}};
    }
    cuda::Result<void> copy() { return cuda::launch(*context_, find("copy"), shape_, parameters_); }
    // Whether this is the machine's fault, not ours.
    static bool isRefusal(const Failure& failure) { return failure.kind == FailureKind::kPermission || failure.kind == FailureKind::kUnsupported; }

    std::shared_ptr<const Library> library_;
    std::unique_ptr<cuda::Memory> in_, out_;
    cuda::ParameterList parameters_;
    cuda::LaunchShape shape_;
};

TEST_F(GpuCountersTest, CountsTheBytesOfACopy)
{
    auto profiler = RangeProfiler::open(library_, context_);
    if (!profiler && isRefusal(profiler.error()))
        GTEST_SKIP() << profiler.error().text();
    ASSERT_TRUE(profiler) << profiler.error().text();
    const Choice choice = chooseMetrics((*profiler)->host(), {});
    auto flush = cuda::CacheFlush::make(context_);
    ASSERT_TRUE(flush);
    RangeWork work{1, [&](int) { return (*flush)->run(); }, [&](int) { return copy(); }};
    const auto report = (*profiler)->collect(choice.metrics, work, 5, {});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_LE(report->passes, 2U);
    std::map<std::string, double> values;
    for (const capture::Metric& m : report->metrics) {
        values[m.name] = m.value;
        std::printf("%s: %.6g %s, spread %.1f %%\n", m.name.c_str(), m.value, m.unit.c_str(), 100 * m.spread);
    }
    EXPECT_NEAR(values["dram_read_bytes"], static_cast<double>(kBytes), 0.02 * kBytes);
    EXPECT_GT(values["dram_write_bytes"], 0.85 * kBytes);  // the rest stays in the cache
    EXPECT_LT(values["dram_write_bytes"], 1.02 * kBytes);
    EXPECT_EQ(values["tensor_pipe_pct"], 0);
    EXPECT_EQ(values["shared_bank_conflicts"], 0);
    EXPECT_GE(values["l2_read_bytes"], static_cast<double>(kBytes));

    // The counted time against events.
    const auto samples = cuda::time(context_, {}, [&] { return copy(); }, {2, 10, true});
    ASSERT_TRUE(samples);
    const double events = cuda::summarizeTimes(*samples).median;
    std::printf("by events: %.2f us\n", events);
    EXPECT_NEAR(values["duration_us"], events, 0.05 * events);
}

TEST_F(GpuCountersTest, SamplesCountersOverTime)
{
    const auto report = sampleOverTime(library_, *context_, [&] { return copy(); }, {300, 2000});
    if (!report && isRefusal(report.error()))
        GTEST_SKIP() << report.error().text();
    ASSERT_TRUE(report) << report.error().text();
    ASSERT_FALSE(report->series.empty());
    const capture::Series& first = report->series.front();
    EXPECT_GT(first.timeNs.size(), 50U);  // more than 100 µs
    for (const capture::Series& s : report->series) {
        ASSERT_EQ(s.values.size(), first.timeNs.size());
        if (s.name == "dram_read_pct") {
            EXPECT_GT(*std::max_element(s.values.begin(), s.values.end()), 20);
        }
    }
}

TEST_F(GpuCountersTest, SamplesProgramCounters)
{
    std::unique_ptr<cuda::Module> loaded;
    cuda::api::Function function = nullptr;
    PcWork work;
    work.load = [&]() -> cuda::Result<void> {
        loaded = std::move(*cuda::Module::load(context_, cuda::kKernels));
        function = loaded->find("copy").value();
        return {};
    };
    work.round = [&] { return cuda::launch(*context_, function, shape_, parameters_); };
    PcOptions options;
    options.expectedUs = 300;
    const auto report = samplePcs(library_, *context_, work, options, {});
    if (!report && isRefusal(report.error()))
        GTEST_SKIP() << report.error().text();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_GT(report->total, 1000U);
    std::uint64_t waiting = 0;
    for (const PcSample& sample : report->samples) {
        EXPECT_EQ(sample.entry, "copy");
        if (const auto found = sample.reasons.find("long_scoreboard"); found != sample.reasons.end())
            waiting += found->second;
    }
    EXPECT_GT(waiting, report->total / 4);  // a copy waits for memory
}

TEST_F(GpuCountersTest, ReadsClocks)
{
    const auto nvml = cuda::Nvml::open(*context_);
    if (!nvml)
        GTEST_SKIP() << nvml.error();
    const cuda::GpuState state = (*nvml)->read();
    EXPECT_GT(state.smClockMHz, 100);
    EXPECT_GT(state.powerW, 10);
    EXPECT_FALSE((*nvml)->driverVersion().empty());
}

}  // namespace
}  // namespace tw::cupti
