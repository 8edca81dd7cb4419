#include <gtest/gtest.h>

#include "profiler/cuda/cache_flush.h"
#include "profiler/cuda/timing.h"
#include "tests/unit/cuda/fake_driver.h"

namespace tw::cuda {
namespace {

TEST(Timing, SummarizesSamples)
{
    const TimingSummary s = summarizeTimes({5, 1, 2, 3, 4});
    EXPECT_EQ(s.median, 3);
    EXPECT_EQ(s.min, 1);
    EXPECT_DOUBLE_EQ(s.p10, 1.4);
    EXPECT_DOUBLE_EQ(s.p90, 4.6);
    EXPECT_DOUBLE_EQ(s.spread(), 1.6 / 3);
    EXPECT_EQ(summarizeTimes({}).median, 0);
    EXPECT_EQ(summarizeTimes({7}).spread(), 0);
}

TEST(Timing, RestoresThenFlushesThenMeasures)
{
    FakeDriver fake;
    fake.kernels["tw_read"] = [](void** parameters) { EXPECT_EQ(*static_cast<std::uint32_t*>(parameters[1]), 8192U / 16); };
    const auto context = FakeDriver::context();
    fake.log.clear();
    fake.notReady = 3;
    const auto step = [&](const char* name) {
        return [&fake, name] { return fake.log.emplace_back(name), Result<void>(); };
    };
    const auto samples = time(context, step("prepare"), step("work"), {1, 2, true});
    ASSERT_TRUE(samples);
    EXPECT_EQ(*samples, (std::vector<double>{250, 250}));
    // The scratch memory's two guards and its zeros, then three rounds of which one warms up; 8192: twice the L2 cache.
    const std::vector<std::string> round = {"prepare", "launch", "record", "work", "record"};
    std::vector<std::string> expected = {"fill 65536", "fill 65536", "fill 8192"};
    for (int i = 0; i < 3; ++i)
        expected.insert(expected.end(), round.begin(), round.end());
    EXPECT_EQ(fake.log, expected);
    EXPECT_EQ(fake.live, 0);
}

TEST(Timing, FlushesByWritingWhereTheReaderDoesNotLoad)
{
    FakeDriver fake;
    const auto context = FakeDriver::context();
    const auto flush = CacheFlush::make(context);
    ASSERT_TRUE(flush);
    fake.log.clear();
    ASSERT_TRUE((*flush)->run());
    EXPECT_EQ(fake.log, (std::vector<std::string>{"fill 8192"}));
}

TEST(Timing, EndsAtAFault)
{
    FakeDriver fake;
    const auto context = FakeDriver::context();
    const auto samples = time(context, {}, [&] { return fake.failure = api::kIllegalAddress, Result<void>(); }, {0, 5, false});
    ASSERT_FALSE(samples);
    EXPECT_EQ(samples.error().kind, FailureKind::kFault);
    EXPECT_TRUE(context->isLost());
}

TEST(Timing, HearsAStopRequest)
{
    FakeDriver fake;
    const auto context = FakeDriver::context();
    fake.notReady = 1 << 30;
    std::stop_source stop;
    stop.request_stop();
    const auto done = waitFor(*context, "running the kernel", stop.get_token());
    ASSERT_TRUE(done);
    EXPECT_FALSE(*done);
}

}  // namespace
}  // namespace tw::cuda
