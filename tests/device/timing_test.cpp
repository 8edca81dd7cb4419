#include "profiler/cuda/timing.h"
#include "tests/device/gpu.h"

namespace tw::cuda {
namespace {

// A copy of `bytes`, timed.
TimingSummary timeCopy(std::shared_ptr<Context> context, api::Function copy, std::int64_t bytes, bool flushL2)
{
    const auto in = std::move(Memory::allocate(context, bytes).value()), out = std::move(Memory::allocate(context, bytes).value());
    EXPECT_TRUE(in->fill(1));
    const auto groups = static_cast<std::uint32_t>(bytes / 16);
    ParameterList parameters;
    parameters.add(out->address());
    parameters.add(in->address());
    parameters.add(groups);
    const LaunchShape shape{{(groups + 255) / 256, 1, 1}, {256, 1, 1}};
    const auto samples = time(context, {}, [&] { return launch(*context, copy, shape, parameters); }, {5, 50, flushL2});
    EXPECT_TRUE(samples);
    EXPECT_EQ(samples->size(), 50U);
    const TimingSummary s = summarizeTimes(*samples);
    std::printf("copy of %lld MiB, %s: median %.2f us, least %.2f us, spread %.1f %%, %.0f GB/s read and written\n",
                static_cast<long long>(bytes >> 20), flushL2 ? "L2 flushed" : "L2 warm", s.median, s.min, 100 * s.spread(),
                2e-3 * static_cast<double>(bytes) / s.median);
    return s;
}

TEST_F(GpuTest, MeasuresWithAndWithoutTheCache)
{
    // Both sides fit in the L2 cache, and are long enough for launching not to hide it: a warm cache must show.
    const std::int64_t small = context_->device().l2Bytes * 3 / 8;
    const TimingSummary warm = timeCopy(context_, find("copy"), small / 16 * 16, false);
    const TimingSummary cold = timeCopy(context_, find("copy"), small / 16 * 16, true);
    EXPECT_LT(warm.median, cold.median);
    const TimingSummary large = timeCopy(context_, find("copy"), std::int64_t{2} << 30, true);
    EXPECT_GT(large.median, cold.median);
    EXPECT_LT(large.spread(), 0.1);
}

}  // namespace
}  // namespace tw::cuda
