#include "core/passes/schedule_pipelines.h"

#include <fmt/format.h>

#include "core/ir/visit.h"
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

// Traces the kernel `f` of a text whose {S} is the number of stages, schedules it, and compares results for some values of
// its scalar n.
struct Scheduled {
    TextKernel kernel;
    ir::Function after;
    std::string text;
    Scheduled(std::string source, int stages, const char* target = "sm_80")
        : kernel(source.replace(source.find("{S}"), 3, std::to_string(stages)), "f"), after(PassRun(target)(&schedulePipelines, *kernel.function)),
          text(ir::print(after).text)
    {
    }
    void expectSame(std::initializer_list<int> trips)
    {
        for (const int n : trips) {
            kernel.arguments.scalars["n"] = std::int64_t{n};
            SCOPED_TRACE(fmt::format("n = {}\n{}", n, text));
            expectSameResults(kernel, after);
        }
    }
    [[nodiscard]] bool runsAhead() const { return count(text, "commit_group") > 0; }
};

const char* const kGemm = R"(
@T.prim_func
def f(A: T.Tensor((16, 100), T.float16), B: T.Tensor((100, 16), T.float16), C: T.Tensor((16, 16), T.float32), n: T.int32):
    with T.Kernel(1, threads=128) as bx:
        A_s = T.alloc_shared((16, 16), T.float16)
        B_s = T.alloc_shared((16, 16), T.float16)
        acc = T.alloc_fragment((16, 16), T.float32)
        T.clear(acc)
        for k in T.Pipelined(n, num_stages={S}):
            T.copy(A[0, k * 16], A_s)
            T.copy(B[k * 16, 0], B_s)
            T.gemm(A_s, B_s, acc)
        T.copy(acc, C)
)";

TEST(SchedulePipelines, GemmForEveryTripCount)
{
    for (const char* target : {"sm_80", "sm_75"})
        for (const int stages : {1, 2, 3, 4}) {
            Scheduled s(kGemm, stages, target);
            s.expectSame({0, 1, 2, 3, 4, 5, 7});
            EXPECT_EQ(s.runsAhead(), stages > 1 && target == std::string("sm_80"));
            EXPECT_EQ(count(s.text, "A_s_next = "), stages > 1 && target == std::string("sm_75") ? 1 : 0) << s.text;
            EXPECT_EQ(count(s.text, "Pipelined"), 0);
        }
}

TEST(SchedulePipelines, OneBarrierAndStagesMinusTwoGroupsAnIteration)
{
    const Scheduled s(kGemm, 4);
    EXPECT_EQ(count(s.text, "T.ptx_wait_group(2)"), 1) << s.text;
    EXPECT_EQ(count(s.text, "T.ptx_wait_group(0)"), 1);
    EXPECT_EQ(count(s.text, "T.sync_threads()"), 1);
    EXPECT_EQ(count(s.text, "T.ptx_commit_group()"), 4);  // three of the prologue, one in the loop
    EXPECT_EQ(count(s.text, "(4, 16, 16)"), 2);
}

