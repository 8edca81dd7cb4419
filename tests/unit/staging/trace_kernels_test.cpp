// Whole kernels: launches, operation ids, products, scopes, macros, eager kernels, errors.
#include <gtest/gtest.h>

#include "tests/unit/staging/trace_support.h"

namespace tw::staging::test {
namespace {

constexpr const char* kGemm = R"(import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, bM=64, bN=32, bK=16, stages=2):
    @T.prim_func
    def gemm(A: T.Tensor((M, K), 'float16'), B: T.Tensor((K, N), 'float16'), C: T.Tensor((M, N), 'float16')):
        with T.Kernel(T.ceildiv(N, bN), T.ceildiv(M, bM), threads=128) as (bx, by):
            As = T.alloc_shared((bM, bK), 'float16')
            Bs = T.alloc_shared((bK, bN), 'float16')
            acc = T.alloc_fragment((bM, bN), 'float32')
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(K, bK), num_stages=stages):
                T.copy(A[by * bM, ko * bK], As)
                T.copy(B[ko * bK, bx * bN], Bs)
                T.gemm(As, Bs, acc)
            for i, j in T.Parallel(bM, bN):
                acc[i, j] = T.max(acc[i, j], 0)
            T.copy(acc, C[by * bM, bx * bN])
    return gemm
)";

TEST(TraceKernels, Gemm)
{
    const auto t = traceFile(kGemm, "matmul", {{"M", "100"}, {"N", "96"}, {"K", "48"}});
    ASSERT_TRUE(t.function) << t.firstError();
    EXPECT_TRUE(t.broken().empty());
    ASSERT_EQ(t.all<ir::Launch>().size(), 1U);
    const auto* launch = t.all<ir::Launch>()[0];
    EXPECT_EQ(*ir::asInt(launch->grid[0]), 3);
    EXPECT_EQ(*ir::asInt(launch->grid[1]), 2);
    EXPECT_EQ(launch->threads[0], 128);
    const auto fors = t.all<ir::For>();
    ASSERT_EQ(fors.size(), 2U);
    EXPECT_EQ(fors[0]->loop, ir::ForKind::kPipelined);
    EXPECT_EQ(*ir::asInt(fors[0]->axes[0].end), 3);
    EXPECT_EQ(std::get<std::int64_t>(fors[0]->attrs.at("num_stages")), 2);
    // clear 1, copy 2, copy 3, gemm 4, parallel loop 5 with its store, copy 6
    EXPECT_EQ(t.ops(ir::OpId::kClear)[0]->where.op, 1U);
    EXPECT_EQ(t.ops(ir::OpId::kCopy)[0]->where.op, 2U);
    EXPECT_EQ(t.ops(ir::OpId::kGemm)[0]->where.op, 4U);
    EXPECT_EQ(fors[1]->where.op, 5U);
    EXPECT_EQ(t.all<ir::Store>()[0]->where.op, 5U);
    EXPECT_EQ(t.ops(ir::OpId::kCopy)[2]->where.op, 6U);
    EXPECT_EQ(t.function->returned, std::vector<int>{2});
}

TEST(TraceKernels, GemmErrorsNameBothSides)
{
    const auto inner = traceLaunch("A: T.Tensor((8,), 'float16')", R"(a = T.alloc_shared((64, 32), 'float16')
b = T.alloc_shared((64, 64), 'float16')
c = T.alloc_fragment((64, 64), 'float32')
T.gemm(a, b, c))");
    EXPECT_NE(inner.firstError().find("inner"), std::string::npos) << inner.firstError();
    EXPECT_NE(inner.firstError().find("32"), std::string::npos);
    const auto types = traceLaunch("A: T.Tensor((8,), 'float16')", R"(a = T.alloc_shared((64, 32), 'float16')
b = T.alloc_shared((32, 64), 'bfloat16')
c = T.alloc_fragment((64, 64), 'float32')
T.gemm(a, b, c))");
    EXPECT_NE(types.firstError().find("a is float16 and b is bfloat16"), std::string::npos) << types.firstError();
}

