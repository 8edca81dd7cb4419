// Correct programs run clean and right; each fault put into them is found.
#include "programs.h"
#include "sim_kernel.h"

namespace tw::sim {
namespace {

double a(std::int64_t k) { return static_cast<double>(k * 7 % 11 % 5) - 2; }
double b(std::int64_t k) { return static_cast<double>(k * 5 % 13 % 5) - 2; }

SimKernel mma() { return SimKernel(kMmaGemm); }
SimKernel wgmma() { return SimKernel(kWgmmaGemm); }
void start(SimKernel& k)
{
    k.fill("A", a).fill("B", b);
    k.run();
}
int wrongMma(SimKernel& k)
{
    int wrong = 0;
    for (int i = 0; i < 128; ++i)
        for (int j = 0; j < 128; ++j) {
            double sum = 0;
            for (int p = 0; p < 128; ++p)
                sum += a(i * 128 + p) * b(p * 128 + j);
            wrong += k.at("C", i * 128 + j) != sum;
        }
    return wrong;
}
int wrongWgmma(SimKernel& k)
{
    int wrong = 0;
    for (int i = 0; i < 128; ++i)
        for (int j = 0; j < 64; ++j) {
            double sum = 0;
            for (int p = 0; p < 256; ++p)
                sum += a(i * 256 + p) * b(j * 256 + p);
            wrong += k.at("C", i * 64 + j) != sum;
        }
    return wrong;
}

TEST(MmaGemm, isRightAndClean)
{
    SimKernel k = mma();
    start(k);
    EXPECT_TRUE(k.result.ok) << k.said();
    EXPECT_EQ(wrongMma(k), 0);
    for (const SiteCost& site : k.result.report.sites) {
        EXPECT_FALSE(site.hasConflicts()) << k.lineOf(site.where);
        EXPECT_EQ(site.efficiency(), 1.0) << k.lineOf(site.where);
    }
    const Traffic& t = k.result.report.traffic;
    EXPECT_EQ(t.globalRead, 4 * 2 * 64 * 128 * 2);
    EXPECT_EQ(t.uniqueRead, 2 * 128 * 128 * 2);
    EXPECT_EQ(t.globalWritten, 128 * 128 * 4);
    EXPECT_EQ(t.uniqueWritten, 128 * 128 * 4);
}

TEST(MmaGemm, barrierAfterTheWaitDropped)
{
    SimKernel k = mma();
    k.replace("T.sync_threads()  # filled", "pass");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kRace) || k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, barrierBeforeTheRefillDropped)
{
    SimKernel k = mma();
    k.replace("T.sync_threads()  # free", "pass");
    start(k);
    ASSERT_TRUE(k.found(FindingKind::kRace)) << k.said();
    const Finding& f = k.result.report.findings.at(0);
    EXPECT_NE(k.lineOf(f.later.where).find("ptx_cp_async"), std::string::npos) << k.said();
    EXPECT_NE(k.lineOf(f.earlier.where).find("ptx_ldmatrix"), std::string::npos) << k.said();
    EXPECT_EQ(f.earlier.does, "reads");
}

TEST(MmaGemm, waitDropped)
{
    SimKernel k = mma();
    k.replace("T.ptx_wait_group(1)", "pass");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, waitTooShort)
{
    SimKernel k = mma();
    k.replace("T.ptx_wait_group(1)", "T.ptx_wait_group(2)");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, commitDropped)
{
    SimKernel k = mma();
    k.replace("            T.ptx_commit_group()\n            T.ptx_wait", "            T.ptx_wait");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, stageOffByOne)
{
    SimKernel k = mma();
    k.replace("b[j * 8], Bs[k % 2", "b[j * 8], Bs[(k + 1) % 2");
    start(k);
    EXPECT_FALSE(k.result.ok) << "nothing was found";
    EXPECT_TRUE(k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, refillsTheStageThatIsRead)
{
    SimKernel k = mma();
    k.replace("As[(k + 1) % 2", "As[k % 2");
    start(k);
    EXPECT_FALSE(k.result.ok);
    EXPECT_TRUE(k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, buffersOverlap)
{
    SimKernel k = mma();
    k.replace("offset=8192", "offset=7168");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kRace) || k.found(FindingKind::kInFlight)) << k.said();
}

TEST(MmaGemm, wrongSwizzle)
{
    SimKernel k = mma();
    k.replace("^ row // 2 % 4", "^ row % 4");
    start(k);
    EXPECT_GT(wrongMma(k), 0);
}

TEST(MmaGemm, noSwizzleIsRightButConflicts)
{
    SimKernel k = mma();
    k.replace("(chunk % 8 ^ chunk // 8 % 8)", "chunk % 8", 2).replace(" ^ tid % 8)", ")");
    start(k);
    EXPECT_TRUE(k.result.ok) << k.said();
    EXPECT_EQ(wrongMma(k), 0);
    int ways = 0;
    for (const SiteCost& site : k.result.report.sites)
        if (site.buffer == "Bs" && !site.writes)
            ways = site.ways;
    EXPECT_EQ(ways, 8);
}

TEST(MmaGemm, someLanesStayAway)
{
    SimKernel k = mma();
    k.replace("            T.sync_threads()  # free", "            if tid != 5:\n                T.sync_threads()  # free");
    start(k);
    EXPECT_FALSE(k.result.ok);
    EXPECT_TRUE(k.found(FindingKind::kDivergentBarrier)) << k.said();
}

TEST(WgmmaGemm, isRightAndClean)
{
    SimKernel k = wgmma();
    start(k);
    EXPECT_TRUE(k.result.ok) << k.said();
    EXPECT_EQ(wrongWgmma(k), 0);
}

TEST(WgmmaGemm, fenceDropped)
{
    SimKernel k = wgmma();
    k.replace("T.fence_proxy_async()", "pass");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kMissingFence)) << k.said();
}

