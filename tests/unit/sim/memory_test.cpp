// What single accesses cost, and what else may be wrong with them.
#include "core/sim/counters.h"
#include "sim_kernel.h"

namespace tw::sim {
namespace {

TEST(Counters, passesOverTheBanks)
{
    std::vector<std::int64_t> at(32);
    const auto strided = [&](std::int64_t bytes) {
        for (std::size_t k = 0; k < at.size(); ++k)
            at[k] = static_cast<std::int64_t>(k) * bytes;
        return std::span<const std::int64_t>(at);
    };
    EXPECT_EQ(passesOf(strided(4), 4), 1);
    EXPECT_EQ(passesOf(strided(0), 4), 1);    // one word for all
    EXPECT_EQ(passesOf(strided(2), 2), 1);    // two halves of a word
    EXPECT_EQ(passesOf(strided(8), 4), 2);
    EXPECT_EQ(passesOf(strided(128), 4), 32);
    EXPECT_EQ(passesOf(strided(132), 4), 1);  // padded rows
    EXPECT_EQ(passesOf(strided(16).first(8), 16), 1);
    EXPECT_EQ(passesOf(strided(64).first(8), 16), 4);
    EXPECT_EQ(passesOf(strided(144).first(8), 16), 1);
    EXPECT_EQ(sectorsOf(strided(4), 4), 4);
    EXPECT_EQ(sectorsOf(strided(64), 4), 32);
    EXPECT_EQ(sectorsOf(strided(16), 16), 16);
}

TEST(Memory, transposeThroughUnpaddedTile)
{
    SimKernel k(R"(
@T.prim_func
def f(X: T.Tensor((32, 32), "float32"), Y: T.Tensor((32, 32), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=1024):
        t = T.get_thread_binding()
        s = T.alloc_shared((1024,), "float32")
        s[t] = X[t // 32, t % 32]
        T.sync_threads()
        Y[t // 32, t % 32] = s[t % 32 * 32 + t // 32]
)");
    k.fill("X", [](auto x) { return x; });
    k.run();
    ASSERT_TRUE(k.result.ok) << k.said();
    EXPECT_EQ(k.at("Y", 1), 32);
    const auto& sites = k.result.report.sites;
    const auto read = std::find_if(sites.begin(), sites.end(), [](const SiteCost& s) { return s.shared && !s.writes; });
    ASSERT_NE(read, sites.end());
    EXPECT_EQ(read->ways, 32);
    EXPECT_EQ(read->requests, 32);
    EXPECT_EQ(read->wavefronts, 1024);
    EXPECT_EQ(read->idealWavefronts, 32);
}

TEST(Memory, stridedLoadsWasteSectors)
{
    SimKernel k(R"(
@T.prim_func
def f(X: T.Tensor((32, 8), "float32"), Y: T.Tensor((32,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        Y[t] = X[t, 0]
)");
    k.fill("X", [](auto x) { return x; });
    k.run();
    ASSERT_TRUE(k.result.ok) << k.said();
    const auto& sites = k.result.report.sites;
    const auto read = std::find_if(sites.begin(), sites.end(), [](const SiteCost& s) { return !s.writes; });
    ASSERT_NE(read, sites.end());
    EXPECT_EQ(read->sectors, 32);
    EXPECT_EQ(read->efficiency(), 0.125);
}

// Lanes are served by quarters of the warp for 16 bytes each, whoever of them takes part.
TEST(Memory, quartersOfAWarpAreThoseOfItsLanes)
{
    SimKernel k(R"(
@T.prim_func
def f(X: T.Tensor((1024,), "float16"), Y: T.Tensor((1024,), "float16")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        s = T.alloc_shared((256,), "float16")
        if t >= 4:
            if t < 12:
                for v in T.vectorized(8):
                    s[t * 8 + v] = X[t * 8 + v]
                for v in T.vectorized(8):
                    Y[t * 8 + v] = s[t * 8 + v]
)");
    k.fill("X", [](auto x) { return x % 100; });
    k.run();
    ASSERT_TRUE(k.result.ok) << k.said();
    for (const SiteCost& site : k.result.report.sites)
        if (site.shared) {
            EXPECT_EQ(site.wavefronts, 2);  // lanes 4 to 7 and 8 to 11
        }
}

TEST(Memory, vectorizedLoopIsOneAccess)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((1024,), "float16"), Y: T.Tensor((1024,), "float16")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        r = T.alloc_local((8,), "float16")
        for v in T.vectorized(8):
            r[v] = X[t * 8 + v + 0]
        for v in T.vectorized(8):
            Y[t * 8 + v] = r[v]
)";
    SimKernel k(text);
    k.fill("X", [](auto x) { return x % 100; });
    k.run();
    ASSERT_TRUE(k.result.ok) << k.said();
    EXPECT_EQ(k.result.report.sites.at(0).requests, 2);
    EXPECT_EQ(k.result.report.sites.at(0).bytes, 1024);
    EXPECT_EQ(k.result.report.sites.at(0).efficiency(), 1.0);

    SimKernel shifted(text);
    shifted.replace("v + 0", "v + 1");
    shifted.fill("X", [](auto x) { return x % 100; });
    shifted.run();
    EXPECT_TRUE(shifted.found(FindingKind::kMisaligned)) << shifted.said();
}

// A 4-bit element is stored atomically: its neighbour in the byte may be another thread's, the element itself not.
TEST(Memory, halvesOfABytePlacedByTwoThreads)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((64,), "int4"), Y: T.Tensor((64,), "int4")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        Y[t + 0] = X[63 - t]
)";
    SimKernel own(text);
    own.fill("X", [](auto x) { return x % 8; });
    own.run();
    EXPECT_TRUE(own.result.ok && own.result.report.findings.empty()) << own.said();
    for (int k = 0; k < 64; ++k)
        EXPECT_EQ(own.at("Y", k), (63 - k) % 8);

    SimKernel same(text);
    same.replace("t + 0", "t // 2");
    same.fill("X", [](auto x) { return x % 8; });
    same.run();
    EXPECT_TRUE(same.found(FindingKind::kRace)) << same.said();

    // The whole byte at once, as a vectorized loop stores it, is not shared.
    SimKernel wide(text);
    wide.replace("        Y[t + 0] = X[63 - t]\n", R"(        Y[t] = X[63 - t]
        if t == 5:
            for v in T.vectorized(2):
                Y[8 + v] = X[v]
)");
    wide.fill("X", [](auto x) { return x % 8; });
    wide.run();
    EXPECT_TRUE(wide.found(FindingKind::kRace)) << wide.said();
}

TEST(Memory, unwrittenElementsAreHandedOnButNotUsed)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((32,), "float32"), Y: T.Tensor((32,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        s = T.alloc_shared((64,), "float32")
        r = T.alloc_local((2,), "float32")
        s[t] = X[t]
        T.sync_threads()
        r[0] = s[t]
        r[1] = s[t + 32]
        Y[t] = r[0] + 1.0
)";
    SimKernel k(text);
    k.fill("X", [](auto x) { return x; });
    EXPECT_TRUE(k.run().ok) << k.said();
    SimKernel computes(text);
    computes.replace("r[0] + 1.0", "r[1] + 1.0");
    computes.fill("X", [](auto x) { return x; });
    computes.run();
    ASSERT_FALSE(computes.diagnostics.empty());
    EXPECT_EQ(computes.diagnostics[0].code, Code::kUninitialized) << computes.said();
}

TEST(Memory, blocksRaceOnGlobalMemory)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((32,), "float32"), Y: T.Tensor((32,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(4, threads=32) as b:
        t = T.get_thread_binding()
        Y[t] = X[t] + b
)";
    SimKernel k(text);
    k.fill("X", [](auto x) { return x; });
    k.run();
    ASSERT_TRUE(k.found(FindingKind::kRace)) << k.said();
    EXPECT_EQ(k.result.report.findings[0].earlier.who, "thread 0 of block (0, 0, 0)");
    EXPECT_EQ(k.result.report.findings[0].later.who, "thread 0 of block (1, 0, 0)");
    SimKernel same(text);
    same.replace("X[t] + b", "X[t] * 2.0");  // every block writes the same
    same.fill("X", [](auto x) { return x; });
    EXPECT_TRUE(same.run().ok) << same.said();
    SimKernel atomic(text);
    atomic.replace("Y[t] = X[t] + b", "T.atomic_add(Y[t], X[t])");
    atomic.fill("X", [](auto x) { return x; }).fill("Y", [](auto) { return 0; });
    EXPECT_TRUE(atomic.run().ok) << atomic.said();
    EXPECT_EQ(atomic.at("Y", 3), 12);
}

TEST(Memory, threadsOfABlockRaceOnGlobalMemory)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32"), Z: T.Tensor((64,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        Y[t] = X[t] + 1.0
        T.sync_threads()
        Z[t] = Y[63 - t]
)";
    SimKernel k(text);
    k.fill("X", [](auto x) { return x; });
    EXPECT_TRUE(k.run().ok) << k.said();
    SimKernel races(text);
    races.replace("T.sync_threads()", "pass");
    races.fill("X", [](auto x) { return x; });
    races.run();
    EXPECT_TRUE(races.found(FindingKind::kRace)) << races.said();
}

TEST(Memory, lanesOfAWarpNeedSyncWarp)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((32,), "float32"), Y: T.Tensor((32,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        s = T.alloc_shared((32,), "float32")
        s[t] = X[t]
        T.sync_warp()
        Y[t] = s[31 - t]
)";
    SimKernel k(text);
    k.fill("X", [](auto x) { return x; });
    EXPECT_TRUE(k.run().ok) << k.said();
    SimKernel races(text);
    races.replace("T.sync_warp()", "pass");
    races.fill("X", [](auto x) { return x; });
    races.run();
    EXPECT_TRUE(races.found(FindingKind::kRace)) << races.said();
}

TEST(Memory, divergenceIsCounted)
{
    SimKernel k(R"(
@T.prim_func
def f(Y: T.Tensor((64,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        if t < 40:
            Y[t] = 1.0
        else:
            Y[t] = 2.0
)");
    EXPECT_TRUE(k.run().ok) << k.said();
    ASSERT_EQ(k.result.report.branches.size(), 1U);
    EXPECT_EQ(k.result.report.branches[0].warps, 2);
    EXPECT_EQ(k.result.report.branches[0].divergent, 1);
}

}  // namespace
}  // namespace tw::sim
