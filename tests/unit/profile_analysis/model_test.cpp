// Properties that any sane cost model has, and numbers that follow from the target's table by hand.
#include <gtest/gtest.h>

#include "profiler/analysis/model.h"
#include "profiler/analysis/roofline.h"

namespace tw::profile_analysis {
namespace {

const target::Target& h200() { return *std::find_if(target::all().begin(), target::all().end(), [](const auto& t) { return t.name == "sm_90a"; }); }

// A product of `blocks` blocks whose loop loads `loadBytes` and multiplies `flops` in each of `trips` iterations.
Work product(double blocks, double trips, double loadBytes, double flops)
{
    LaunchWork launch;
    launch.grid = {static_cast<std::int64_t>(blocks)};
    launch.blocks = static_cast<std::int64_t>(blocks);
    launch.threads = 128;
    launch.loops.push_back({{}, 2, blocks * trips, blocks});
    OperationWork load;
    load.op = 1;
    load.kind = ir::OpClass::kCopy;
    load.executions = blocks * trips;
    load.global.read = load.shared.written = blocks * trips * loadBytes;
    load.isLoad = true;
    load.loop = 0;
    OperationWork gemm;
    gemm.op = 2;
    gemm.kind = ir::OpClass::kProduct;
    gemm.executions = blocks * trips;
    gemm.tensorFlops = blocks * trips * flops;
    gemm.tensorType = ir::kFloat16;
    gemm.loop = 0;
    launch.operations = {load, gemm};
    Work work;
    work.launches = {launch};
    return work;
}

LaunchModel modelled(const Work& work, int depth, std::int64_t shared = 100 * 1024, ProductUnit unit = ProductUnit::kWgmma)
{
    LaunchFacts facts;
    facts.sharedBytes = shared;
    facts.depths = {depth};
    facts.products = {{2, unit}};
    return modelOf(work, {facts}, h200())->launches.at(0);
}

TEST(Model, MoreStagesAreNeverSlower)
{
    for (const double trips : {1.0, 2.0, 7.0, 64.0})
        for (const double bytes : {1024.0, 16384.0, 65536.0})
            for (const double flops : {1e5, 2e6, 3e7}) {
                double before = modelled(product(132, trips, bytes, flops), 1).us;
                for (int depth = 2; depth <= 6; ++depth) {
                    const double us = modelled(product(132, trips, bytes, flops), depth).us;
                    EXPECT_LE(us, before * (1 + 1e-9)) << trips << " " << bytes << " " << flops << " " << depth;
                    before = us;
                }
            }
}

TEST(Model, LatencyIsHiddenByDepth)
{
    const Work work = product(132, 64, 16384, 1e5);
    const LaunchModel one = modelled(work, 1), three = modelled(work, 3);
    EXPECT_EQ(one.bound, "latency");
    EXPECT_FALSE(one.loops.at(0).hidesLatency());
    EXPECT_GT(one.us, 1.5 * three.us);
}

TEST(Model, LargeProductsRunAtTheSustainedRate)
{
    // 4096 FLOP a clock, 132 multiprocessors, 1830 MHz, of which 0.8 is sustained: 791.6 TFLOP/s.
    EXPECT_NEAR(tensorPerSecond(h200(), *target::ratesOf(h200()), ir::kFloat16), 791.6e12, 1e11);
    const Work work = product(132 * 20, 128, 16384, 128.0 * 128 * 64 * 2);
    const LaunchModel m = modelled(work, 4);
    EXPECT_EQ(m.bound, "tensor");
    EXPECT_NEAR(m.us, work.flops() / 791.6e12 * 1e6, 0.1 * m.us);
    EXPECT_GT(m.tensorPct, 80);  // of the clock that power leaves
    // The older instruction reaches its share of that, and FMA far less.
    EXPECT_GT(modelled(work, 4, 100 * 1024, ProductUnit::kMma).us, 1.4 * m.us);
    EXPECT_GT(modelled(work, 4, 100 * 1024, ProductUnit::kFma).us, 10 * m.us);
}

TEST(Model, LargeCopiesAreBoundByMemory)
{
    Work work = product(132 * 64, 1, 65536, 0);
    work.launches[0].operations[0].blockAxes = 1;  // every block its own data
    const LaunchModel m = modelled(work, 2, 32 * 1024);
    EXPECT_EQ(m.bound, "DRAM");
    EXPECT_NEAR(m.dram.read, 132.0 * 64 * 65536, 1);
    const double dramUs = m.dram.read / (4800e9 * 0.89) * 1e6;
    EXPECT_GT(m.us, dramUs + kStartUs);
    EXPECT_NEAR(m.us, dramUs + kStartUs, 0.05 * m.us);  // and what the blocks beside each other leave exposed
}

TEST(Model, WavesAndTails)
{
    const LaunchModel m = modelled(product(132 * 2 + 66, 16, 16384, 1e6), 2, 120 * 1024);
    EXPECT_EQ(m.occupancy.blocks, 1);
    EXPECT_DOUBLE_EQ(m.waves, 2.5);
    EXPECT_NEAR(m.tailShare, 0.5 / 3, 1e-12);
}

TEST(Model, SharesAddUp)
{
    const LaunchModel m = modelled(product(500, 16, 16384, 1e6), 2);
    double sum = 0;
    for (const OperationModel& op : m.operations)
        sum += op.share;
    EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Model, NoRatesNoModel)
{
    EXPECT_FALSE(modelOf(product(1, 1, 1, 1), {LaunchFacts{}}, *target::parse("gfx942")).has_value());
}

TEST(Roofline, PointsStandOnMeasuredTime)
{
    const Work work = product(132, 64, 16384, 2e6);
    capture::Capture c;
    c.kernel = "gemm";
    c.launches.resize(1);
    c.launches[0].entry = "gemm_kernel";
    c.metrics = {{"duration_us", 100, "us", -1, capture::Origin::kMeasured, 10, 0.01},
                 {"duration_us", 50, "us", -1, capture::Origin::kModelled, 1, 0},
                 {"dram_read_bytes", 1e6, "bytes", 0, capture::Origin::kMeasured, 10, 0},
                 {"dram_write_bytes", 2e6, "bytes", 0, capture::Origin::kMeasured, 10, 0}};
    const capture::Roofline r = rooflineOf(h200(), work, c);
    ASSERT_EQ(r.points.size(), 1U);
    EXPECT_DOUBLE_EQ(r.points[0].seconds, 100e-6);
    EXPECT_DOUBLE_EQ(r.points[0].bytes, 3e6);
    EXPECT_DOUBLE_EQ(r.points[0].flops, 132 * 64 * 2e6);
    EXPECT_EQ(r.points[0].compute, "tensor float16");
    EXPECT_EQ(r.points[0].origin, capture::Origin::kMeasured);
    const auto tensor = std::find_if(r.ceilings.begin(), r.ceilings.end(), [](const auto& x) { return x.name == "tensor float16"; });
    ASSERT_NE(tensor, r.ceilings.end());
    EXPECT_FALSE(tensor->isBandwidth);
}

}  // namespace
}  // namespace tw::profile_analysis
