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
    EXPECT_FALSE(parse("sm_42"));
    EXPECT_FALSE(parse("vulkan"));
}

}  // namespace tw::target
