#include <random>

#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/assign_registers.h"
#include "core/passes/narrow_scopes.h"
#include "core/passes/pack_memory.h"
#include "core/passes/plan_shared_memory.h"
#include "tests/unit/passes/pass_kernel.h"

namespace tw::passes {
namespace {

using interp::TextKernel;

TEST(PackMemory, BlocksInUseAtOneTimeAreApart)
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<MemoryBlock> blocks(1 + random() % 12);
        for (MemoryBlock& b : blocks) {
            b.first = static_cast<int>(random() % 20);
            b.last = b.first + static_cast<int>(random() % 10);
            b.bytes = 1 + static_cast<std::int64_t>(random() % 300);
            b.alignment = std::int64_t{1} << (random() % 8);
        }
        const std::int64_t size = packMemory(blocks);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            EXPECT_EQ(blocks[i].offset % blocks[i].alignment, 0);
            EXPECT_LE(blocks[i].offset + blocks[i].bytes, size);
            for (std::size_t j = 0; j < i; ++j)
                if (blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last) {
                    EXPECT_TRUE(blocks[i].offset + blocks[i].bytes <= blocks[j].offset ||
                                blocks[j].offset + blocks[j].bytes <= blocks[i].offset);
                }
        }
    }
}

struct Planned {
    TextKernel kernel;
    PassRun run;
    ir::Function after;
    std::int64_t bytes = 0;
    std::map<std::string, std::int64_t> offsets;
    explicit Planned(const std::string& body, const char* target = "sm_80", bool sync = true)
        : kernel("@T.prim_func\ndef f(X: T.Tensor((64,), T.float32), Y: T.Tensor((64,), T.float32), n: T.int32):\n"
                 "    with T.Kernel(1, threads=64) as bx:\n        tx = T.get_thread_binding()\n" + body,
                 "f"),
          run(target)
    {
        ir::Function f = *kernel.function;
        if (!sync)
            f.passConfigs["tl.disable_thread_storage_sync"] = true;
        f.stage = ir::Stage::kThread;
        after = run(&planSharedMemory, f);
        struct Finder final : ir::Visitor {
            Planned* to = nullptr;
            using ir::Visitor::visit;
            void visit(const ir::Stmt& s) override
            {
                if (const auto* launch = ir::as<ir::Launch>(s))
                    to->bytes = ir::intAttr(launch->attrs, "dynamic_shared_bytes", 0);
                if (const auto* allocate = ir::as<ir::Allocate>(s); allocate && allocate->buffer->scope == ir::MemoryScope::kShared)
                    to->offsets[allocate->buffer->name] = allocate->buffer->viewOffset;
                ir::Visitor::visit(s);
            }
        } finder;
        finder.to = this;
        static_cast<ir::Visitor&>(finder).visit(after.body);
    }
};

TEST(PlanSharedMemory, BuffersThatAreDoneMakeRoom)
{
    const char* const body = R"(        a = T.alloc_shared((64,), T.float32)
        b = T.alloc_shared((32,), T.float32)
        c = T.alloc_shared((64,), T.float32)
        a[tx] = X[tx]
        b[tx % 32] = a[tx]
        c[tx] = b[tx % 32]
        Y[tx] = c[tx]
)";
    const Planned p(body);
    EXPECT_EQ(p.bytes, 256 + 128);
    EXPECT_EQ(p.offsets.at("a"), p.offsets.at("c"));
    EXPECT_EQ(p.offsets.at("b"), 256);
    EXPECT_EQ(Planned(body, "sm_80", false).bytes, 640);  // the author orders accesses, by names
}

TEST(PlanSharedMemory, LoopsKeepWhatTheyCarry)
{
    const char* const body = R"(        a = T.alloc_shared((64,), T.float32)
        b = T.alloc_shared((64,), T.float32)
        for k in T.serial(n):
            a[tx] = X[tx]
            Y[tx] = a[tx]
            b[tx] = X[tx]
            Y[tx] = b[tx]
)";
    EXPECT_EQ(Planned(body).bytes, 512);  // b may live from one iteration to the next
    const char* const scoped = R"(        for k in T.serial(n):
            a = T.alloc_shared((64,), T.float32)
            b = T.alloc_shared((64,), T.float32)
            a[tx] = X[tx]
            Y[tx] = a[tx]
            b[tx] = X[tx]
            Y[tx] = b[tx]
)";
    EXPECT_EQ(Planned(scoped).bytes, 256);
}

// Pitfall 30: shared memory is not used again while a copy may still be under way.
TEST(PlanSharedMemory, AsynchronousCopiesKeepTheirBufferUntilTheWait)
{
    const std::string head = R"(        a = T.alloc_shared((64,), T.float32)
        b = T.alloc_shared((64,), T.float32)
        T.ptx_cp_async(T.access_ptr(a[tx], "w"), T.access_ptr(X[tx], "r"), 1)
        T.ptx_commit_group()
)";
    const std::string use = R"(        b[tx] = X[tx]
        Y[tx] = b[tx]
)";
    EXPECT_EQ(Planned(head + "        T.ptx_wait_group(0)\n" + use).bytes, 256);
    EXPECT_EQ(Planned(head + use + "        T.ptx_wait_group(0)\n").bytes, 512);
    EXPECT_EQ(Planned(head + "        T.ptx_wait_group(1)\n" + use).bytes, 512);
    EXPECT_EQ(Planned(head + use).bytes, 512);
}