// Each wish that the language accepts and that nothing acts on is said once, at the wish, and changes nothing else.
TEST(TraceKernels, HintsWithoutEffectAreWarnings)
{
    const auto kernel = [](const std::string& loop, const std::string& gemm, const std::string& reduce) {
        return traceLaunch("A: T.Tensor((64, 64), 'float16'), R: T.Tensor((64,), 'float32')", R"(a = T.alloc_shared((64, 64), 'float16')
c = T.alloc_fragment((64, 64), 'float32')
r = T.alloc_fragment((64,), 'float32')
T.clear(c)
for k in T.Pipelined(4, num_stages=2)" + loop + R"():
    T.copy(A, a)
    T.gemm(a, a, c)" + gemm + R"()
T.reduce_sum(c, r, dim=1)" + reduce + R"()
T.copy(r, R))");
    };
    const auto plain = kernel("", "", "");
    ASSERT_TRUE(plain.diagnostics.empty()) << plain.diagnostics[0].message;
    struct Case {
        const char *loop, *gemm, *reduce, *message;
    };
    for (const Case& c : {Case{", sync=[0]", "", "", "sync of T.Pipelined has no effect: where threads wait follows from what the statements read and write"},
                          Case{"", ", wg_wait=1", "", "wg_wait of T.gemm has no effect: the product is complete when it returns; T.wgmma_gemm and T.wait_wgmma leave products running"},
                          Case{"", ", annotations={'fast': 1}", "", "the annotation \"fast\" of T.gemm has no effect: it has no such option"},
                          Case{"", "", ", annotations={'enable_fadd2': False}", "the annotation \"enable_fadd2\" of T.reduce_sum has no effect: it has no such option"}}) {
        const auto hinted = kernel(c.loop, c.gemm, c.reduce);
        ASSERT_EQ(hinted.diagnostics.size(), 1U) << c.message;
        EXPECT_EQ(hinted.diagnostics[0].severity, Severity::kWarning);
        EXPECT_EQ(hinted.diagnostics[0].message, c.message);
        ASSERT_TRUE(hinted.function);
        EXPECT_TRUE(ir::equal(*hinted.function, *plain.function));
    }
    EXPECT_TRUE(kernel(", sync=[]", ", wg_wait=0", ", annotations={'ws_id': 'sum'}").diagnostics.empty());
    EXPECT_EQ(kernel("", ", wg_wait=-1", "").ops(ir::OpId::kWgmmaGemm).size(), 1U);
}

TEST(TraceKernels, BuffersBeginAtTheirFirstElement)
{
    const auto view = [](const std::string& offset) {
        return traceLaunch("A: T.Tensor((64,), 'float32')", "b = T.decl_buffer((32,), 'float32', data=A.data, elem_offset=" + offset + ")\nT.clear(b)");
    };
    EXPECT_EQ(view("0").firstError(), "");
    EXPECT_EQ(view("32").firstError(), "not supported: elem_offset of T.decl_buffer; index the buffer from there on");
}

TEST(TraceKernels, StagingIfLeavesNoBranch)
{
    const std::string file = R"(import tilelang
import tilelang.language as T

@tilelang.jit
def f(n=8, bias=False):
    @T.prim_func
    def main(X: T.Tensor((n,), 'float32')):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                if bias:
                    X[i] = X[i] + 1.0
                else:
                    X[i] = X[i] * 2.0
    return main
)";
    const auto with = traceFile(file, "f", {{"bias", "True"}}), without = traceFile(file, "f");
    EXPECT_TRUE(with.all<ir::If>().empty());
    EXPECT_NE(with.text(), without.text());
}

TEST(TraceKernels, NamesEndWithTheirConstruct)
{
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", "for i in T.serial(8):\n    y = X[i]\nX[0] = y");
    EXPECT_EQ(t.errors(), 1);
    EXPECT_NE(t.firstError().find("y"), std::string::npos) << t.firstError();
    EXPECT_EQ(t.errorLine(), 9);
}

TEST(TraceKernels, MacroReferencesStoreThrough)
{
    const auto t = traceFile(R"(import tilelang
import tilelang.language as T

@T.macro
def bump(slot: T.Ref, by):
    slot += by

@T.prim_func
def main(X: T.Tensor((8,), 'int32')):
    with T.Kernel(1, threads=32):
        bump(X[3], 2)
)", "main");
    ASSERT_TRUE(t.function) << t.firstError();
    const auto stores = t.all<ir::Store>();
    ASSERT_EQ(stores.size(), 1U);
    EXPECT_EQ(ir::print(stores[0]->value), "X[3] + 2");
    EXPECT_EQ(ir::print(stores[0]->indices[0]), "3");
}

constexpr const char* kEager = R"(import tilelang
import tilelang.language as T

@tilelang.jit
def rowsum(A, bM: int = 4):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), 'float16')
    S = T.empty((M,), 'float32')
    with T.Kernel(T.ceildiv(M, bM), threads=128) as bx:
        a = T.alloc_fragment((bM, N), 'float16')
        s = T.alloc_fragment((bM,), 'float32')
        T.copy(A[bx * bM, 0], a)
        T.reduce_sum(a, s, dim=1)
        T.copy(s, S[bx * bM])
    return S
)";

