// Random TileLang files on GPU 0 against the interpreter. TW_GPU_SEEDS=first:count runs other seeds.
#include <gtest/gtest.h>

#include "tests/differential/kernel_on_device.h"

namespace tw::test {
namespace {

TEST(RandomKernel, TheGpuAgrees)
{
    const auto opened = device::openDevice("cuda:0");
    if (!opened && opened.error().starts_with("not supported: "))
        GTEST_SKIP() << opened.error();
    ASSERT_TRUE(opened) << opened.error();
    const Seeds seeds = seedsFrom("TW_GPU_SEEDS", {1, 2000});
    int wrong = 0;
    for (std::uint32_t seed = seeds.first; seed < seeds.first + seeds.count && wrong < 10; ++seed) {
        const std::string problem = verifyKernel(**opened, {}, seed);
        EXPECT_EQ(problem, "") << "seed " << seed << '\n' << randomKernel(seed);
        wrong += problem.empty() ? 0 : 1;  // a few programs say enough
    }
}

}  // namespace
}  // namespace tw::test
