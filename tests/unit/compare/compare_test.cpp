#include "profiler/compare/compare.h"

#include <gtest/gtest.h>

namespace tw::compare {
namespace {

using namespace capture;

Capture variant(const std::string& block, double us, double spread, std::int64_t shared)
{
    Capture c;
    c.files = {{"gemm.py", "x"}};
    c.kernel = "matmul";
    c.target = "sm_90a";
    c.params = {{"block", block}, {"dtype", "'float16'"}};
    Launch launch;
    launch.grid = {32, 32};
    launch.block = {128, 1, 1};
    launch.dynamicSharedBytes = shared;
    c.launches = {launch};
    c.metrics.push_back({.name = metric::kDuration, .value = us, .unit = "us", .launch = -1, .samples = 9, .spread = spread});
    c.metrics.push_back({.name = metric::kDuration, .value = 9, .unit = "us", .launch = -1, .origin = Origin::kModelled});
    Operation copy;
    copy.name = "copy A";
    copy.timeShare = 0.25;
    c.operations = {copy, copy};
    return c;
}

const Row* find(const std::vector<Row>& rows, const std::string& name, Origin origin = Origin::kModelled)
{
    for (const Row& row : rows)
        if (row.name == name && row.origin == origin)
            return &row;
    return nullptr;
}

TEST(Compare, MarksWhatDiffers)
{
    const Capture a = variant("64", 10, 0.01, 1024), b = variant("128", 8, 0.01, 4096);
    const auto rows = rowsOf({{"a", &a}, {"b", &b}});
    ASSERT_NE(find(rows, "block"), nullptr);
    EXPECT_TRUE(find(rows, "block")->differs);
    EXPECT_EQ(find(rows, "block")->values[1].text, "128");
    EXPECT_FALSE(find(rows, "dtype")->differs);
    EXPECT_EQ(find(rows, "shared_bytes")->values[1].number, 4096);
    EXPECT_EQ(find(rows, "threads")->values[0].number, 128);
    EXPECT_EQ(find(rows, "grid")->values[0].text, "32 × 32");
    EXPECT_EQ(find(rows, "registers"), nullptr);  // nobody knows them
    EXPECT_EQ(find(rows, metric::kDuration, Origin::kMeasured)->best, 1);
    EXPECT_FALSE(find(rows, metric::kDuration, Origin::kModelled)->differs);
    EXPECT_EQ(find(rows, "copy A", Origin::kMeasured)->values[1].number, 4);  // two of a quarter of 8 us
}

TEST(Compare, NoBestWithinTheNoise)
{
    const Capture a = variant("64", 10, 0.05, 0), b = variant("128", 9.8, 0.01, 0);
    EXPECT_EQ(find(rowsOf({{"a", &a}, {"b", &b}}), metric::kDuration, Origin::kMeasured)->best, -1);
}

TEST(Compare, WhatOneVariantLacksIsEmpty)
{
    Capture a = variant("64", 10, 0, 0), b = a;
    b.metrics.pop_back();
    b.launches.push_back(b.launches[0]);
    const auto rows = rowsOf({{"a", &a}, {"b", &b}});
    EXPECT_EQ(find(rows, metric::kDuration)->values[1], Value{});
    EXPECT_TRUE(find(rows, metric::kDuration)->differs);
    EXPECT_EQ(find(rows, "threads #2")->values[0], Value{});
    EXPECT_EQ(find(rows, "threads #2")->values[1].number, 128);
}

TEST(Compare, TextFoldsWhatIsTheSame)
{
    const Capture a = variant("64", 10, 0.01, 1024), b = variant("128", 8, 0.01, 1024);
    const std::vector<Variant> variants{{"a", &a}, {"b", &b}};
    EXPECT_EQ(toText(variants, rowsOf(variants)),
              "                       block=64  block=128\n"
              "block                  64        128\n"
              "duration_us  measured  10        8 (-20.0 %) *\n"
              "copy A, us   measured  5         4 (-20.0 %)\n"
              "same settings: file gemm.py, kernel matmul, target sm_90a, dtype 'float16'\n"
              "same resources: grid 32 × 32, threads 128, shared_bytes 1024\n"
              "same metrics: duration_us 9\n");
}

TEST(Compare, NamesTellVariantsApart)
{
    const Capture a = variant("64", 10, 0, 0), b = variant("128", 9, 0, 0);
    const std::vector<Variant> different{{"x", &a}, {"y", &b}}, equal{{"x", &a}, {"y", &a}};
    EXPECT_EQ(shortNames(different, rowsOf(different)), (std::vector<std::string>{"block=64", "block=128"}));
    EXPECT_EQ(shortNames(equal, rowsOf(equal)), (std::vector<std::string>{"x", "y"}));
}

}  // namespace
}  // namespace tw::compare
