// Blocks of a cluster that reach into each other's shared memory, and addresses as numbers.
#include "sim_kernel.h"

namespace tw::sim {
namespace {

// Each block of a cluster of four hands its 64 values to the next one.
SimKernel ring()
{
    return SimKernel(R"(
@T.prim_func
def f(X: T.Tensor((8, 64), "float32"), Y: T.Tensor((8, 64), "float32")):
    tw.function(stage="thread")
    with T.ClusterKernel(8, threads=64, cluster_dims=4) as b:
        t = T.get_thread_binding()
        s = T.alloc_shared((64,), "float32")
        next = T.make_tensor(tw.call("int64", "remote_address", s[0:1], (T.block_rank_in_cluster() + 1) % 4), (64,), "float32")
        T.cluster_sync()
        next[t] = X[b, t]
        T.cluster_sync()
        Y[b, t] = s[63 - t]
)");
}

TEST(Cluster, BlocksReachTheSharedMemoryOfOthers)
{
    SimKernel k = ring();
    k.fill("X", [](auto x) { return x; });
    ASSERT_TRUE(k.run().ok) << k.said();
    for (int b = 0; b < 8; ++b)
        for (int t = 0; t < 64; ++t)
            EXPECT_EQ(k.at("Y", b * 64 + t), (b / 4 * 4 + (b + 3) % 4) * 64 + 63 - t);
    EXPECT_EQ(k.result.report.traffic.sharedWritten, 8 * 64 * 4);
    EXPECT_EQ(k.result.report.traffic.sharedRead, 8 * 64 * 4);
}

TEST(Cluster, AMissingClusterBarrierIsARaceBetweenBlocks)
{
    SimKernel k = ring();
    k.replace("        T.cluster_sync()\n        Y", "        T.sync_threads()\n        Y");
    k.fill("X", [](auto x) { return x; });
    k.run();
    // The first block reads what the last one has not sent yet.
    ASSERT_FALSE(k.result.ok);
    EXPECT_TRUE(k.found(FindingKind::kRace) || k.diagnostics.at(0).code == Code::kUninitialized) << k.said();

    SimKernel late = ring();
    late.replace("        next[t] = X[b, t]\n        T.cluster_sync()\n        Y[b, t] = s[63 - t]\n",
                 "        s[t] = X[b, t]\n        T.cluster_sync()\n        Y[b, t] = s[63 - t]\n        next[t] = 0.0\n");
    late.fill("X", [](auto x) { return x; });
    late.run();
    ASSERT_TRUE(late.found(FindingKind::kRace)) << late.said();
    const Finding& f = late.result.report.findings.at(0);
    EXPECT_NE(f.earlier.who.substr(f.earlier.who.find("block")), f.later.who.substr(f.later.who.find("block"))) << late.said();
}

TEST(Cluster, ARankOutsideOfTheClusterIsSaid)
{
    SimKernel k = ring();
    k.replace(") + 1) % 4)", ") + 1))");
    k.fill("X", [](auto x) { return x; });
    k.run();
    ASSERT_FALSE(k.diagnostics.empty());
    EXPECT_EQ(k.diagnostics[0].message, "block 4 of a cluster of 4 blocks: their numbers are 0 to 3");
}

// Lanes that follow addresses into different memories, watched like any other access.
TEST(Addresses, LeadIntoGlobalAndSharedMemory)
{
    const char* text = R"(
@T.prim_func
def f(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=64):
        t = T.get_thread_binding()
        s = T.alloc_shared((64,), "float32")
        s[t] = X[t] + 100.0
        T.sync_threads()
        here = T.if_then_else(t < 32, T.address_of(X[0]), T.address_of(s[0]))
        p = T.make_tensor(here, (64,), "float32")
        q = T.make_tensor(T.address_of(s[32]), (32,), "float32")
        Y[t] = p[63 - t] + q[t % 32]
)";
    SimKernel k(text);
    k.fill("X", [](auto x) { return x; });
    ASSERT_TRUE(k.run().ok) << k.said();
    for (int t = 0; t < 64; ++t)
        EXPECT_EQ(k.at("Y", t), 63 - t + (t < 32 ? 0 : 100) + 132 + t % 32);

    SimKernel races(text);
    races.replace("        T.sync_threads()\n", "");
    races.fill("X", [](auto x) { return x; });
    races.run();
    EXPECT_TRUE(races.found(FindingKind::kRace)) << races.said();
}

TEST(Addresses, OfRegistersCannotBeFollowed)
{
    SimKernel k(R"(
@T.prim_func
def f(X: T.Tensor((32,), "float32"), Y: T.Tensor((32,), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding()
        r = T.alloc_local((4,), "float32")
        r[0] = X[t]
        p = T.make_tensor(T.address_of(r[0]), (4,), "float32")
        Y[t] = p[0]
)");
    k.fill("X", [](auto x) { return x; });
    k.run();
    ASSERT_FALSE(k.diagnostics.empty());
    EXPECT_EQ(k.diagnostics[0].code, Code::kOutOfBounds);
    EXPECT_EQ(k.lineOf(k.diagnostics[0].range), "Y[t] = p[0]");
}

}  // namespace
}  // namespace tw::sim
