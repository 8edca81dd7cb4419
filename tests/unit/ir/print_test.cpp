#include "core/ir/print.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/ir/build_ir.h"

namespace tw::ir {
namespace {

using namespace test;

TEST(Print, MatmulIsAnOrdinaryFile)
{
    const DType half = kFloat16;
    const Buffer a = makeBuffer("A", {intImm(128), intImm(256)}, half);
    const Buffer b = makeBuffer("B", {intImm(256), intImm(128)}, half);
    const Buffer c = makeBuffer("C", {intImm(128), intImm(128)}, half);
    const Buffer as = makeBuffer("A_s", {intImm(64), intImm(32)}, half, MemoryScope::kShared);
    const Buffer bs = makeBuffer("B_s", {intImm(32), intImm(64)}, half, MemoryScope::kShared);
    const Buffer acc = makeBuffer("acc", {intImm(64), intImm(64)}, kFloat32, MemoryScope::kFragment);
    const Var bx = makeVar("bx"), by = makeVar("by"), k = makeVar("k"), i = makeVar("i"), j = makeVar("j");
    const auto times = [](const Var& v, int n) { return mul(v, intImm(n)); };
    const Region srcA{a, {times(by, 64), times(k, 32)}, {intImm(64), intImm(32)}};
    const Region srcB{b, {times(k, 32), times(bx, 64)}, {intImm(32), intImm(64)}};
    const Region dst{c, {times(by, 64), times(bx, 64)}, {intImm(64), intImm(64)}};
    const Provenance here{{0, 17, 21}, 3};
    const Stmt pipeline = loop(ForKind::kPipelined, {{k, intImm(8)}},
                               sequence({op(OpId::kCopy, {srcA, whole(as)}), op(OpId::kCopy, {srcB, whole(bs)}),
                                         op(OpId::kGemm, {whole(as), whole(bs), whole(acc)}, {{"transpose_B", true}}, here)}),
                               {{"num_stages", std::int64_t{3}}});
    const Expr element = load(acc, {i, j});
    const Stmt epilogue = loop(ForKind::kParallel, {{i, intImm(64)}, {j, intImm(64)}},
                               store(acc, {i, j}, binary(BinaryOp::kMax, element, floatImm(0.5))));
    const Stmt body = sequence({allocate(as), allocate(bs), allocate(acc), op(OpId::kClear, {whole(acc)}), pipeline, epilogue,
                                op(OpId::kCopy, {whole(acc), dst})});
    Function f = function({a, b, c}, launch({intImm(2), intImm(2)}, {bx, by}, body));
    f.passConfigs["tl.disable_tma_lower"] = true;
    const Printed printed = print(f);
    EXPECT_EQ(printed.text, R"(import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128, 256), "float16"), B: T.Tensor((256, 128), "float16"), C: T.Tensor((128, 128), "float16")):
    T.annotate_pass_configs({"tl.disable_tma_lower": True})
    with T.Kernel(2, 2, threads=128) as (bx, by):
        A_s = T.alloc_shared((64, 32), "float16")
        B_s = T.alloc_shared((32, 64), "float16")
        acc = T.alloc_fragment((64, 64), "float32")
        T.clear(acc)
        for k in T.Pipelined(8, num_stages=3):
            T.copy(A[by * 64:by * 64 + 64, k * 32:k * 32 + 32], A_s)
            T.copy(B[k * 32:k * 32 + 32, bx * 64:bx * 64 + 64], B_s)
            T.gemm(A_s, B_s, acc, transpose_B=True)
        for i, j in T.Parallel(64, 64):
            acc[i, j] = T.max(acc[i, j], 0.5)
        T.copy(acc, C[by * 64:by * 64 + 64, bx * 64:bx * 64 + 64])
)");
    ASSERT_EQ(printed.lines.size(), 19u);
    EXPECT_EQ(printed.lines[15].op, 3u);
    EXPECT_EQ(printed.lines[15].source.begin, 17u);
}

TEST(Print, SymbolsReturnsAndTargetMakeAFactory)
{
    const Var n = makeVar("N"), i = makeVar("i"), bx = makeVar("bx");
    const Buffer x = makeBuffer("X", {n}), y = makeBuffer("Y", {mul(n, intImm(2))});
    const Stmt nest = loop(ForKind::kParallel, {{i, intImm(32)}}, store(y, {i}, load(x, {i})));
    Function f = function({x, y}, launch({ceilDiv(n, intImm(32))}, {bx}, nest));
    f.symbols = {n};
    f.returned = {1};
    f.target = "cuda -arch=sm_80";
    EXPECT_EQ(print(f).text, R"(import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1], target="cuda -arch=sm_80")
def make_main():
    N = T.dynamic("N")

    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N * 2,), "float32")):
        with T.Kernel((N + 31) // 32, threads=128) as bx:
            for i in T.Parallel(32):
                Y[i] = X[i]

    return main
)");
}

