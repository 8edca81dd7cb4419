#include "core/passes/expand_tiles.h"

#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/passes/expand_reducers.h"
#include "core/passes/guard_bounds.h"
#include "tests/unit/interp/text_kernel.h"

namespace tw::passes {
namespace {

using interp::TextKernel;

// The kernel's answer before and after is the same, and no operation of `gone` is left.
void expectExpanded(const std::string& body, const std::vector<std::string>& gone = {"T.copy(", "T.fill(", "T.clear("})
{
    TextKernel kernel("@T.prim_func\n" + body, "k");
    ASSERT_TRUE(kernel.function);
    for (const ir::Param& param : kernel.function->params)
        if (const auto* buffer = std::get_if<ir::Buffer>(&param.value))
            if ((*buffer)->dtype.isFloating())
                kernel.fill((*buffer)->name, [](std::int64_t k) { return static_cast<double>(k % 23) - 7; });
            else
                for (std::int64_t k = 0; k < kernel.tensor((*buffer)->name).elementCount(); ++k)
                    kernel.tensor((*buffer)->name).setInt(k, k % 7);
    DiagnosticSink sink;
    PassContext context{target::defaultTarget(), sink, {}};
    const ir::Function after = guardBounds(expandTiles(expandReducers(*kernel.function, context), context), context);
    ASSERT_FALSE(sink.hasErrors()) << sink.all().front().message;
    const std::string text = ir::print(after).text;
    EXPECT_EQ(ir::verify(after), std::vector<std::string>{}) << text;
    for (const std::string& name : gone)
        EXPECT_EQ(text.find(name), std::string::npos) << text;
    DiagnosticSink readBack;
    const auto again = staging::readFunction(text, readBack);
    ASSERT_TRUE(again) << text;
    EXPECT_TRUE(ir::equal(after, *again)) << text << ir::print(*again).text;

    interp::RunOptions options;
    options.checkUninitialized = false;
    interp::Arguments expanded = kernel.arguments;
    ASSERT_TRUE(interp::run(*kernel.function, kernel.arguments, options, sink).ok) << sink.all().front().message;
    const auto second = interp::run(after, expanded, options, sink);
    ASSERT_TRUE(second.ok) << (sink.all().empty() ? "" : sink.all().front().message) << text;
    for (const auto& [name, want] : kernel.arguments.tensors)
        for (std::int64_t k = 0; k < want.elementCount(); ++k)
            if (want.dtype.isFloating())
                ASSERT_EQ(expanded.tensors.at(name).floatAt(k), want.floatAt(k)) << name << " " << k << '\n' << text;
            else
                ASSERT_EQ(expanded.tensors.at(name).intAt(k), want.intAt(k)) << name << " " << k << '\n' << text;
}

TEST(ExpandTiles, RaggedEdgesAndConversions)
{
    expectExpanded(R"(
def k(A: T.Tensor((45, 70), "float32"), B: T.Tensor((41, 67), "int8")):
    with T.Kernel(3, 2, threads=64) as (bx, by):
        s = T.alloc_shared((32, 32), "float32")
        f = T.alloc_fragment((32, 32), "float16")
        T.copy(A[by * 32, bx * 32], s)
        T.copy(s, f)
        T.copy(f, B[by * 32, bx * 32])
)");
}

TEST(ExpandTiles, SlicesUnitAxesAndRunTimePlaces)
{
    expectExpanded(R"(
def k(A: T.Tensor((4, 16, 3, 24), "float32"), At: T.Tensor((4,), "int32"), B: T.Tensor((4, 3, 16, 24), "float32")):
    with T.Kernel(4, 3, threads=64) as (b, h):
        s = T.alloc_shared((2, 16, 24), "float32")
        T.clear(s)
        T.copy(A[b, 0:16, h, :], s[1, :, :])
        T.copy(A[b, At[b]:At[b] + 4, h, 4:12], s[0, 2:6, 8:16])
        T.fill(s[0, 0:2, 0:3], At[b])
        T.copy(s[1, :, :], B[b, h, :, :])
        T.copy(s[0, 2:6, :], B[b, h, At[b]:At[b] + 4, :])
)");
}

TEST(ExpandTiles, SafeValuesAndPlacesInFrontOfTheTensor)
{
    expectExpanded(R"(
def k(A: T.Tensor((20,), "float32"), B: T.Tensor((3, 16), "float32")):
    with T.Kernel(3, threads=32) as b:
        T.annotate_safe_value({A: -3.0})
        s = T.alloc_shared((16,), "float32")
        T.copy(A[b * 12 - 5:b * 12 + 11], s)
        T.copy(s, B[b, :])
)");
}

TEST(ExpandTiles, PackedTypesAndBools)
{
    expectExpanded(R"(
def k(A: T.Tensor((32, 48), "int4"), M: T.Tensor((32, 48), "bool"), B: T.Tensor((32, 48), "int4"), N: T.Tensor((32, 48), "bool")):
    with T.Kernel(1, threads=32) as b:
        s = T.alloc_shared((32, 48), "int4")
        m = T.alloc_shared((32, 48), "bool")
        T.copy(A, s)
        T.copy(M, m)
        T.copy(s[0:16, :], B[16:32, :])
        T.copy(m, N)
)");
}

TEST(ExpandTiles, AtomicsOfTiles)
{
    expectExpanded(R"(
def k(A: T.Tensor((40, 40), "float32"), B: T.Tensor((16, 16), "float32"), C: T.Tensor((16,), "int32")):
    with T.Kernel(3, 3, threads=32) as (bx, by):
        s = T.alloc_shared((16, 16), "float32")
        T.copy(A[by * 16, bx * 16], s)
        T.atomic_add(B, s, memory_order="release")
        T.atomic_max(B[3:5, 0:16], s[0:2, :])
        T.atomic_add(C[0:5], 2)
)");
}

TEST(ExpandTiles, EachThreadForItself)
{
    expectExpanded(R"(
def k(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding()
        x = T.alloc_local((8,), "float32")
        s = T.alloc_shared((64, 8), "float32")
        T.copy(A[tx, 0:8], x)
        x[0] = x[7]
        T.copy(x, s[tx, 0:8])
        T.fill(s[tx, 2:4], tx)
        T.copy(s[63 - tx, 0:8], B[tx, 0:8])
)");
}

TEST(ExpandTiles, RolesArePlacesWhereAllThreadsAgree)
{
    const char* body = R"(
def k(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding()
        half = tx // 32
        s = T.alloc_shared((64, 32), "float32")
        if tx < 32:
            T.copy(A[half * 32:half * 32 + 32, :], s[half * 32:half * 32 + 32, :])
        else:
            T.copy(A[half * 32:half * 32 + 32, :], s[half * 32:half * 32 + 32, :])
        T.sync_threads()
        T.copy(s, B)
)";
    expectExpanded(body);
    TextKernel kernel(std::string("@T.prim_func") + body, "k");
    DiagnosticSink sink;
    PassContext context{target::defaultTarget(), sink, {}};
    const std::string text = ir::print(expandTiles(*kernel.function, context)).text;
    EXPECT_EQ(text.find("T.serial"), std::string::npos) << text;
    EXPECT_NE(text.find("T.Parallel(32, 32"), std::string::npos) << text;
}

TEST(ExpandTiles, PersistentLoopsTransposesAndStores)
{
    expectExpanded(R"(
def k(A: T.Tensor((90, 50), "float32"), B: T.Tensor((50, 90), "float32"), C: T.Tensor((4,), "float32")):
    with T.Kernel(4, threads=64) as b:
        s = T.alloc_shared((16, 32), "float32")
        t = T.alloc_shared((32, 16), "float32")
        f = T.alloc_fragment((2,), "float32")
        T.clear(f)
        for i, j in T.Persistent([T.ceildiv(90, 16), T.ceildiv(50, 32)], 4, b, 3):
            T.copy(A[i * 16, j * 32], s)
            T.transpose(s, t)
            T.copy(t, B[j * 32, i * 16])
            f[1] = f[1] + 1
        T.copy(f[1:2], C[b:b + 1])
)", {"T.copy(", "T.Persistent", "T.transpose"});
}

TEST(ExpandTiles, AsynchronousCopiesKeepTheirGroups)
{
    const char* body = R"(
def k(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float16")):
    with T.Kernel(1, threads=32) as b:
        s = T.alloc_shared((32, 32), "float16")
        T.async_copy(A, s)
        T.ptx_wait_group(0)
        T.copy(s, B)
)";
    expectExpanded(body, {"T.async_copy("});
    TextKernel kernel(std::string("@T.prim_func") + body, "k");
    DiagnosticSink sink;
    PassContext context{target::defaultTarget(), sink, {}};
    const std::string text = ir::print(expandTiles(*kernel.function, context)).text;
    EXPECT_NE(text.find("\"async\": True, \"op\": \"async_copy\""), std::string::npos) << text;
    EXPECT_NE(text.find("ptx_commit_group"), std::string::npos) << text;
}

TEST(ExpandTiles, ScansInPieces)
{
    expectExpanded(R"(
def k(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32"), C: T.Tensor((1000,), "float32")):
    with T.Kernel(1, threads=128) as b:
        s = T.alloc_shared((1000,), "float32")
        t = T.alloc_shared((1000,), "float32")
        T.copy(A, s)
        T.cummax(s, t, dim=0, reverse=True)
        T.copy(t, C)
        T.cumsum(s, dim=0)
        T.copy(s, B)
)", {"T.cumsum", "T.cummax"});
}

TEST(ExpandTiles, ScansAlongEitherAxis)
{
    expectExpanded(R"(
def k(A: T.Tensor((24, 50), "float16"), B: T.Tensor((24, 50), "float16"), C: T.Tensor((24, 50), "float32")):
    with T.Kernel(1, threads=64) as b:
        s = T.alloc_shared((24, 50), "float16")
        f = T.alloc_fragment((24, 50), "float32")
        T.copy(A, s)
        T.copy(A, f)
        T.cumsum(s, dim=1)
        T.cumsum(f, dim=0, reverse=True)
        T.copy(s, B)
        T.copy(f, C)
)", {"T.cumsum"});
}

TEST(ExpandReducers, ContributionsOfSeveralNests)
{
    expectExpanded(R"(
def k(A: T.Tensor((16, 96), "float32"), B: T.Tensor((16,), "float32"), C: T.Tensor((16,), "float32"), D: T.Tensor((1,), "int32")):
    with T.Kernel(1, threads=64) as b:
        s = T.alloc_shared((16, 32), "float32")
        total = T.alloc_reducer((16,), "float32", op="sum")
        top = T.alloc_reducer((16,), "float32", op="max")
        count = T.alloc_reducer((1,), "int32", op="sum")
        out = T.alloc_fragment((16,), "float32")
        counted = T.alloc_fragment((1,), "int32")
        T.reducer_init(total, 0.5)
        T.reducer_init(top)
        T.reducer_init(count)
        for t in T.serial(3):
            T.copy(A[0, t * 32], s)
            for i, k in T.Parallel(16, 32):
                T.reducer_update(total[i], s[i, k])
                T.reducer_update(top[i], s[i, k] * 2.0)
                if s[i, k] > 0.0:
                    T.reducer_update(count[0], 1)
        for i in T.Parallel(16):
            T.reducer_update(total[i], 3.0)
        T.finalize_reducer(total, out)
        T.copy(out, B)
        T.finalize_reducer(top, out)
        T.copy(out, C)
        T.finalize_reducer(count, counted)
        T.copy(counted, D)
)", {"reducer"});
}

TEST(ExpandReducers, PlacesThatOnlyRunningTellsAreAtomic)
{
    expectExpanded(R"(
def k(A: T.Tensor((64,), "int32"), B: T.Tensor((8,), "int32")):
    with T.Kernel(1, threads=64) as b:
        bins = T.alloc_reducer((8,), "int32", op="sum")
        out = T.alloc_fragment((8,), "int32")
        T.reducer_init(bins)
        for i in T.Parallel(64):
            T.reducer_update(bins[A[i] % 8], A[i])
        T.finalize_reducer(bins, out)
        T.copy(out, B)
)", {"T.reducer", "T.alloc_reducer"});
}

TEST(ExpandReducers, TheOlderForm)
{
    expectExpanded(R"(
def k(A: T.Tensor((16, 32), "float32"), B: T.Tensor((16,), "float32")):
    with T.Kernel(1, threads=64) as b:
        acc = T.alloc_reducer((16,), "float32", op="sum", replication="all")
        T.clear(acc)
        for i, k in T.Parallel(16, 32):
            acc[i] += A[i, k] * A[i, k]
        T.finalize_reducer(acc)
        for i in T.Parallel(16):
            B[i] = acc[i] / 32.0
)", {"reducer"});
}

}  // namespace
}  // namespace tw::passes