TEST(SchedulePipelines, BoundsThatStartElsewhereAndAreLoaded)
{
    Scheduled s(R"(
@T.prim_func
def f(X: T.Tensor((40, 16), T.float32), Last: T.Tensor((2,), T.int32), Y: T.Tensor((16,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_shared((2, 16), T.float32)
        acc = T.alloc_fragment((16,), T.float32)
        T.clear(acc)
        for outer in T.serial(2):
            for k in T.Pipelined(n, Last[outer] + n + 2, num_stages={S}):
                T.copy(X[k * 2, 0], x)
                for i in T.Parallel(16):
                    acc[i] += x[0, i] * (k + 1) + x[1, i]
                Last[1] = 5
        T.copy(acc, Y)
)",
                3);
    EXPECT_TRUE(s.runsAhead());
    s.expectSame({0, 3, 9});
}

TEST(SchedulePipelines, AttentionKeepsTheOrderOfItsStatements)
{
    Scheduled s(R"(
@T.prim_func
def f(Q: T.Tensor((16, 16), T.float16), K: T.Tensor((100, 16), T.float16), V: T.Tensor((100, 16), T.float16), O: T.Tensor((16, 16), T.float32), n: T.int32):
    with T.Kernel(1, threads=128) as bx:
        q = T.alloc_shared((16, 16), T.float16)
        k_s = T.alloc_shared((16, 16), T.float16)
        v_s = T.alloc_shared((16, 16), T.float16)
        s = T.alloc_fragment((16, 16), T.float32)
        p = T.alloc_fragment((16, 16), T.float16)
        o = T.alloc_fragment((16, 16), T.float32)
        m = T.alloc_fragment((16,), T.float32)
        T.copy(Q, q)
        T.clear(o)
        T.fill(m, -100)
        for k in T.Pipelined(n, num_stages={S}):
            T.copy(K[k * 16, 0], k_s)
            T.gemm(q, k_s, s, transpose_B=True, clear_accum=True)
            T.reduce_max(s, m, dim=1, clear=False)
            for i, j in T.Parallel(16, 16):
                p[i, j] = T.max(s[i, j] - m[i], -8)
            T.copy(V[k * 16, 0], v_s)
            T.gemm(p, v_s, o)
        T.copy(o, O)
)",
                2);
    EXPECT_TRUE(s.runsAhead());
    EXPECT_EQ(count(s.text, "(2, 16, 16)"), 2) << s.text;
    s.expectSame({0, 1, 2, 3, 6});
}

TEST(SchedulePipelines, ConditionsTablesAndLetsTravelWithTheirCopies)
{
    Scheduled s(R"(
@T.prim_func
def f(X: T.Tensor((8, 16), T.float32), Mask: T.Tensor((8,), T.int32), Table: T.Tensor((8,), T.int32), Y: T.Tensor((16,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_shared((16,), T.float32)
        acc = T.alloc_fragment((16,), T.float32)
        T.clear(acc)
        for k in T.Pipelined(n, num_stages={S}):
            page = Table[k] + 2
            scale = Mask[k] * 3
            if Mask[k] != 0:
                T.copy(X[page, 0], x)
                for i in T.Parallel(16):
                    acc[i] += x[i] * scale
        T.copy(acc, Y)
)",
                3);
    EXPECT_TRUE(s.runsAhead());
    s.expectSame({0, 1, 2, 3, 8});
}

TEST(SchedulePipelines, ElementCopiesRunAheadAndOtherNestsStay)
{
    Scheduled s(R"(
@T.prim_func
def f(X: T.Tensor((8, 16), T.float32), W: T.Tensor((8, 16), T.float16), Y: T.Tensor((16,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_shared((16,), T.float32)
        w = T.alloc_shared((16,), T.float32)
        acc = T.alloc_fragment((16,), T.float32)
        T.clear(acc)
        for k in T.Pipelined(n, num_stages={S}):
            for i in T.Parallel(16):
                x[i] = X[k, 15 - i]
            T.copy(W[k, 0], w)
            for i in T.Parallel(16):
                acc[i] += x[i] * w[i]
        T.copy(acc, Y)
)",
                2);
    EXPECT_EQ(count(s.text, "(2, 16)"), 1) << s.text;  // x has slots, w (another type) has none
    s.expectSame({0, 1, 2, 5});
}

// Loops whose copies may not run ahead; each stays a serial loop with the same meaning.
struct Stays {
    const char* name;
    const char* body;
};
class CopiesThatStay : public testing::TestWithParam<Stays> {};

TEST_P(CopiesThatStay, LoopIsSerial)
{
    const std::string source = std::string(R"(
@T.prim_func
def f(X: T.Tensor((16, 16), T.float32), I: T.Tensor((16,), T.int32), Y: T.Tensor((16,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_shared((16,), T.float32)
        at = T.alloc_shared((16,), T.int32)
        acc = T.alloc_fragment((16,), T.float32)
        v = T.alloc_var(T.int32, 0)
        T.clear(acc)
        T.clear(x)
        T.clear(at)
        for k in T.Pipelined(n, num_stages={S}):
)") + GetParam().body + "        T.copy(acc, Y)\n";
    Scheduled s(source, 3);
    EXPECT_FALSE(s.runsAhead()) << s.text;
    s.expectSame({0, 1, 2, 3, 7});
}

INSTANTIATE_TEST_SUITE_P(
    Pitfalls, CopiesThatStay,
    testing::Values(
        Stays{"ReadThenOverwritten", R"(            for i in T.Parallel(16):
                acc[i] += x[i]
            T.copy(X[k, 0], x)
)"},
        Stays{"AtomicOnTheSource", R"(            T.copy(X[k, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
                T.atomic_add(X[k + 1, i], x[i])
)"},
        Stays{"IndexFromSharedOfTheBody", R"(            for i in T.Parallel(16):
                at[i] = I[i] + k
            row = at[3] % 8 + 2
            T.copy(X[row, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
)"},
        Stays{"IndexFromAVariable", R"(            T.copy(X[v, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
            v += 2
)"},
        Stays{"NeededAfterTheLoop", R"(            T.copy(X[k, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
        for i in T.Parallel(16):
            acc[i] += x[i]
)"},
        Stays{"PartlyCopied", R"(            T.copy(X[k, 0:8], x[0:8])
            for i in T.Parallel(16):
                acc[i] += x[i]
)"},
        Stays{"ConditionNarrowerThanTheReader", R"(            if I[k] > 0:
                T.copy(X[k, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
)"},
        Stays{"WrittenByOthersToo", R"(            T.copy(X[k, 0], x)
            for i in T.Parallel(8):
                x[i] = x[i] + 1
            for i in T.Parallel(16):
                acc[i] += x[i]
)"},
        Stays{"LeavesEarly", R"(            if I[k] > 1:
                break
            T.copy(X[k, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
)"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(SchedulePipelines, SeveralAndNestedPipelines)
{
    Scheduled s(R"(
@T.prim_func
def f(X: T.Tensor((64, 16), T.float32), Z: T.Tensor((8, 16), T.float32), Y: T.Tensor((16,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_shared((16,), T.float32)
        z = T.alloc_shared((16,), T.float32)
        acc = T.alloc_fragment((16,), T.float32)
        T.clear(acc)
        for o in T.Pipelined(n, num_stages={S}):
            T.copy(Z[o, 0], z)
            for k in T.Pipelined(o + 1, num_stages=3):
                T.copy(X[o * 8 + k, 0], x)
                for i in T.Parallel(16):
                    acc[i] += x[i] * z[i]
        for k in T.Pipelined(n, num_stages=4):
            T.copy(X[k, 0], x)
            for i in T.Parallel(16):
                acc[i] += x[i]
        T.copy(acc, Y)
)",
                2);
    EXPECT_EQ(count(s.text, "T.ptx_wait_group(0)"), 4) << s.text;
    s.expectSame({0, 1, 2, 3, 4, 7});
}

TEST(SchedulePipelines, DepthThatMemoryDoesNotHoldIsTaken)
{
    Scheduled s(R"(
@T.prim_func
def f(X: T.Tensor((8, 16, 1024), T.float32), Y: T.Tensor((1024,), T.float32), n: T.int32):
    with T.Kernel(1, threads=32) as bx:
        x = T.alloc_shared((16, 1024), T.float32)
        acc = T.alloc_fragment((1024,), T.float32)
        T.clear(acc)
        for k in T.Pipelined(n, num_stages={S}):
            T.copy(X[k, 0, 0], x)
            for i, j in T.Parallel(16, 1024):
                T.atomic_add(Y[j], x[i, j])
)",
                4);
    EXPECT_EQ(count(s.text, "(2, 16, 1024)"), 1) << s.text;  // 64 KiB each in 163 KiB
}

TEST(SchedulePipelines, StagesOfTheAuthorGiveTheDepth)
{
    std::string source = kGemm;
    source.replace(source.find("num_stages={S}"), 14, "order=[1, 2, 0], stage=[0, 0, {S}]");
    Scheduled s(source, 2);
    EXPECT_EQ(count(s.text, "(3, 16, 16)"), 2) << s.text;
    s.expectSame({0, 1, 2, 3, 5});
}

TEST(SchedulePipelines, RolesKeepTheirLoopsToThemselves)
{
    std::string source = kGemm;
    source.replace(source.find("        for k"), 13, "        if T.get_thread_binding() < 64:\n          for k");
    for (const char* line : {"            T.copy(A[0", "            T.copy(B[k", "            T.gemm("})
        source.insert(source.find(line), "  ");
    EXPECT_FALSE(Scheduled(source, 3).runsAhead());
}

// The tiles of a loop belong to all of its iterations once copies run ahead.
TEST(SchedulePipelines, TilesAllocatedInTheLoop)
{
    std::string source = kGemm;
    for (const char* line : {"        A_s = T.alloc_shared((16, 16), T.float16)\n", "        B_s = T.alloc_shared((16, 16), T.float16)\n"}) {
        source.erase(source.find(line), std::string(line).size());
        source.insert(source.find("            T.copy(A[0"), std::string("    ") + line);
    }
    for (const char* target : {"sm_80", "sm_75"})
        for (const int stages : {0, 2, 3}) {
            Scheduled s(source, stages, target);
            s.expectSame({0, 1, 2, 3, 5});
            EXPECT_EQ(s.runsAhead(), stages > 1 && target == std::string("sm_80")) << s.text;
        }
}

}  // namespace
}  // namespace tw::passes