TEST(Print, VariablesConditionsAndThreads)
{
    const Buffer x = makeBuffer("X", {intImm(8)});
    const Buffer v = makeBuffer("v", {intImm(1)}, kInt32, MemoryScope::kVar);
    const Var bx = makeVar("X"), t = makeVar("lambda"), k = makeVar("k");
    const std::array<Var, 3> threads{makeVar("tx"), makeVar("ty"), makeVar("tz")};
    const std::vector<Expr> zero{intImm(0)};
    const Expr value = load(v, zero);
    const Stmt count = store(v, zero, binary(BinaryOp::kAdd, value, intImm(1)));
    const Stmt branch = std::make_shared<If>(less(threads[0], intImm(4)), sequence({count, std::make_shared<Break>()}),
                                             std::make_shared<If>(less(value, intImm(9)), count, sequence({})));
    const Stmt body = sequence({
        allocate(v),
        store(v, zero, intImm(-3)),
        std::make_shared<Bind>(t, add(bx, intImm(1))),
        std::make_shared<Bind>(k, intImm(5)),
        std::make_shared<While>(less(value, t), branch),
        store(x, {k}, floatImm(std::nan(""))),
        std::make_shared<Return>(),
    });
    const Stmt all = std::make_shared<Launch>(std::vector<Expr>{intImm(4)}, std::vector<Var>{bx},
                                              std::array<std::int64_t, 3>{8, 4, 1}, threads, body);
    EXPECT_EQ(print(function({x}, all)).text, R"(import tilelang
import tilelang.language as T
import tw


@T.prim_func
def main(X: T.Tensor((8,), "float32")):
    with T.Kernel(4, threads=(8, 4, 1)) as X_1:
        v = T.alloc_var("int32", -3)
        lambda_1 = X_1 + 1
        k = tw.bind(5)
        while v < lambda_1:
            if T.get_thread_binding(0) < 4:
                v = v + 1
                break
            elif v < 9:
                v = v + 1
            else:
                pass
        X[k] = tw.bits("float32", 0x7fc00000)
        T.thread_return()
)");
}

TEST(Print, ExpressionsBindAsInPython)
{
    const Expr a = makeVar("a"), b = makeVar("b"), c = makeVar("c");
    const auto bin = [](BinaryOp op, const Expr& x, const Expr& y) { return binary(op, x, y); };
    EXPECT_EQ(print(bin(BinaryOp::kMul, add(a, b), c)), "(a + b) * c");
    EXPECT_EQ(print(sub(a, sub(b, c))), "a - (b - c)");
    EXPECT_EQ(print(sub(sub(a, b), c)), "a - b - c");
    EXPECT_EQ(print(unary(UnaryOp::kNegate, add(a, b))), "-(a + b)");
    const Expr both = bin(BinaryOp::kAnd, less(a, b), less(b, c));
    EXPECT_EQ(print(unary(UnaryOp::kNot, both)), "not (a < b and b < c)");
    EXPECT_EQ(print(bin(BinaryOp::kEq, less(a, b), less(b, c))), "(a < b) == (b < c)");
    EXPECT_EQ(print(bin(BinaryOp::kTruncDiv, a, intImm(-2))), "T.truncdiv(a, -2)");
    EXPECT_EQ(print(bin(BinaryOp::kShl, bin(BinaryOp::kBitOr, a, b), c)), "(a | b) << c");
    EXPECT_EQ(print(cast(kFloat16, a)), "T.cast(a, \"float16\")");
    EXPECT_EQ(print(call(kFloat32, OpCall{OpId::kExp, {Expr(makeVar("x", kFloat32))}, {}})), "T.exp(x)");
}

