#include "core/passes/vectorize_accesses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/interp/interpreter.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/staging/program.h"

namespace tw::passes {
namespace {

// Thread-stage text of a kernel before and after the pass.
class Kernel {
public:
    // `symbols`: lines in front of the function ("K = T.dynamic(\"K\")"), which then stands in a factory.
    explicit Kernel(const std::string& body, const std::string& symbols = "")
    {
        std::string text = "import tilelang\nimport tilelang.language as T\nimport tw\n";
        const std::string function = "@T.prim_func\n" + body;
        if (symbols.empty()) {
            text += function;
        } else {
            text += "def factory():\n";
            for (const std::string& part : {symbols + "\n", function, std::string("return k\n")})
                for (std::size_t at = 0; at < part.size();) {
                    const std::size_t end = part.find('\n', at);
                    text += "    " + part.substr(at, end - at) + "\n";
                    at = end == std::string::npos ? part.size() : end + 1;
                }
        }
        DiagnosticSink sink;
        before = staging::readFunction(text, sink);
        if (!before)
            ADD_FAILURE() << text << (sink.all().empty() ? "" : sink.all().front().message);
    }

    std::string run(const char* target = "sm_80")
    {
        if (!before)
            return {};
        DiagnosticSink sink;
        const auto parsed = target::parse(target);
        PassContext context{*parsed, sink, {}};
        after = std::make_shared<const ir::Function>(vectorizeAccesses(*before, context));
        const std::string text = ir::print(*after).text;
        EXPECT_EQ(ir::verify(*after), std::vector<std::string>{}) << text;
        return text;
    }

    // Both forms give the same answer.
    void expectSame(const std::map<std::string, std::int64_t>& dims = {})
    {
        ASSERT_TRUE(before && after);
        interp::Arguments first;
        first.dims = dims;
        for (const ir::Param& param : before->params) {
            const auto& buffer = std::get<ir::Buffer>(param.value);
            std::vector<std::int64_t> shape;
            for (const ir::Expr& e : buffer->shape)
                shape.push_back(ir::asInt(e) ? *ir::asInt(e) : dims.at(ir::as<ir::VarNode>(e)->name));
            interp::Tensor t = interp::makeTensor(buffer->dtype, shape);
            for (std::int64_t k = 0; k < t.elementCount(); ++k)
                t.dtype.isFloating() ? t.setFloat(k, static_cast<double>(k % 29) - 9) : t.setInt(k, k % 7);
            first.tensors[param.name()] = t;
        }
        interp::Arguments second = first;
        interp::RunOptions options;
        options.checkUninitialized = false;
        DiagnosticSink sink;
        ASSERT_TRUE(interp::run(*before, first, options, sink).ok) << sink.all().front().message;
        ASSERT_TRUE(interp::run(*after, second, options, sink).ok) << sink.all().front().message << ir::print(*after).text;
        for (const auto& [name, want] : first.tensors)
            for (std::int64_t k = 0; k < want.elementCount(); ++k)
                ASSERT_EQ(second.tensors.at(name).dtype.isFloating() ? second.tensors.at(name).floatAt(k) : static_cast<double>(second.tensors.at(name).intAt(k)),
                          want.dtype.isFloating() ? want.floatAt(k) : static_cast<double>(want.intAt(k)))
                    << name << " " << k << '\n' << ir::print(*after).text;
    }

