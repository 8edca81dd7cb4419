// Each mistake is found once, at its statement; its nearest legal neighbour is left alone.
#include "core/analysis/check.h"

#include <gtest/gtest.h>

#include "tests/unit/ir/build_ir.h"

namespace tw::analysis {
namespace {

using namespace ir;
using namespace ir::test;

struct CheckTest : testing::Test {
    Var bx = makeVar("bx"), tx = makeVar("tx"), i = makeVar("i"), j = makeVar("j"), k = makeVar("k");
    Buffer x = makeBuffer("X", {intImm(64), intImm(64)});
    Buffer y = makeBuffer("Y", {intImm(64), intImm(64)});
    std::string target;

    std::vector<Diagnostic> run(Stmt body, std::int64_t threads = 128, const char* targetName = "sm_90a")
    {
        const std::array<Var, 3> threadVars{tx, makeVar("ty"), makeVar("tz")};
        const Stmt all = std::make_shared<Launch>(std::vector<Expr>{intImm(4)}, std::vector<Var>{bx},
                                                  std::array<std::int64_t, 3>{threads, 1, 1}, threadVars, std::move(body),
                                                  Provenance{{0, 1, 2}, 0});
        Function f = function({x, y}, all);
        f.target = target;
        DiagnosticSink sink;
        check(f, *target::parse(targetName), sink);
        return sink.all();
    }

    std::string first(Stmt body, std::int64_t threads = 128, const char* targetName = "sm_90a")
    {
        const auto found = run(std::move(body), threads, targetName);
        EXPECT_LE(found.size(), 1u);
        return found.empty() ? "" : found.front().message;
    }