TEST(Print, ConstantsKeepTheirTypes)
{
    const Buffer x = makeBuffer("X", {intImm(8)}, kFloat16);
    const Buffer y = makeBuffer("Y", {intImm(8)}, kInt64);
    const Stmt body = sequence({store(x, {intImm(0)}, floatImm(0.1, kFloat16)), store(y, {intImm(1)}, intImm(7, kInt64)),
                                store(x, {intImm(2)}, floatImm(-HUGE_VAL, kFloat16))});
    const std::string text = print(function({x, y}, launch({intImm(1)}, {makeVar("b")}, body))).text;
    EXPECT_NE(text.find("X[0] = T.float16(0.1)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("Y[1] = T.int64(7)\n"), std::string::npos);
    EXPECT_NE(text.find("X[2] = -T.infinity(\"float16\")\n"), std::string::npos);
}

TEST(Print, OperationsWithSpellingsOfTheirOwn)
{
    const Buffer x = makeBuffer("X", {intImm(8), intImm(4)}, kFloat32);
    const Buffer s = makeBuffer("s", {intImm(8), intImm(4)}, kFloat32, MemoryScope::kShared);
    const Buffer row = makeBuffer("row", {intImm(4)}, kFloat32, MemoryScope::kShared);
    BufferNode node;
    node.name = "bar";
    node.dtype = kUInt64;
    node.shape = {intImm(2)};
    node.scope = MemoryScope::kBarrier;
    node.arrivals = {128, 1};
    const Buffer bar = std::make_shared<BufferNode>(node);
    const Region first{bar, {intImm(0)}, {intImm(1)}};
    const Region element{x, {intImm(1), intImm(2)}, {intImm(1), intImm(1)}};
    const Region column{x, {intImm(3), intImm(0)}, {intImm(1), intImm(4)}};
    auto map = std::make_shared<LayoutMap>();
    map->shape = {8, 4};
    map->vars = {makeVar("i"), makeVar("j")};
    map->index = {map->vars[1], map->vars[0]};
    const Stmt body = sequence({
        allocate(s),
        allocate(row),
        allocate(bar),
        op(OpId::kAnnotateLayout, {whole(s), Ref<const LayoutMap>(map)}),
        op(OpId::kTmaCopy, {whole(x), whole(s), first}),
        op(OpId::kBarrierWait, {first, intImm(0)}),
        op(OpId::kAtomicAdd, {element, Expr(floatImm(2))}, {{"memory_order", std::string("relaxed")}}),
        op(OpId::kCopy, {column, whole(row)}),
        op(OpId::kUseSwizzle, {}, {{"panel_size", std::int64_t{4}}, {"order", std::string("column")}}),
        op(OpId::kReduceMax, {whole(s), whole(row)}, {{"dim", std::int64_t{0}}}),
        op(OpId::kSyncThreads, {Expr{}, intImm(64)}),
    });
    const std::string text = print(function({x}, launch({intImm(1)}, {makeVar("b")}, body))).text;
    const std::string expected = R"(        bar = T.alloc_barrier([128, 1])
        T.annotate_layout({s: T.Layout((8, 4), lambda i, j: [j, i])})
        T.tma_copy(X, s, barrier=bar[0])
        T.barrier_wait(bar[0], 0)
        T.atomic_add(X[1, 2], T.float32(2.0), memory_order="relaxed")
        T.copy(X[3, 0:4], row)
        T.use_swizzle(4, order="column")
        T.reduce_max(s, row, dim=0)
        T.sync_threads(arrive_count=64)
)";
    EXPECT_NE(text.find(expected), std::string::npos) << text;
}

}  // namespace
}  // namespace tw::ir
