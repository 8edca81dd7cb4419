#include "core/target/names.h"
#include "core/target/target.h"

#include <gtest/gtest.h>

namespace tw::target {

TEST(Target, AcceptsEverySpelling)
{
    EXPECT_EQ(parse("sm_90")->name, "sm_90a");
    EXPECT_EQ(parse("sm_90a")->name, "sm_90a");
    EXPECT_EQ(parse("sm_100")->name, "sm_100a");
    EXPECT_EQ(parse("cuda")->name, "sm_90a");
    EXPECT_EQ(parse("cuda -arch=sm_80")->name, "sm_80");
    EXPECT_EQ(parse("{'kind': 'cuda', 'arch': 'sm_90a'}")->name, "sm_90a");
    EXPECT_EQ(parse("rocm")->name, "gfx942");
    EXPECT_EQ(parse("metal")->name, "apple");
    for (const char* cpu : {"c", "llvm", "cpu"})
        EXPECT_EQ(parse(cpu)->name, "cpu");
    EXPECT_EQ(parse("cuda -arch sm_75 -max_threads_per_block=1024")->name, "sm_75");
    EXPECT_EQ(parse("hip -mcpu=gfx90a")->name, "gfx90a");
    EXPECT_EQ(parse("gfx942:sramecc+:xnack-")->name, "gfx942");
    EXPECT_EQ(parse("llvm -mcpu=skylake -mtriple=x86_64-linux-gnu")->name, "cpu");
    EXPECT_EQ(parse("{\"arch\": \"sm_86\", \"kind\": \"cuda\"}")->name, "sm_86");
    EXPECT_EQ(parse("{'kind': 'hip', 'mcpu': 'gfx90a'}")->name, "gfx90a");
}

TEST(Target, RefusesWhatIsNotThere)
{
    for (const char* text : {"", "vulkan", "sm_42", "sm_91", "sm_9000", "sm_90b", "sm_80a", "xsm_80", "sm_80x", "cudax", "cuda foo", "cuda -arch=foo", "cuda -arch=sm_42",
                             "cuda -arch=sm_9000", "cuda -arch=sm_80x", "cuda -arch=gfx942", "cuda -arch=compute_80", "hip -mcpu=sm_80", "hip -mcpu=gfx1100", "sm_120",
                             "cuda sm_80", "{'kind': 'cuda', 'arch': 'sm_42'}", "{'kind': 'vulkan'}", "{}"})
        EXPECT_FALSE(parse(text)) << text;
}

TEST(Target, NamesAreTheTable)
{
    EXPECT_EQ(names(), "sm_60, sm_70, sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, gfx90a, gfx942, apple, cpu");
}

}  // namespace tw::target