    static Buffer onChip(const char* name, std::vector<Expr> shape, MemoryScope scope = MemoryScope::kShared, DType type = kFloat32)
    {
        return makeBuffer(name, std::move(shape), type, scope);
    }
    Stmt nest(Stmt body) { return loop(ForKind::kParallel, {{i, intImm(64)}, {j, intImm(64)}}, std::move(body)); }
    static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
};

TEST_F(CheckTest, TileOperationsInParallelLoops)
{
    const Buffer s = onChip("s", {intImm(64), intImm(64)});
    const Stmt copy = op(OpId::kCopy, {whole(x), whole(s)});
    EXPECT_EQ(first(sequence({allocate(s), copy})), "");
    EXPECT_TRUE(has(first(sequence({allocate(s), nest(copy)})), "T.copy works on whole tiles"));
    EXPECT_TRUE(has(first(nest(op(OpId::kSyncThreads, {}))), "T.sync_threads cannot stand inside T.Parallel"));
    const Stmt pipelined = loop(ForKind::kPipelined, {{k, intImm(4)}}, store(y, {i, j}, floatImm(0)));
    EXPECT_TRUE(has(first(nest(pipelined)), "T.Pipelined cannot stand inside T.Parallel"));
}

TEST_F(CheckTest, PrivateArrays)
{
    const Buffer mine = onChip("mine", {intImm(64)}, MemoryScope::kLocal);
    const Stmt use = store(mine, {i}, floatImm(0));
    EXPECT_TRUE(has(first(sequence({allocate(mine), nest(use)})), "mine is local, private to each thread"));
    EXPECT_EQ(first(sequence({allocate(mine), loop(ForKind::kSerial, {{i, intImm(64)}}, use)})), "");
}

TEST_F(CheckTest, FragmentsIndexedTwice)
{
    const Buffer f = onChip("f", {intImm(64), intImm(64)}, MemoryScope::kFragment);
    const Stmt fill = op(OpId::kClear, {whole(f)});
    const auto sum = [&](const std::vector<Expr>& a, const std::vector<Expr>& b) {
        return sequence({allocate(f), fill, nest(store(y, {i, j}, binary(BinaryOp::kAdd, load(f, a), load(f, b))))});
    };
    EXPECT_EQ(first(sum({i, j}, {i, j})), "");
    EXPECT_TRUE(has(first(sum({i, j}, {j, i})), "the fragment f is indexed as f[j, i] and as f[i, j]"));
}

TEST_F(CheckTest, Threads)
{
    const Stmt body = nest(store(y, {i, j}, floatImm(0)));
    EXPECT_EQ(first(body, 1024), "");
    EXPECT_EQ(first(body, 2048), "a block of 2048 threads is too large; at most 1024 are possible");
}

TEST_F(CheckTest, DivergentBarriers)
{
    const Stmt sync = op(OpId::kSyncThreads, {});
    const auto guarded = [&](Expr condition, Stmt otherwise = {}) {
        return std::make_shared<If>(std::move(condition), sync, std::move(otherwise));
    };
    EXPECT_TRUE(has(first(guarded(less(tx, intImm(64)))), "only 64 of 128 threads can reach it"));
    EXPECT_EQ(first(guarded(less(tx, intImm(128)))), "");
    EXPECT_EQ(first(guarded(less(bx, intImm(2)))), "");
    EXPECT_EQ(first(guarded(less(tx, intImm(64)), sync)), "");
    EXPECT_TRUE(has(first(std::make_shared<For>(ForKind::kSerial, std::vector<Axis>{{k, intImm(0), tx, intImm(1)}}, sync)),
                    "a different number of times"));
    const Stmt grid = std::make_shared<If>(less(tx, intImm(32)), op(OpId::kSyncGrid, {}));  // pitfall 34
    EXPECT_TRUE(has(first(grid), "only 32 of 128 threads can reach it"));
}

TEST_F(CheckTest, Capacity)
{
    const auto use = [&](int rows) {
        const Buffer a = onChip("a", {intImm(rows), intImm(256)}), b = onChip("b", {intImm(rows), intImm(256)});
        return sequence({allocate(a), allocate(b), op(OpId::kClear, {whole(a)}), op(OpId::kCopy, {whole(a), whole(b)})});
    };
    EXPECT_EQ(first(use(64)), "");
    const std::string message = first(use(128));
    EXPECT_TRUE(has(message, "in use at one time is 262144 bytes, but a block of sm_90a has 232448")) << message;
    EXPECT_TRUE(has(first(use(64), 128, "sm_75"), "not supported: "));
    target = "cuda -arch=sm_75";
    EXPECT_FALSE(has(first(use(64), 128, "sm_75"), "not supported: "));
}

TEST_F(CheckTest, TilesOfThreads)
{
    const auto use = [&](int rows) {
        const Buffer tile = onChip("tile", {intImm(rows), intImm(1024)}, MemoryScope::kFragment);
        return sequence({allocate(tile), op(OpId::kClear, {whole(tile)})});
    };
    EXPECT_EQ(first(use(1024), 32), "");  // 4 bytes × 2^20 / 32 threads = 128 KiB
    EXPECT_EQ(first(use(4096), 32), "not supported: tile has 4194304 elements; a fragment on a GPU has 1048576 at most");
    EXPECT_EQ(first(use(4097), 32), "not supported: tile takes 524416 bytes of each of 32 threads, which have 524288 for such tiles: registers and local memory");
}

TEST_F(CheckTest, BuffersOneAfterTheOtherShareMemory)
{
    std::vector<Stmt> stmts;
    for (const char* name : {"a", "b"}) {
        const Buffer s = onChip(name, {intImm(128), intImm(256)});
        stmts.push_back(allocate(s));
        stmts.push_back(op(OpId::kClear, {whole(s)}));
    }
    EXPECT_EQ(first(sequence(stmts)), "");
}

TEST_F(CheckTest, Indices)
{
    const Buffer s = onChip("s", {intImm(8)});
    const auto reading = [&](Expr index) {
        return sequence({allocate(s), op(OpId::kClear, {whole(s)}), store(y, {intImm(0), intImm(0)}, load(s, {std::move(index)}))});
    };
    EXPECT_EQ(first(reading(intImm(7))), "");
    EXPECT_EQ(first(reading(intImm(8))), "index 8 is outside of s, which has 8 elements (0 to 7)");
    EXPECT_EQ(first(op(OpId::kClear, {Region{x, {intImm(32), intImm(0)}, {intImm(64), intImm(64)}}})),
              "32 to 96 is outside of axis 0 of X, which has 64 elements (0 to 63)");
    const Stmt shifted = loop(ForKind::kSerial, {{k, intImm(8)}}, store(s, {add(k, intImm(1))}, floatImm(0)));
    EXPECT_TRUE(has(first(sequence({allocate(s), shifted})), "index k + 1, which reaches 8, is outside of s"));
    const Stmt guarded = loop(ForKind::kSerial, {{k, intImm(8)}},
                              std::make_shared<If>(less(k, intImm(7)), store(s, {add(k, intImm(1))}, floatImm(0))));
    EXPECT_EQ(first(sequence({allocate(s), guarded})), "");
}

TEST_F(CheckTest, Initialization)
{
    const Buffer acc = onChip("acc", {intImm(64), intImm(64)}, MemoryScope::kFragment);
    const Stmt update = nest(store(acc, {i, j}, binary(BinaryOp::kAdd, load(acc, {i, j}), load(x, {i, j}))));
    const Stmt out = op(OpId::kCopy, {whole(acc), whole(y)});
    EXPECT_TRUE(has(first(sequence({allocate(acc), update, out})), "acc is read before anything is written to it"));
    EXPECT_EQ(first(sequence({allocate(acc), op(OpId::kClear, {whole(acc)}), update, out})), "");
    const Stmt later = loop(ForKind::kSerial, {{k, intImm(4)}},
                            sequence({std::make_shared<If>(less(intImm(0), k), out), op(OpId::kClear, {whole(acc)})}));
    EXPECT_EQ(first(sequence({allocate(acc), later})), "");
}

// Memory of the function's own: other blocks may write it, so only what nobody writes is certain.
TEST_F(CheckTest, WorkspacesNobodyWrites)
{
    const Buffer w = onChip("w", {intImm(64), intImm(64)}, MemoryScope::kGlobal);
    const Stmt read = op(OpId::kCopy, {whole(w), whole(y)});
    EXPECT_TRUE(has(first(sequence({allocate(w), read})), "w is read before anything is written to it"));
    EXPECT_EQ(first(sequence({allocate(w), read, op(OpId::kClear, {whole(w)})})), "");
    EXPECT_EQ(first(op(OpId::kCopy, {whole(x), whole(y)})), "");
}

TEST_F(CheckTest, AccumulatorOfAProduct)
{
    const Buffer a = onChip("a", {intImm(64), intImm(64)}, MemoryScope::kShared, kFloat16);
    const Buffer acc = onChip("acc", {intImm(64), intImm(64)}, MemoryScope::kFragment);
    const auto product = [&](Operand clear) {
        return sequence({allocate(a), allocate(acc), op(OpId::kClear, {whole(a)}),
                         loop(ForKind::kSerial, {{k, intImm(2)}}, op(OpId::kGemm, {whole(a), whole(a), whole(acc), std::move(clear)}))});
    };
    EXPECT_TRUE(has(first(product(Expr{})), "acc is read before anything is written to it"));
    EXPECT_EQ(first(product(boolImm(true))), "");
    EXPECT_EQ(first(product(binary(BinaryOp::kEq, k, intImm(0)))), "");
}

TEST_F(CheckTest, Races)
{
    const Buffer s = onChip("s", {intImm(64)});
    const Stmt clear = op(OpId::kClear, {whole(s)});
    const auto storing = [&](Expr index, Expr value) {
        return sequence({allocate(s), clear, nest(store(s, {std::move(index)}, std::move(value)))});
    };
    const Expr sum = binary(BinaryOp::kAdd, load(s, {i}), load(x, {i, j}));
    EXPECT_TRUE(has(first(storing(i, sum)), "the iterations of j of T.Parallel update s[i] at the same time"));
    EXPECT_EQ(first(storing(i, floatImm(1))), "");
    const auto possible = run(storing(i, load(x, {i, j})));
    ASSERT_EQ(possible.size(), 1u);
    EXPECT_EQ(possible[0].severity, Severity::kWarning);
    const Stmt guarded = nest(std::make_shared<If>(binary(BinaryOp::kEq, j, intImm(0)), store(s, {i}, sum)));
    EXPECT_EQ(first(sequence({allocate(s), clear, guarded})), "");
    const Expr half = floorDiv(i, intImm(2));
    const Stmt folded = loop(ForKind::kParallel, {{i, intImm(64)}},
                             store(s, {half}, binary(BinaryOp::kAdd, load(s, {half}), floatImm(1))));
    EXPECT_TRUE(has(first(sequence({allocate(s), clear, folded})), "several iterations"));
}

TEST_F(CheckTest, WarpPartitions)
{
    const auto product = [&](int m, int n, OpId id) {
        const Buffer a = onChip("a", {intImm(m), intImm(64)}, MemoryScope::kShared, kFloat16);
        const Buffer b = onChip("b", {intImm(64), intImm(n)}, MemoryScope::kShared, kFloat16);
        const Buffer c = onChip("c", {intImm(m), intImm(n)}, MemoryScope::kFragment);
        return sequence({allocate(a), allocate(b), allocate(c), op(OpId::kClear, {whole(a)}), op(OpId::kClear, {whole(b)}),
                         op(id, {whole(a), whole(b), whole(c), boolImm(true)})});
    };
    EXPECT_EQ(first(product(64, 64, OpId::kGemm)), "");
    EXPECT_EQ(first(product(64, 64, OpId::kGemm), 100), "T.gemm needs whole warps, but 100 threads are no multiple of 32");
    EXPECT_TRUE(has(first(product(16, 8, OpId::kGemm)), "no partition of the 16x8 result of T.gemm among 4 warps"));
    EXPECT_EQ(first(product(64, 64, OpId::kWgmmaGemm)), "");
    EXPECT_TRUE(has(first(product(32, 64, OpId::kWgmmaGemm)), "at least 64 rows for each warp group, but this tile has M = 32"));
    const Stmt half = std::make_shared<If>(less(tx, intImm(32)), product(16, 8, OpId::kGemm));
    EXPECT_EQ(first(half), "");
}

// Only what is read has to be waited for, and any wait that could be meant is believed.
TEST_F(CheckTest, AsynchronousWorkIsWaitedFor)
{
    const Buffer s = onChip("s", {intImm(64), intImm(64)}), c = onChip("c", {intImm(64), intImm(64)}, MemoryScope::kFragment);
    const Buffer bar = onChip("bar", {intImm(1)}, MemoryScope::kBarrier, kUInt64);
    const Region first0{bar, {intImm(0)}, {intImm(1)}};
    const Stmt load = op(OpId::kTmaCopy, {whole(x), whole(s), first0}), wait = op(OpId::kBarrierWait, {first0, intImm(0)});
    const Stmt read = store(y, {intImm(0), intImm(0)}, ir::test::load(s, {intImm(0), intImm(0)}));
    const auto with = [&](std::vector<Stmt> stmts) {
        stmts.insert(stmts.begin(), {allocate(s), allocate(bar)});
        return first(sequence(std::move(stmts)));
    };
    EXPECT_EQ(with({load, wait, read}), "");
    EXPECT_EQ(with({load}), "");
    EXPECT_TRUE(has(with({load, read}), "s is read although nothing waits for this T.tma_copy"));
    EXPECT_TRUE(has(with({load, op(OpId::kWaitGroup, {intImm(0)}), read}), "T.barrier_wait(bar, parity)"));

    const Stmt copy = op(OpId::kAsyncCopy, {whole(x), whole(s)});
    EXPECT_TRUE(has(with({copy, read}), "T.ptx_wait_group(0) has to stand before"));
    EXPECT_EQ(with({copy, op(OpId::kWaitGroup, {intImm(0)}), read}), "");

    const Buffer a = onChip("a", {intImm(64), intImm(64)}, MemoryScope::kShared, kFloat16);
    const Stmt product = sequence({allocate(a), op(OpId::kFill, {whole(a), floatImm(0)}), op(OpId::kWgmmaGemm, {whole(a), whole(a), whole(c), boolImm(true)})});
    const Stmt readC = store(y, {intImm(0), intImm(0)}, ir::test::load(c, {intImm(0), intImm(0)}));
    EXPECT_TRUE(has(with({allocate(c), product, readC}), "T.wait_wgmma(0) has to stand before"));
    EXPECT_EQ(with({allocate(c), product, op(OpId::kWaitWgmma, {intImm(0)}), readC}), "");
}

TEST_F(CheckTest, RowsOfBulkCopies)
{
    const Buffer bar = onChip("bar", {intImm(1)}, MemoryScope::kBarrier, kUInt64);
    const Region first0{bar, {intImm(0)}, {intImm(1)}};
    const auto load = [&](std::int64_t columns) {
        const Buffer s = onChip("s", {intImm(64), intImm(columns)});
        const Region part{x, {intImm(0), intImm(0)}, {intImm(64), intImm(columns)}};
        return first(sequence({allocate(s), allocate(bar), op(OpId::kTmaCopy, {part, whole(s), first0})}));
    };
    EXPECT_EQ(load(20), "");
    EXPECT_TRUE(has(load(10), "a row of s is 10 x float32 = 40 bytes; make it a multiple of 4 elements"));
}

TEST_F(CheckTest, ThreadIndices)
{
    const Buffer s = onChip("s", {intImm(64)});
    const Stmt write = store(s, {tx}, floatImm(0));
    EXPECT_EQ(first(sequence({allocate(s), write}), 64), "");
    EXPECT_TRUE(has(first(sequence({allocate(s), write})), "index tx, which reaches 127, is outside of s, which has 64 elements"));
    EXPECT_EQ(first(sequence({allocate(s), std::make_shared<If>(less(tx, intImm(64)), write)})), "");
}

TEST_F(CheckTest, Reducers)
{
    BufferNode node = *onChip("acc", {intImm(64)}, MemoryScope::kReducer);
    node.reducer = "sum";
    const Buffer acc = std::make_shared<BufferNode>(node);
    const Stmt init = op(OpId::kReducerInit, {whole(acc)}), finalize = op(OpId::kFinalizeReducer, {whole(acc)});
    const Stmt update = nest(op(OpId::kReducerUpdate, {Region{acc, {i}, {intImm(1)}}, load(x, {i, j})}));
    EXPECT_EQ(first(sequence({allocate(acc), init, update, finalize})), "");
    EXPECT_TRUE(has(first(sequence({allocate(acc), update, finalize})), "the reducer acc is used before T.reducer_init"));
    EXPECT_TRUE(has(first(sequence({allocate(acc), init, update})), "no T.finalize_reducer(acc, …) ends it"));
}

TEST_F(CheckTest, Pipelines)
{
    const Buffer s = onChip("s", {intImm(64), intImm(64)}), t = onChip("t", {intImm(64), intImm(64)});
    const auto pipeline = [&](const Buffer& second, Attrs attrs) {
        return sequence({allocate(s), allocate(t),
                         loop(ForKind::kPipelined, {{k, intImm(4)}},
                              sequence({op(OpId::kCopy, {whole(x), whole(s)}), op(OpId::kCopy, {whole(x), whole(second)}),
                                        op(OpId::kCopy, {whole(s), whole(y)})}),
                              std::move(attrs))});
    };
    const auto schedule = [](std::vector<std::int64_t> order, std::vector<std::int64_t> stage) {
        return Attrs{{"order", std::move(order)}, {"stage", std::move(stage)}};
    };
    EXPECT_EQ(first(pipeline(t, {{"num_stages", std::int64_t{2}}})), "");
    EXPECT_TRUE(has(first(pipeline(s, {{"num_stages", std::int64_t{2}}})), "two copies of one pipelined iteration"));
    EXPECT_EQ(first(pipeline(t, schedule({0, 1, 2}, {0, 0, 1}))), "");
    EXPECT_TRUE(has(first(pipeline(t, schedule({0, 1}, {0, 0}))), "have 2 entries, but the body of this loop has 3 statements"));
    EXPECT_TRUE(has(first(pipeline(t, schedule({0, 1, 1}, {0, 0, 1}))), "a position of its own"));
    EXPECT_TRUE(has(first(pipeline(t, schedule({0, 1, 2}, {1, 0, 0}))), "statement 2 reads s in stage 0"));
}

TEST_F(CheckTest, Layouts)
{
    const Buffer s = onChip("s", {intImm(32), intImm(32)});
    const auto annotated = [&](bool folding) {
        auto map = std::make_shared<LayoutMap>();
        map->shape = {32, 32};
        map->vars = {makeVar("p"), makeVar("q")};
        const Expr column = map->vars[1];
        map->index = {map->vars[0], folding ? floorDiv(column, intImm(2)) : binary(BinaryOp::kBitXor, column, map->vars[0])};
        return sequence({allocate(s), op(OpId::kAnnotateLayout, {whole(s), Ref<const LayoutMap>(map)})});
    };
    EXPECT_EQ(first(annotated(false)), "");
    EXPECT_TRUE(has(first(annotated(true)), "the layout of s is not injective: elements (0, 0) and (0, 1) share the place (0, 0)"));
}

TEST_F(CheckTest, WideAccessesByHand)
{
    const auto wide = [&](Expr column, OpId id = OpId::kLdg) {
        const Region four{x, {intImm(0), std::move(column)}, {intImm(1), intImm(4)}};
        return std::make_shared<Bind>(makeVar("w", kUInt32.withLanes(4)), call(kUInt32.withLanes(4), {id, {four}, {{"bits", Attr(std::int64_t{128})}}}));
    };
    EXPECT_EQ(first(wide(mul(tx, intImm(4)), OpId::kLdg), 16), "");
    EXPECT_TRUE(has(first(wide(intImm(2))), "T.ldg128 at X[0, 2] moves 16 bytes at once")) << first(wide(intImm(2)));
    EXPECT_TRUE(has(first(wide(mul(tx, intImm(2))), 16), "does not for tx = 1;"));
    EXPECT_TRUE(has(first(wide(add(mul(tx, intImm(4)), intImm(1))), 16), "does not;"));
    // Only one thread, or a condition that may leave the even ones; what only running can tell.
    EXPECT_EQ(first(wide(mul(tx, intImm(2))), 1), "");
    const Expr even = binary(BinaryOp::kEq, floorMod(tx, intImm(2)), intImm(0));
    EXPECT_EQ(first(std::make_shared<If>(even, wide(mul(tx, intImm(2)))), 16), "");
    EXPECT_EQ(first(wide(cast(kInt32, load(y, {intImm(0), intImm(0)})))), "");
    // Every other iteration; a step that keeps to multiples.
    EXPECT_TRUE(has(first(loop(ForKind::kSerial, {{k, intImm(8)}}, wide(mul(k, intImm(2))))), "for k = 1"));
    EXPECT_EQ(first(loop(ForKind::kSerial, {{k, intImm(8)}}, wide(mul(k, intImm(8))))), "");
}

TEST_F(CheckTest, WishesThatAreNotGrantedAreSaid)
{
    const Buffer s = onChip("s", {intImm(64), intImm(64)});
    const auto copy = [&](Attrs attrs, OpId id = OpId::kCopy) { return sequence({allocate(s), op(id, {whole(x), whole(s)}, std::move(attrs))}); };
    const auto found = run(copy({{"eviction_policy", Attr(std::string("evict_first"))}}));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].severity, Severity::kWarning);
    EXPECT_TRUE(has(found[0].message, "eviction_policy has no effect"));
    EXPECT_EQ(first(copy({{"coalesced_width", Attr(std::int64_t{4})}})), "");
    EXPECT_EQ(run(copy({{"eviction_policy", Attr(std::string("evict_first"))}}), 128, "cpu").size(), 0u);
    const auto ordered = [&](std::vector<std::int64_t> order) {
        const Stmt two = sequence({store(y, {intImm(0), k}, floatImm(0)), store(y, {intImm(1), k}, floatImm(0))});
        return loop(ForKind::kPipelined, {{k, intImm(4)}}, two, {{"order", std::move(order)}, {"stage", std::vector<std::int64_t>{0, 0}}});
    };
    EXPECT_EQ(first(ordered({0, 1})), "");
    EXPECT_TRUE(has(first(ordered({1, 0})), "order has no effect"));
    EXPECT_TRUE(has(first(loop(ForKind::kSerial, {{k, intImm(4)}}, store(y, {intImm(0), k}, floatImm(0)), {{"unknown", Attr(true)}})),
                    "the annotation \"unknown\" of this loop has no effect"));
}