TEST(WgmmaGemm, namedBarrierDropped)
{
    SimKernel k = wgmma();
    k.replace("T.sync_threads(3, 128)", "pass");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kRace)) << k.said();
}

TEST(WgmmaGemm, emptyWaitDropped)
{
    SimKernel k = wgmma();
    k.replace("T.barrier_wait(free[k % 2], (k // 2 & 1) ^ 1)", "pass");
    start(k);
    EXPECT_FALSE(k.result.ok);
    EXPECT_TRUE(k.found(FindingKind::kInFlight) || k.found(FindingKind::kRace)) << k.said();
}

TEST(WgmmaGemm, consumersParityOffByOne)
{
    SimKernel k = wgmma();
    k.replace("T.barrier_wait(full[k % 2], k // 2 & 1)", "T.barrier_wait(full[k % 2], k // 2 & 1 ^ 1)");
    start(k);
    EXPECT_FALSE(k.result.ok) << "nothing was found";
}

TEST(WgmmaGemm, productNotWaitedFor)
{
    SimKernel k = wgmma();
    k.replace("T.warpgroup_wait(0)", "T.warpgroup_wait(1)");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kInFlight) || k.found(FindingKind::kRace)) << k.said();
}

// The result's registers belong to the product until it is waited for.
TEST(WgmmaGemm, accumulatorsUsedBeforeTheWait)
{
    SimKernel k = wgmma();
    k.replace("                T.warpgroup_wait(0)\n                T.barrier_arrive(free[k % 2])\n",
              "                if k < 3:\n                    T.warpgroup_wait(0)\n                    T.barrier_arrive(free[k % 2])\n");
    start(k);
    ASSERT_TRUE(k.found(FindingKind::kInFlight)) << k.said();
    const auto& all = k.result.report.findings;
    const auto f = std::find_if(all.begin(), all.end(), [](const Finding& x) { return x.buffer == "c"; });
    ASSERT_NE(f, all.end()) << k.said();
    EXPECT_EQ(f->later.does, "reads");
    EXPECT_EQ(f->earlier.does, "updates");
    EXPECT_EQ(f->earlier.who, "the wgmma of threads 0 to 127");
    EXPECT_TRUE(k.lineOf(f->earlier.where).starts_with("tw.op(\"ptx_wgmma\"")) << k.said();
}