    std::shared_ptr<const ir::Function> before, after;
};

int count(const std::string& text, const std::string& part)
{
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

TEST(VectorizeAccesses, WidestAlignedRun)
{
    Kernel k(R"(
def k(A: T.Tensor((64, 128), "float16"), B: T.Tensor((64, 128), "float16")):
    with T.Kernel(4, threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((2048,), "float16")
        for r in T.unroll(16):
            s[tx * 16 + r] = A[b * 16 + tx // 8, tx % 8 * 16 + r]
        T.sync_threads()
        for r in T.unroll(16):
            B[b * 16 + tx // 8, tx % 8 * 16 + r] = s[tx * 16 + r]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(8)"), 2) << text;
    EXPECT_EQ(count(text, "T.unroll(2)"), 2) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, RowsThatAreNoMultipleOfTheVectorNarrowIt)
{
    Kernel k(R"(
def k(A: T.Tensor((32, 70), "float32"), B: T.Tensor((32, 64), "float32")):
    with T.Kernel(1, threads=32) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        for r in T.unroll(64):
            B[tx, r] = A[tx, r + 2]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(2)"), 1) << text;  // rows of 280 bytes
    k.expectSame();
}

TEST(VectorizeAccesses, MisalignedPlacesAreReadByElements)
{
    Kernel k(R"(
def k(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
    with T.Kernel(1, threads=32) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        for r in T.unroll(4):
            B[tx * 4 + r] = A[tx * 4 + r + 1]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "B_v[r] = A["), 1) << text;
    EXPECT_EQ(count(text, "T.vectorized(4)"), 1) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, SwizzlesKeepRuns)
{
    Kernel k(R"(
def k(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((4096,), "float16")
        for o in T.unroll(4):
            for r in T.unroll(8):
                s[(o * 1024 + tx * 8 + r) ^ (((o * 1024 + tx * 8 + r) >> 6 & 7) << 3)] = A[o * 16 + tx // 8, tx % 8 * 8 + r]
        T.sync_threads()
        for o in T.unroll(4):
            for r in T.unroll(8):
                B[o * 16 + tx // 8, tx % 8 * 8 + r] = s[(o * 1024 + tx * 8 + r) ^ (((o * 1024 + tx * 8 + r) >> 6 & 7) << 3)]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(8)"), 2) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, ASwizzleFinerThanTheVectorNarrowsIt)
{
    Kernel k(R"(
def k(A: T.Tensor((1024,), "float16")):
    with T.Kernel(1, threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((1024,), "float16")
        for r in T.unroll(8):
            s[(tx * 8 + r) ^ ((tx * 8 + r) >> 5 & 3) << 1] = A[tx * 8 + r]
)");
    EXPECT_EQ(count(k.run(), "T.vectorized(2)"), 1);
}

TEST(VectorizeAccesses, ViewsCountTheirOffset)
{
    Kernel k(R"(
def k(A: T.Tensor((256,), "float16")):
    with T.Kernel(1, threads=32) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        arena = T.alloc_shared((2048,), "uint8")
        s = tw.view(arena, (256,), "float16", offset=8)
        t = tw.view(arena, (256,), "float16", offset=1024)
        for r in T.unroll(8):
            s[tx * 8 + r] = A[tx * 8 + r]
        for r in T.unroll(8):
            t[tx * 8 + r] = A[tx * 8 + r]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(4)"), 1) << text;
    EXPECT_EQ(count(text, "T.vectorized(8)"), 1) << text;
}

TEST(VectorizeAccesses, EdgesThatTheVectorDoesNotCrossStayConditions)
{
    Kernel k(R"(
def k(A: T.Tensor((50, 72), "float16"), B: T.Tensor((50, 72), "float16")):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((2048,), "float16")
        for o in T.unroll(2):
            for r in T.unroll(8):
                s[o * 1024 + tx * 8 + r] = T.if_then_else(by * 32 + o * 16 + tx // 8 < 50 and bx * 64 + tx % 8 * 8 + r < 72, A[by * 32 + o * 16 + tx // 8, bx * 64 + tx % 8 * 8 + r], T.float16(0))
        T.sync_threads()
        for o in T.unroll(2):
            for r in T.unroll(8):
                if by * 32 + o * 16 + tx // 8 < 50 and bx * 64 + tx % 8 * 8 + r < 72:
                    B[by * 32 + o * 16 + tx // 8, bx * 64 + tx % 8 * 8 + r] = s[o * 1024 + tx * 8 + r]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(8)"), 2) << text;
    EXPECT_EQ(count(text, "else:"), 0) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, AnEdgeInsideAVectorHasAPlainLoopBesideIt)
{
    Kernel k(R"(
def k(A: T.Tensor((1001,), "float32"), B: T.Tensor((1001,), "float32")):
    with T.Kernel(2, threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        for r in T.unroll(4):
            if b * 512 + tx * 4 + r < 1001:
                B[b * 512 + tx * 4 + r] = A[b * 512 + tx * 4 + r] + 1.0
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(4)"), 1) << text;
    EXPECT_EQ(count(text, "else:"), 1) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, RunTimeRowsAreTestedAtRunTime)
{
    Kernel k(R"(
def k(A: T.Tensor((M, K), "float16"), B: T.Tensor((M, K), "float16")):
    with T.Kernel(T.ceildiv(K, 64), threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        for r in T.unroll(8):
            if tx // 8 < M and b * 64 + tx % 8 * 8 + r < K:
                B[tx // 8, b * 64 + tx % 8 * 8 + r] = A[tx // 8, b * 64 + tx % 8 * 8 + r]
)", "M = T.dynamic(\"M\")\nK = T.dynamic(\"K\")");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(8)"), 1) << text;
    EXPECT_EQ(count(text, "K % 8 == 0"), 1) << text;
    k.expectSame({{"M", 9}, {"K", 72}});
    k.expectSame({{"M", 9}, {"K", 71}});
}

TEST(VectorizeAccesses, AssumptionsCount)
{
    Kernel k(R"(
def k(A: T.Tensor((M, K), "float16"), B: T.Tensor((M, K), "float16")):
    with T.Kernel(T.ceildiv(K, 64), threads=128) as b:
        tw.function(stage="thread")
        T.assume(K % 8 == 0)
        tx = T.get_thread_binding()
        for r in T.unroll(8):
            if tx // 8 < M and b * 64 + tx % 8 * 8 + r < K:
                B[tx // 8, b * 64 + tx % 8 * 8 + r] = A[tx // 8, b * 64 + tx % 8 * 8 + r]
)", "M = T.dynamic(\"M\")\nK = T.dynamic(\"K\")");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(8)"), 1) << text;
    EXPECT_EQ(count(text, "else:"), 0) << text;
    k.expectSame({{"M", 9}, {"K", 72}});
}

TEST(VectorizeAccesses, RegistersAndConversions)
{
    Kernel k(R"(
def k(A: T.Tensor((32, 16), "float32"), B: T.Tensor((32, 16), "float16")):
    with T.Kernel(1, threads=32) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        f = T.alloc_local((16,), "float32")
        for r in T.unroll(16):
            f[15 - r] = A[tx, r]
        for r in T.unroll(16):
            B[tx, r] = T.cast(f[r], "float16")
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(4)"), 1) << text;
    EXPECT_EQ(count(text, "T.vectorized(8)"), 1) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, ValuesBoundInTheBody)
{
    Kernel k(R"(
def k(A: T.Tensor((32, 8), "float32"), B: T.Tensor((32, 8), "float32")):
    with T.Kernel(1, threads=32) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        for r in T.unroll(8):
            x = A[tx, r]
            A[tx, r] = x + 1.0
            B[tx, r] = x * x
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(4)"), 1) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, TranspositionsAreWideOnOneSide)
{
    Kernel k(R"(
def k(A: T.Tensor((32, 64), "float32"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(1, threads=256) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((2112,), "float32")
        for o in T.unroll(2):
            for r in T.unroll(4):
                s[(tx % 16 * 4 + r) * 33 + o * 16 + tx // 16] = A[o * 16 + tx // 16, tx % 16 * 4 + r]
        T.sync_threads()
        for o in T.unroll(2):
            for r in T.unroll(4):
                if o * 32 + tx // 8 < 60:
                    B[o * 32 + tx // 8, tx % 8 * 4 + r] = s[(o * 32 + tx // 8) * 33 + tx % 8 * 4 + r] * 2.0
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized(4)"), 2) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, WhatIsSaidOfTheIterationsStays)
{
    Kernel k(R"(
def k(A: T.Tensor((999,), "float32"), B: T.Tensor((999,), "float32")):
    with T.Kernel(2, threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        for r in tw.loop("unroll", (0, 4, 1), annotations={"nest": True}):
            if b * 512 + tx * 4 + r < 999:
                B[b * 512 + tx * 4 + r] = A[b * 512 + tx * 4 + r]
        for r in tw.loop("unroll", (0, 4, 1), annotations={"nest": True}):
            B[tx * 4 + r] = A[tx * 4 + r]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "\"nest\": True"), 2) << text;
    k.expectSame();
}

TEST(VectorizeAccesses, DependentIterationsStayInOrder)
{
    Kernel k(R"(
def k(A: T.Tensor((40, 8), "float32"), B: T.Tensor((32, 8), "int32"), C: T.Tensor((32, 8), "float32")):
    with T.Kernel(1, threads=1) as b:
        tw.function(stage="thread")
        f = T.alloc_local((1,), "float32")
        for r in T.unroll(4):
            A[1, r] = A[0, r + 4]
        for r in T.unroll(4):
            A[2, r] = A[2, 3 - r] + 1.0
        for r in T.unroll(4):
            f[0] = f[0] + A[3, r]
        for r in T.unroll(4):
            C[0, r] = C[1, r * 2] + T.cast(T.atomic_add(B[0, r], 1, return_prev=True), "float32")
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "T.vectorized"), 0) << text;
}

TEST(VectorizeAccesses, AsynchronousCopies)
{
    const char* body = R"(
def k(A: T.Tensor((50, 72), "float16"), B: T.Tensor((2048,), "float16")):
    with T.Kernel(1, threads=128) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((2048,), "float16")
        for o in tw.loop("unroll", (0, 2, 1), annotations={"async": True}):
            for r in T.unroll(8):
                s[o * 1024 + tx * 8 + r] = T.if_then_else(40 + o * 16 + tx // 8 < 50, A[40 + o * 16 + tx // 8, tx % 8 * 8 + r], T.float16(0))
        T.ptx_commit_group()
        T.ptx_wait_group(0)
        T.sync_threads()
        for r in T.unroll(16):
            B[tx * 16 + r] = s[tx * 16 + r]
)";
    Kernel k(body);
    const std::string text = k.run();
    EXPECT_EQ(count(text, "ptx_cp_async"), 1) << text;
    EXPECT_EQ(count(text, "\"async\""), 0) << text;
    k.expectSame();
    const std::string old = k.run("sm_75");
    EXPECT_EQ(count(old, "ptx_"), 0) << old;
    EXPECT_EQ(count(old, "T.vectorized(8)"), 2) << old;
    k.expectSame();
}

TEST(VectorizeAccesses, WhatCpAsyncCannotDoIsCopiedByThreads)
{
    Kernel k(R"(
def k(A: T.Tensor((64, 33), "float16"), C: T.Tensor((64, 33), "float32"), B: T.Tensor((4096,), "float16"), D: T.Tensor((2048,), "float32")):
    with T.Kernel(1, threads=64) as b:
        tw.function(stage="thread")
        tx = T.get_thread_binding()
        s = T.alloc_shared((4096,), "float16")
        t = T.alloc_shared((2048,), "float32")
        for r in tw.loop("unroll", (0, 16, 1), annotations={"async": True}):
            s[tx * 16 + r] = A[tx, r]
        for r in tw.loop("unroll", (0, 16, 1), annotations={"async": True}):
            t[tx * 16 + r] = C[tx, r]
        T.ptx_commit_group()
        T.ptx_wait_group(0)
        T.sync_threads()
        for r in T.unroll(16):
            B[tx * 16 + r] = s[tx * 16 + r]
            D[tx * 16 + r] = t[tx * 16 + r]
)");
    const std::string text = k.run();
    EXPECT_EQ(count(text, "ptx_cp_async"), 1) << text;  // four bytes each of C; two of A are too few
    k.expectSame();
}

}  // namespace
}  // namespace tw::passes