TEST(TraceKernels, EagerConstsAndOutputs)
{
    const auto t = traceFile(kEager, "rowsum", {}, {{"M", "10"}, {"N", "32"}});
    ASSERT_TRUE(t.function) << t.firstError();
    EXPECT_TRUE(t.broken().empty());
    ASSERT_EQ(t.function->params.size(), 2U);
    EXPECT_EQ(t.function->params[1].name(), "S");
    EXPECT_EQ(t.function->returned, std::vector<int>{1});
    EXPECT_EQ(*ir::asInt(t.all<ir::Launch>()[0]->grid[0]), 3);
    const auto missing = traceFile(kEager, "rowsum");
    EXPECT_FALSE(missing.function);
    EXPECT_EQ(missing.missing, (std::vector<std::string>{"M", "N"}));
}

TEST(TraceKernels, OutputsHaveNamesOfTheirOwn)
{
    const std::string text = R"(import operator
import tilelang
import tilelang.language as T

@T.macro
def twice(X, f):
    Y = T.empty((4,), X.dtype)
    with T.Kernel(1, threads=32):
        for i in T.Parallel(4):
            Y[i] = f(X[i])
    return Y

@tilelang.jit
def pair(X):
    X: T.Tensor((4,), 'float32')
    A = twice(X, operator.neg)
    B = twice(A, lambda v: v + 1)
    return A, B

@tilelang.jit
def plain():
    outs = [T.empty((4,)), T.empty((4,))]
    with T.Kernel(1, threads=32):
        for i in T.Parallel(4):
            outs[0][i] = 1
            outs[1][i] = 2
    return tuple(outs)
)";
    const auto t = traceFile(text, "pair");
    ASSERT_TRUE(t.function) << t.firstError();
    ASSERT_EQ(t.function->params.size(), 3U);
    EXPECT_EQ(t.function->params[1].name(), "Y");
    EXPECT_EQ(t.function->params[2].name(), "Y_1");
    const auto stores = t.all<ir::Store>();
    ASSERT_EQ(stores.size(), 2U);
    EXPECT_EQ(ir::print(stores[0]->value), "-X[i]");
    EXPECT_EQ(ir::print(stores[1]->value), "Y[i] + 1.0");
    const auto nameless = traceFile(text, "plain");
    ASSERT_TRUE(nameless.function) << nameless.firstError();
    ASSERT_EQ(nameless.function->params.size(), 2U);
    EXPECT_EQ(nameless.function->params[0].name(), "out0");
    EXPECT_EQ(nameless.function->params[1].name(), "out1");
}

TEST(TraceKernels, SourcesBeforeTheLaunchesAreThoseOfEach)
{
    const auto t = tracePrim("X: T.Tensor((4,), 'float32')", R"(T.import_source('int f();')
T.import_source(None)
with T.Kernel(1, threads=32):
    X[0] = 1
with T.Kernel(1, threads=32):
    X[1] = 1
)");
    ASSERT_TRUE(t.function) << t.firstError();
    int imports = 0;
    for (const ir::OpStmt* op : t.all<ir::OpStmt>())
        imports += op->call.op == ir::OpId::kImportSource;
    EXPECT_EQ(imports, 2);
}

TEST(TraceKernels, EagerConstsFromTheCallsTensors)
{
    const auto t = traceFile(std::string(kEager) + "\nimport torch\nrowsum(torch.randn(12, 64, dtype=torch.float16))\n", "rowsum");
    ASSERT_TRUE(t.function) << t.firstError();
    EXPECT_EQ(*ir::asInt(t.all<ir::Launch>()[0]->grid[0]), 3);
}

TEST(TraceKernels, OnChipShapesAreConstant)
{
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", "row = T.alloc_shared((bx + 1,), 'float32')");
    EXPECT_NE(t.firstError().find("bx"), std::string::npos) << t.firstError();
    EXPECT_NE(t.firstError().find("constant"), std::string::npos) << t.firstError();
}

TEST(TraceKernels, WrongNamesSuggestTheNearest)
{
    EXPECT_NE(traceLaunch("X: T.Tensor((8,), 'float32')", "x = T.alloc_fragmnet((8,), 'float32')").firstError().find("alloc_fragment"), std::string::npos);
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", R"(a = T.alloc_shared((16, 16), 'float16')
c = T.alloc_fragment((16, 16), 'float32')
T.gemm(a, a, c, trans_B=True))");
    EXPECT_NE(t.firstError().find("transpose_B"), std::string::npos) << t.firstError();
    EXPECT_NE(traceLaunch("X: T.Tensor((8,), 'float32')", "T.tcgen05_gemm(X, X, X)").firstError().find("not supported"), std::string::npos);
}