// A product with A in registers, and another one in flight beside it: a wait frees what belongs to older groups, and only that.
TEST(Wgmma, operandsInRegistersWhileInFlight)
{
    const char* text = R"(
@T.prim_func
def f(A: T.Tensor((64, 16), "float16"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((128, 4), "float32")):
    tw.function(stage="thread")
    with T.Kernel(1, threads=128):
        t = T.get_thread_binding()
        b = T.alloc_shared((128,), "float16")
        a = T.alloc_local((8,), "float16")
        c = T.alloc_local((4,), "float32")
        d = T.alloc_local((4,), "float32")
        b[t // 16 * 8 + t % 16 // 8 * 64 + t % 8] = B[t // 16, t % 16]
        T.fence_proxy_async()
        T.sync_threads()
        for r in T.unroll(8):
            a[r] = A[t // 32 * 16 + t % 32 // 4 + r // 2 % 2 * 8, r // 4 * 8 + t % 4 * 2 + r % 2]
        T.warpgroup_arrive()
        tw.op("ptx_wgmma", a[0], b[0], c[0], 0, shape="m64n8k16", type="float16", transpose_B=True, leading_B=128, stride_B=128)
        T.warpgroup_commit_batch()
        tw.op("ptx_wgmma", a[0], b[0], d[0], 0, shape="m64n8k16", type="float16", transpose_B=True, leading_B=128, stride_B=128)
        T.warpgroup_commit_batch()
        T.warpgroup_wait(1)
        x = c[0]
        T.warpgroup_wait(0)
        a[0] = T.float16(0)
        for v in T.unroll(4):
            C[t, v] = d[v]
        C[t, 0] = x
)";
    const auto fill = [](SimKernel& k) {
        k.fill("A", [](auto x) { return x % 7; });
        k.fill("B", [](auto x) { return x % 5; });
        k.run();
    };
    SimKernel right(text);
    fill(right);
    ASSERT_TRUE(right.result.ok) << right.said();
    double sum = 0;  // element (0, 0)
    for (int p = 0; p < 16; ++p)
        sum += p % 7 * (p % 5);
    EXPECT_EQ(right.at("C", 0), sum);

    SimKernel early(text);
    early.replace("        x = c[0]\n", "        x = d[0]\n");
    fill(early);
    ASSERT_TRUE(early.found(FindingKind::kInFlight)) << early.said();
    EXPECT_EQ(early.result.report.findings.at(0).buffer, "d");

    SimKernel overwrites(text);  // an operand that is only read may be read, but not written
    overwrites.replace("        x = c[0]\n", "        x = c[0] + T.cast(a[1], \"float32\")\n        a[2] = T.float16(1)\n");
    fill(overwrites);
    ASSERT_EQ(overwrites.result.report.findings.size(), 1U) << overwrites.said();
    EXPECT_EQ(overwrites.result.report.findings[0].buffer, "a");
    EXPECT_EQ(overwrites.result.report.findings[0].later.does, "writes");
    EXPECT_EQ(overwrites.lineOf(overwrites.result.report.findings[0].later.where), "a[2] = T.float16(1)");
}

TEST(WgmmaGemm, slotReleasedBeforeTheProduct)
{
    SimKernel k = wgmma();
    k.replace("                T.warpgroup_wait(0)\n                T.barrier_arrive(free[k % 2])",
              "                T.barrier_arrive(free[k % 2])\n                T.warpgroup_wait(0)");
    start(k);
    EXPECT_TRUE(k.found(FindingKind::kInFlight) || k.found(FindingKind::kRace)) << k.said();
}

TEST(WgmmaGemm, tooFewBytesExpected)
{
    SimKernel k = wgmma();
    k.replace("full[k % 2], 16384", "full[k % 2], 8192");
    start(k);
    EXPECT_FALSE(k.result.ok) << "nothing was found";
}

TEST(WgmmaGemm, tooManyBytesExpectedIsADeadlock)
{
    SimKernel k = wgmma();
    k.replace("full[k % 2], 16384", "full[k % 2], 32768");
    start(k);
    ASSERT_FALSE(k.diagnostics.empty());
    EXPECT_EQ(k.diagnostics[0].code, Code::kDeadlock) << k.said();
}

TEST(WgmmaGemm, wrongSwizzle)
{
    SimKernel k = wgmma();
    k.replace("swizzle_B=128", "swizzle_B=64");
    start(k);
    EXPECT_GT(wrongWgmma(k), 0);
}

}  // namespace
}  // namespace tw::sim