TEST_F(CheckTest, BarriersOfOlderGpus)
{
    BufferNode node;
    node.name = "bars";
    node.dtype = kUInt64;
    node.shape = {intImm(2)};
    node.scope = MemoryScope::kBarrier;
    node.arrivals = {128, 128};
    const Buffer bars = std::make_shared<BufferNode>(node);
    const Region one{bars, {intImm(0)}, {intImm(1)}};
    const Stmt meet = sequence({allocate(bars), op(OpId::kBarrierArrive, {one}), op(OpId::kBarrierWait, {one, intImm(0)})});
    for (const char* name : {"sm_80", "sm_86", "sm_89", "sm_90a"})
        EXPECT_EQ(first(meet, 128, name), "") << name;
    EXPECT_TRUE(has(first(meet, 128, "sm_75"), "not supported: T.alloc_barrier needs sm_80 or later"));
    const Stmt bytes = sequence({allocate(bars), op(OpId::kBarrierArriveExpectTx, {one, intImm(64)})});
    EXPECT_EQ(first(bytes), "");
    EXPECT_TRUE(has(first(bytes, 128, "sm_80"), "not supported: T.mbarrier_arrive_expect_tx needs sm_90 or later"));
    const Stmt remote = sequence({allocate(bars), op(OpId::kBarrierArrive, {one, intImm(1)})});
    EXPECT_TRUE(has(first(remote, 128, "sm_89"), "needs sm_90 or later"));
}

TEST_F(CheckTest, FeaturesAndTypes)
{
    const Buffer bytes = onChip("bytes", {intImm(64)}, MemoryScope::kShared, kInt8);
    const Region element{bytes, {intImm(0)}, {intImm(1)}};
    EXPECT_TRUE(has(first(sequence({allocate(bytes), op(OpId::kClear, {whole(bytes)}),
                                    op(OpId::kAtomicAdd, {element, intImm(1, kInt8)})})),
                    "T.atomic_add does not support int8"));
    const Buffer s = onChip("s", {intImm(64), intImm(64)});
    const Stmt bulk = sequence({allocate(s), op(OpId::kTmaCopy, {whole(x), whole(s)})});
    EXPECT_TRUE(has(first(bulk), "T.tma_copy into s has no barrier"));
    EXPECT_TRUE(has(first(op(OpId::kFenceProxyAsync, {}), 128, "sm_80"), "not supported: T.fence_proxy_async needs sm_90"));
}

}  // namespace
}  // namespace tw::analysis
