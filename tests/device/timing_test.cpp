#include "profiler/cuda/timing.h"
#include "tests/device/gpu.h"

namespace tw::cuda {
namespace {

void print(const char* what, const TimingSummary& s)
{
    std::printf("%s: median %.2f us, least %.2f us, spread %.1f %%\n", what, s.median, s.min, 100 * s.spread());
}

TEST_F(GpuTest, FlushesTheCache)
{
    // One thread follows a chain through 8 MiB, which a warm L2 cache holds: the time is the latency of the memory below L1.
    constexpr std::uint32_t kCount = 2 << 20, kStep = 2053, kLoads = 4000;
    std::vector<std::uint32_t> chain(kCount);
    for (std::uint32_t i = 0; i < kCount; ++i)
        chain[i] = (i + kStep) % kCount;
    const auto in = numbers(chain), out = allocate(4);
    ParameterList parameters;
    parameters.add(out->address());
    parameters.add(in->address());
    parameters.add(kLoads);
    const auto chase = [&] { return launch(*context_, find("chase"), {}, parameters); };
    TimingSummary times[2];
    for (const bool flushL2 : {false, true}) {
        const auto samples = time(context_, {}, chase, {2, 20, flushL2});
        ASSERT_TRUE(samples) << samples.error().message;
        times[flushL2] = summarizeTimes(*samples);
        print(flushL2 ? "4000 loads, L2 flushed" : "4000 loads, L2 warm", times[flushL2]);
    }
    EXPECT_GT(times[1].median, 1.3 * times[0].median);
    EXPECT_EQ(download(*out)[0], static_cast<std::uint64_t>(kLoads) * kStep % kCount);
}

TEST_F(GpuTest, MeasuresCopiesSteadily)
{
    const std::int64_t bytes = std::int64_t{2} << 30;
    const auto in = allocate(bytes), out = allocate(bytes);
    ASSERT_TRUE(in->fill(1));
    const auto groups = static_cast<std::uint32_t>(bytes / 16);
    ParameterList parameters;
    parameters.add(out->address());
    parameters.add(in->address());
    parameters.add(groups);
    const LaunchShape shape{{(groups + 255) / 256, 1, 1}, {256, 1, 1}};
    const auto samples = time(context_, {}, [&] { return launch(*context_, find("copy"), shape, parameters); }, {2, 20, true});
    ASSERT_TRUE(samples) << samples.error().message;
    ASSERT_EQ(samples->size(), 20U);
    const TimingSummary s = summarizeTimes(*samples);
    print("copy of 2 GiB", s);
    std::printf("%.0f GB/s read and written\n", 2e-3 * static_cast<double>(bytes) / s.median);
    EXPECT_LT(s.spread(), 0.1);
}

}  // namespace
}  // namespace tw::cuda