TEST(PlanSharedMemory, RolesThatRunAtOneTimeKeepTheirBuffers)
{
    const std::string head = R"(        a = T.alloc_shared((64,), T.float32)
        b = T.alloc_shared((64,), T.float32)
        full = T.alloc_barrier([32, 32])
)";
    const std::string first = R"(        if tx < 32:
            T.barrier_wait(full[0], 1)
            a[tx] = X[tx]
            Y[tx] = a[tx]
)";
    const std::string second = R"(        if tx >= 32:
            T.barrier_wait(full[1], 1)
            b[tx] = X[tx]
            Y[tx] = b[tx]
)";
    EXPECT_EQ(Planned(head + first + second).bytes, 512);
    EXPECT_EQ(Planned(head + first + "        T.sync_threads()\n" + second).bytes, 256);
    // The second role has read all that the first wrote.
    EXPECT_EQ(Planned(head + R"(        if tx < 32:
            T.barrier_wait(full[1], 1)
            a[tx] = X[tx]
            T.barrier_arrive(full[0])
        if tx >= 32:
            T.barrier_wait(full[0], 0)
            Y[tx] = a[tx - 32]
            b[tx] = X[tx]
            Y[tx] = b[tx]
)").bytes,
              256);
}

TEST(PlanSharedMemory, TooMuchIsSaidWithNumbers)
{
    const Planned p(R"(        a = T.alloc_shared((40000,), T.float32)
        b = T.alloc_shared((4000,), T.float32)
        a[tx] = X[tx]
        b[tx] = a[tx]
        Y[tx] = b[tx]
)",
                    "sm_75");
    ASSERT_EQ(p.run.sink.errorCount(), 1);
    const std::string& message = p.run.sink.all()[0].message;
    EXPECT_NE(message.find("176000 bytes"), std::string::npos) << message;
    EXPECT_NE(message.find("65536"), std::string::npos) << message;
    EXPECT_TRUE(p.run.sink.all()[0].range.isKnown());
}

TEST(NarrowScopes, IterationsThatOverwriteEverythingFirst)
{
    TextKernel k(R"(
@T.prim_func
def f(X: T.Tensor((8, 64), T.float32), Y: T.Tensor((8, 64), T.float32), n: T.int32):
    with T.Kernel(1, threads=64) as bx:
        a = T.alloc_shared((64,), T.float32)
        b = T.alloc_shared((64,), T.float32)
        c = T.alloc_shared((64,), T.float32)
        T.clear(b)
        for k in T.serial(n):
            T.copy(X[k, 0], a)
            for i in T.Parallel(64):
                b[i] += a[i]
            for i in T.Parallel(64):
                c[i] = b[i] * 2
            T.copy(c, Y[k, 0])
)",
                 "f");
    PassRun run;
    const ir::Function after = run(&narrowScopes, *k.function);
    const std::string text = ir::print(after).text;
    const std::size_t loop = text.find("for k");
    EXPECT_GT(text.find("a = T.alloc_shared"), loop) << text;
    EXPECT_LT(text.find("b = T.alloc_shared"), loop);  // it carries the sum
    EXPECT_GT(text.find("c = T.alloc_shared"), loop);
    k.arguments.scalars["n"] = std::int64_t{4};
    expectSameResults(k, after);
}

// A kernel of `threads` threads: one producer warp group with `few` registers, the others with `many`.
std::vector<Diagnostic> budgetsOf(int threads, int few, int many, ir::Function* after = nullptr)
{
    TextKernel k("@T.prim_func\ndef f(X: T.Tensor((64,), T.float32)):\n    with T.Kernel(1, threads=" + std::to_string(threads) + R"() as bx:
        tx = T.get_thread_binding()
        if tx < 128:
            T.set_max_nreg()" + std::to_string(few) + R"(, 0)
        else:
            T.set_max_nreg()" + std::to_string(many) + ", 1)\n        X[0] = 1\n",
                 "f");
    PassRun run("sm_90a");
    ir::Function f = *k.function;
    f.stage = ir::Stage::kThread;
    const ir::Function out = run(&assignRegisters, f);
    if (after)
        *after = out;
    return run.sink.all();
}

TEST(AssignRegisters, BudgetsOfWarpGroupsAddUp)
{
    ir::Function after;
    EXPECT_TRUE(budgetsOf(384, 24, 240, &after).empty());  // 24 + 2 * 240 = 504 = 3 * 168
    EXPECT_NE(ir::print(after).text.find("\"min_blocks_per_sm\": 1"), std::string::npos) << ir::print(after).text;
    EXPECT_TRUE(budgetsOf(512, 24, 160).empty());
    const auto tooMany = budgetsOf(512, 24, 240);  // pitfall 7
    ASSERT_EQ(tooMany.size(), 1U);
    EXPECT_NE(tooMany[0].message.find("744"), std::string::npos) << tooMany[0].message;
    EXPECT_EQ(budgetsOf(320, 24, 240).size(), 2U);
}

}  // namespace
}  // namespace tw::passes
