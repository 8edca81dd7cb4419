// Random TileLang files on the simulator, for every architecture that it plays, against the interpreter.
// TW_SEEDS=first:count runs other seeds.
#include <gtest/gtest.h>

#include "tests/differential/kernel_on_device.h"

namespace tw::test {
namespace {

const char* const kTargets[] = {"sm_80", "sm_75", "sm_90a", "sm_89"};

TEST(RandomKernel, TheSimulatorAgrees)
{
    const Seeds seeds = seedsFrom("TW_SEEDS", {1, 500});
    const auto device = device::openDevice("sim").value();
    int wrong = 0;
    for (std::uint32_t seed = seeds.first; seed < seeds.first + seeds.count && wrong < 5; ++seed) {
        const char* target = kTargets[seed % std::size(kTargets)];
        const std::string problem = verifyKernel(*device, target, seed);
        EXPECT_EQ(problem, "") << "seed " << seed << " on " << target << '\n' << randomKernel(seed);
        wrong += problem.empty() ? 0 : 1;  // a few programs say enough
    }
}

TEST(RandomKernel, RepeatsAndVaries)
{
    EXPECT_EQ(randomKernel(7), randomKernel(7));
    std::string all;
    for (std::uint32_t seed = 1; seed <= 200; ++seed)
        all += randomKernel(seed);
    for (const char* part : {"T.gemm(", "transpose_A=True", "transpose_B=True", "num_stages=4", "threads=96", "T.reduce_bitxor", "T.reduce_absmax",
                             "clear=False", "T.cumsum", "reverse=True", "T.atomic_add", "float8_e4m3fn", "float64", "uint8", "else:", "T.unroll("})
        EXPECT_NE(all.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace tw::test
