#include "core/passes/insert_barriers.h"

#include "core/passes/init_barriers.h"
#include "core/passes/plan_shared_memory.h"
#include "tests/unit/passes/pass_kernel.h"

namespace tw::passes {
namespace {

using interp::TextKernel;

int count(const std::string& text, const std::string& what)
{
    int n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++n;
    return n;
}

// A kernel of one block whose body is code of one thread, with tensors X, Y (256 float32 each), N (int32) and a scalar n.
struct Synced {
    TextKernel kernel;
    PassRun run;
    ir::Function after;
    std::string text;
    explicit Synced(const std::string& body, int threads = 64, const char* target = "sm_90a", bool plan = true)
        : kernel("@T.prim_func\ndef f(X: T.Tensor((256,), T.float32), Y: T.Tensor((256,), T.float32), N: T.Tensor((256,), T.int32), n: T.int32):\n"
                 "    with T.Kernel(1, threads=" + std::to_string(threads) + ") as bx:\n        tx = T.get_thread_binding()\n" + body,
                 "f"),
          run(target)
    {
        ir::Function f = *kernel.function;
        f.stage = ir::Stage::kThread;
        if (plan)
            f = run(&planSharedMemory, f);
        after = run(&insertBarriers, run(&initBarriers, f));
        text = ir::print(after).text;
        kernel.arguments.scalars["n"] = std::int64_t{5};
    }
    [[nodiscard]] int blocks() const { return count(text, "T.sync_threads()"); }
    [[nodiscard]] int warps() const { return count(text, "T.sync_warp("); }
    [[nodiscard]] int all() const { return count(text, "T.sync_"); }
    // Lines, in the order of the text.
    [[nodiscard]] bool inOrder(std::initializer_list<const char*> parts) const
    {
        std::size_t at = 0;
        for (const char* part : parts) {
            at = text.find(part, at);
            if (at == std::string::npos)
                return false;
            ++at;
        }
        return true;
    }
};

TEST(InsertBarriers, BetweenThreadsThatExchange)
{
    Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        s[tx] = X[tx]
        Y[tx] = s[63 - tx]
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
    EXPECT_TRUE(s.inOrder({"= X[", "T.sync_threads()", "Y["}));
    s.kernel.fill("X", [](auto i) { return i; });
    s.kernel.fill("Y", [](auto) { return 0; });
    s.kernel.fill("N", [](auto) { return 0; });
    s.kernel.function = std::make_shared<const ir::Function>(s.after);
    s.kernel.runWell();
    for (int i = 0; i < 64; ++i)
        ASSERT_EQ(s.kernel.at("Y", i), 63 - i);
}

TEST(InsertBarriers, NoneWhereThreadsKeepToTheirElements)
{
    const Synced s(R"(        s = T.alloc_shared((512,), T.float32)
        for r in T.unroll(4):
            s[tx * 4 + r] = X[tx]
        for r in T.unroll(4):
            Y[tx] = s[tx * 4 + 3 - r]
)");
    EXPECT_EQ(s.all(), 0) << s.text;
    const Synced shifted(R"(        s = T.alloc_shared((512,), T.float32)
        for r in T.unroll(4):
            s[tx * 4 + r] = X[tx]
        for r in T.unroll(4):
            Y[tx] = s[tx * 4 + 4 - r]
)");
    EXPECT_EQ(shifted.blocks(), 1) << shifted.text;
}

TEST(InsertBarriers, WarpsThatExchangeAmongThemselves)
{
    const Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        s[tx] = X[tx]
        Y[tx] = s[tx ^ 5]
)");
    EXPECT_EQ(s.blocks(), 0) << s.text;
    EXPECT_EQ(s.warps(), 1);
}

TEST(InsertBarriers, LoopsComeBack)
{
    const Synced one(R"(        s = T.alloc_shared((64,), T.float32)
        for k in T.serial(n):
            s[tx] = X[tx + k]
            Y[tx] = s[63 - tx]
)");
    EXPECT_EQ(one.blocks(), 2) << one.text;
    const Synced two(R"(        s = T.alloc_shared((2 * 64,), T.float32)
        for k in T.serial(n):
            s[(k % 2) * 64 + tx] = X[tx + k]
            Y[tx] = s[(k % 2) * 64 + 63 - tx]
)");
    EXPECT_EQ(two.blocks(), 1) << two.text;
    // Without a meeting of its own the loop's iterations may be any number apart.
    const Synced apart(R"(        s = T.alloc_shared((2 * 64,), T.float32)
        for k in T.serial(n):
            Y[tx] = s[(k % 2) * 64 + 63 - tx]
            s[((k + 1) % 2) * 64 + tx] = X[tx + k]
)");
    EXPECT_EQ(apart.blocks(), 1) << apart.text;
}

TEST(InsertBarriers, SlotsOfASwizzledRing)
{
    const Synced s(R"(        s = T.alloc_shared((3 * 256,), T.float32)
        for k in T.serial(16):
            T.sync_threads()
            if k + 2 < 16:
                for r in T.unroll(4):
                    s[(k + 2) % 3 * 256 + ((tx * 4 + r) ^ (tx // 8 % 8 * 4))] = X[tx + k]
            for r in T.unroll(4):
                Y[tx] = Y[tx] + s[k % 3 * 256 + ((255 - tx * 4 - r) ^ (tx // 8 % 8 * 4))]
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
}

TEST(InsertBarriers, StandsInFrontOfTheLoopThatOnlyReads)
{
    const Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        s[tx] = X[tx]
        for k in T.serial(n):
            Y[tx] = Y[tx] + s[(tx + k) % 64]
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
    EXPECT_TRUE(s.inOrder({"T.sync_threads()", "for k"}));
}

TEST(InsertBarriers, GuardsGetTheirBarrierOutside)
{
    const Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        s[tx] = X[tx]
        if tx < 10:
            Y[tx] = s[63 - tx]
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
    EXPECT_TRUE(s.inOrder({"T.sync_threads()", "if "}));
}

TEST(InsertBarriers, NamedBarriersForWholeWarps)
{
    const Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        if tx < 64:
            s[tx] = X[tx]
            Y[tx] = s[63 - tx]
)",
                   128);
    EXPECT_TRUE(s.inOrder({"T.sync_threads(barrier_id=1, arrive_count=64)"})) << s.text;
    EXPECT_EQ(s.all(), 1);
    const Synced warp(R"(        s = T.alloc_shared((64,), T.float32)
        if tx < 20:
            s[tx] = X[tx]
            Y[tx] = s[19 - tx]
)",
                      128);
    EXPECT_EQ(warp.warps(), 1) << warp.text;
    EXPECT_EQ(warp.all(), 1);
}

// Pitfall 1: a needed barrier is never dropped.
TEST(InsertBarriers, WhatNoBarrierCanSeparateIsAnError)
{
    const Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        if tx < 40:
            s[tx] = X[tx]
            Y[tx] = s[39 - tx]
)",
                   128);
    ASSERT_EQ(s.run.sink.errorCount(), 1);
    EXPECT_EQ(s.run.sink.all()[0].code, Code::kDivergentBarrier);
    EXPECT_TRUE(s.run.sink.all()[0].range.isKnown());
    const Synced one(R"(        s = T.alloc_shared((64,), T.float32)
        if tx == 40:
            s[3] = X[tx]
            Y[tx] = s[3]
)",
                     128);
    EXPECT_EQ(one.run.sink.errorCount(), 0);
    EXPECT_EQ(one.all(), 0) << one.text;
}

TEST(InsertBarriers, AtomicsOrderThemselves)
{
    const Synced s(R"(        s = T.alloc_shared((64,), T.int32)
        s[tx] = 0
        for k in T.serial(n):
            T.atomic_add(s[N[tx + k] % 64], 1)
        N[tx] = s[tx]
)");
    EXPECT_EQ(s.blocks(), 2) << s.text;
    EXPECT_TRUE(s.inOrder({"= 0", "T.sync_threads()", "for k", "T.sync_threads()", "N["}));
}

// Pitfalls 22 and 33: buffers that share bytes.
TEST(InsertBarriers, LooksAtBytesOfTheArena)
{
    const Synced s(R"(        a = T.alloc_shared((64,), T.float32)
        b = T.alloc_shared((128,), T.float16)
        a[tx] = X[tx]
        Y[tx] = a[tx]
        b[tx * 2] = T.float16(1)
        b[tx * 2 + 1] = T.float16(2)
        Y[tx + 64] = b[tx * 2]
        b[tx] = T.float16(3)
)");
    EXPECT_EQ(count(s.text, "smem"), 3) << s.text;
    // a and b share bytes, but each thread stays in its four; b[tx] leaves them.
    EXPECT_EQ(s.blocks(), 1) << s.text;
    EXPECT_TRUE(s.inOrder({"T.sync_threads()", "T.float16(3"}));
}

TEST(InsertBarriers, GlobalMemoryThatTheBlockWrites)
{
    const Synced s(R"(        Y[tx] = X[tx]
        Y[tx + 128] = Y[63 - tx]
        X[tx] = X[tx] + 1
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
    EXPECT_TRUE(s.inOrder({"= X[", "T.sync_threads()", "Y[63"}));
}

// Pitfall 40: a tensor's elements, read in one nest and overwritten by other threads in the next.
TEST(InsertBarriers, OverwrittenTensorsAreSaid)
{
    const auto warnings = [](const char* between, const char* index, const char* config = "") {
        Synced s(std::string(config) + "        Y[tx] = X[63 - tx]\n" + between + "        X[" + index + "] = 0\n");
        EXPECT_EQ(s.run.sink.errorCount(), 0);
        return s.run.sink.all();
    };
    const auto race = warnings("", "tx");
    ASSERT_EQ(race.size(), 1u);
    EXPECT_EQ(race[0].code, Code::kRace);
    EXPECT_EQ(race[0].severity, Severity::kWarning);
    ASSERT_EQ(race[0].notes.size(), 1u);
    EXPECT_LT(race[0].notes[0].range.end, race[0].range.begin);
    EXPECT_EQ(warnings("        T.sync_threads()\n", "tx").size(), 0u);
    EXPECT_EQ(warnings("", "63 - tx").size(), 0u);   // each thread its own
    EXPECT_EQ(warnings("", "tx + 64").size(), 0u);   // other elements
    EXPECT_EQ(warnings("", "tx", "        T.annotate_pass_configs({'tl.disable_thread_storage_sync': True})\n").size(), 1u);
    // A tile in shared memory needs a barrier at the same place: the language puts one in.
    Synced tile(R"(        s = T.alloc_shared((64,), T.float32)
        s[tx] = X[63 - tx]
        X[tx] = s[63 - tx]
)");
    EXPECT_EQ(tile.run.sink.all().size(), 0u) << tile.text;
}

TEST(InsertBarriers, VariablesThatChangeAreNotTheSameIndex)
{
    const Synced s(R"(        s = T.alloc_shared((512,), T.float32)
        v = T.alloc_var(T.int32, 0)
        for k in T.serial(n):
            s[v + tx] = X[tx]
            v += 1
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
}

TEST(InsertBarriers, AWaitForCopiesIsFollowedByAMeeting)
{
    const Synced s(R"(        s = T.alloc_shared((3 * 64,), T.float32)
        for k in T.serial(n):
            T.ptx_wait_group(1)
            T.ptx_cp_async(T.access_ptr(s[((k + 2) % 3) * 64 + tx], "w"), T.access_ptr(X[tx + k], "r"), 1)
            T.ptx_commit_group()
            Y[tx] = s[(k % 3) * 64 + 63 - tx]
)");
    EXPECT_EQ(s.blocks(), 1) << s.text;
}

TEST(InsertBarriers, TheAuthorMaySwitchItOff)
{
    Synced s(R"(        s = T.alloc_shared((64,), T.float32)
        s[tx] = X[tx]
        Y[tx] = s[63 - tx]
)");
    ir::Function f = *s.kernel.function;
    f.stage = ir::Stage::kThread;
    f.passConfigs["tl.disable_thread_storage_sync"] = true;
    EXPECT_EQ(count(ir::print(s.run(&insertBarriers, f)).text, "T.sync_"), 0);
}

// Pitfall 31: roles that wait on mbarriers get no barrier of the block between them.
TEST(InsertBarriers, RolesAreOrderedByTheirBarriers)
{
    const Synced s(R"(        s = T.alloc_shared((2 * 64,), T.float32)
        full = T.alloc_barrier([64, 64])
        empty = T.alloc_barrier([64, 64])
        if tx < 64:
            for k in T.serial(n):
                T.barrier_wait(empty[k % 2], (k // 2) % 2 ^ 1)
                s[(k % 2) * 64 + tx] = X[tx + k]
                T.barrier_arrive(full[k % 2])
        if tx >= 64:
            for k in T.serial(n):
                T.barrier_wait(full[k % 2], (k // 2) % 2)
                Y[tx] = s[(k % 2) * 64 + 127 - tx]
                T.barrier_arrive(empty[k % 2])
)",
                   128);
    EXPECT_EQ(s.all(), 1) << s.text;  // that behind the initialisation
    EXPECT_TRUE(s.inOrder({"mbarrier_init", "ptx_fence_barrier_init", "T.sync_threads()", "for k"}));
    EXPECT_EQ(count(s.text, "mbarrier_init"), 4);
}

TEST(InsertBarriers, TheBlockMeetsInFrontOfAllRoles)
{
    const Synced s(R"(        q = T.alloc_shared((128,), T.float32)
        s = T.alloc_shared((64,), T.float32)
        full = T.alloc_barrier(64)
        q[tx] = X[tx]
        if tx < 64:
            s[tx] = X[tx]
            T.barrier_arrive(full[0])
            T.barrier_wait(full[0], 0)
        if tx >= 64:
            T.barrier_wait(full[0], 0)
            Y[tx] = s[127 - tx] + q[127 - tx]
)",
                   128);
    EXPECT_EQ(s.all(), 2) << s.text;
    EXPECT_TRUE(s.inOrder({"q[T.get_thread_binding(0)] =", "T.sync_threads()", "< 64:"})) << s.text;
}

}  // namespace
}  // namespace tw::passes