TEST(TraceKernels, LaunchesAndWorkspaces)
{
    const auto t = tracePrim("X: T.Tensor((64,), 'float32'), Y: T.Tensor((64,), 'float32')", R"(W = T.alloc_global((64,), 'float32')
with T.Kernel(1, threads=64) as a:
    for i in T.Parallel(64):
        W[i] = X[i]
with T.Kernel(1, threads=64) as b:
    for i in T.Parallel(64):
        Y[i] = W[i])");
    ASSERT_TRUE(t.function) << t.firstError();
    EXPECT_TRUE(t.broken().empty());
    EXPECT_EQ(t.all<ir::Launch>().size(), 2U);
    EXPECT_EQ(t.all<ir::Allocate>()[0]->buffer->name, "W");
}

TEST(TraceKernels, WarpGroupsAreBranchesOnTheThread)
{
    const auto t = tracePrim("X: T.Tensor((64,), 'float32')", R"(with T.Kernel(1, threads=384):
    with T.ws(0):
        X[0] = 1.0
    with T.ws(1, 2):
        X[1] = 2.0)");
    ASSERT_EQ(t.all<ir::If>().size(), 2U) << t.firstError();
    EXPECT_EQ(ir::print(t.all<ir::If>()[0]->condition), "tx < 128");
    EXPECT_EQ(ir::print(t.all<ir::If>()[1]->condition), "tx >= 128");
}

TEST(TraceKernels, LayoutsAreMaps)
{
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", R"(s = T.alloc_shared((4, 8), 'float32')
T.annotate_layout({s: T.Layout((4, 8), lambda i, j: [i, j ^ i])}))");
    const auto marks = t.ops(ir::OpId::kAnnotateLayout);
    ASSERT_EQ(marks.size(), 1U) << t.firstError();
    const auto& map = std::get<Ref<const ir::LayoutMap>>(marks[0]->call.operands[1]);
    EXPECT_EQ(map->shape, (std::vector<std::int64_t>{4, 8}));
    EXPECT_EQ(ir::print(map->index[1]), "j ^ i");
}

TEST(TraceKernels, LargeSlicesAreTiles)
{
    const auto t = traceLaunch("X: T.Tensor((8, 256), 'float32')", "X[bx, :] = 0.0\nX[bx, 0:128] = X[bx + 4, 128:256]\nX[bx, 0:2] = 1.0");
    ASSERT_EQ(t.ops(ir::OpId::kFill).size(), 1U) << t.firstError();
    ASSERT_EQ(t.ops(ir::OpId::kCopy).size(), 1U);
    EXPECT_EQ(t.all<ir::Store>().size(), 2U);
    EXPECT_TRUE(t.broken().empty());
}

TEST(TraceKernels, FragmentsThatSayTheirThreadsOnly)
{
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", R"(s = T.alloc_fragment((8, 128), 'float32')
T.annotate_layout({s: T.Fragment((8, 128), forward_thread_fn=lambda i, j: (i // 2) * 32 + j % 32)}))");
    const auto marks = t.ops(ir::OpId::kAnnotateLayout);
    ASSERT_EQ(marks.size(), 1U) << t.firstError();
    const auto& map = std::get<Ref<const ir::LayoutMap>>(marks[0]->call.operands[1]);
    // bits 5 and 6 of j, then bit 0 of i
    EXPECT_EQ(ir::print(map->index[0]), "j // 32 % 2 + j // 64 % 2 * 2 + i % 2 * 4");
}

TEST(TraceKernels, ReductionsCheckAxisAndShape)
{
    const std::string start = "x = T.alloc_fragment((32, 64), 'float32')\ny = T.alloc_fragment((32,), 'float32')\n";
    EXPECT_NE(traceLaunch("X: T.Tensor((8,), 'float32')", start + "T.reduce_max(x, y, dim=2)").firstError().find("dim=2"), std::string::npos);
    EXPECT_NE(traceLaunch("X: T.Tensor((8,), 'float32')", start + "T.reduce_sum(x, y, dim=0)").firstError().find("(64,)"), std::string::npos);
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", start + "T.reduce_sum(x, y, dim=-1, clear=False)");
    ASSERT_EQ(t.ops(ir::OpId::kReduceSum).size(), 1U);
    const auto& attrs = t.ops(ir::OpId::kReduceSum)[0]->call.attrs;
    EXPECT_EQ(std::get<std::int64_t>(attrs.at("dim")), 1);
    EXPECT_FALSE(std::get<bool>(attrs.at("clear")));
}

}  // namespace
}  // namespace tw::staging::test
