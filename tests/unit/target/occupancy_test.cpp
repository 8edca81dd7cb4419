#include "core/target/occupancy.h"

#include <gtest/gtest.h>

namespace tw::target {
namespace {

struct Case {
    const char* target;
    BlockNeeds needs;
    int blocks;
    double fraction;
    const char* limiter;
};

// By hand from the rules of the CUDA C++ Programming Guide: warps of a multiprocessor, registers in units of 256 a warp and per
// quarter, shared memory in units of 128 bytes with 1024 reserved a block from sm_80 on.
constexpr Case kCases[] = {
    {"sm_80", {256, 32, 0}, 8, 1.0, "threads"},                 // 64 warps / 8
    {"sm_80", {128, 255, 0}, 2, 8.0 / 64, "registers"},         // 8192 a warp: 2 warps a quarter
    {"sm_90a", {128, 168, 50 * 1024}, 3, 12.0 / 64, "registers"},  // 5376 a warp: 3 warps a quarter
    {"sm_90a", {128, 64, 100 * 1024}, 2, 8.0 / 64, "shared memory"},
    {"sm_80", {32, 16, 0}, 32, 0.5, "blocks"},
    {"sm_75", {1024, 32, 0}, 1, 1.0, "threads"},
    {"sm_86", {512, 40, 0}, 3, 1.0, "threads"},                 // 48 warps
    {"sm_89", {64, 0, 0}, 24, 1.0, "threads"},
};

TEST(Occupancy, FollowsTheGuidesRules)
{
    for (const Case& c : kCases) {
        const Occupancy o = occupancyOf(*parse(c.target), c.needs);
        EXPECT_EQ(o.blocks, c.blocks) << c.target << " " << c.needs.threads;
        EXPECT_DOUBLE_EQ(o.fraction, c.fraction) << c.target << " " << c.needs.threads;
        EXPECT_EQ(o.limiter, c.limiter) << c.target << " " << c.needs.threads;
    }
}

TEST(Occupancy, WhatNoLaunchMayAskForDoesNotFit)
{
    const Target& t = *parse("sm_90a");
    EXPECT_EQ(occupancyOf(t, {1056, 32, 0}).blocks, 0);
    EXPECT_EQ(occupancyOf(t, {128, 256, 0}).limiter, "registers");
    EXPECT_EQ(occupancyOf(t, {128, 32, t.sharedBytesPerBlock}).blocks, 1);
    EXPECT_EQ(occupancyOf(t, {128, 32, t.sharedBytesPerBlock + 1}).blocks, 0);
}

TEST(Occupancy, UnknownRegistersLimitNothing)
{
    for (const BlockLimit& limit : occupancyOf(*parse("sm_80"), {128, 0, 4096}).limits)
        EXPECT_NE(limit.resource, "registers");
}

}  // namespace
}  // namespace tw::target
