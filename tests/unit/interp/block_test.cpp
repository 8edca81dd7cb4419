// Blocks that work together: clusters, grid barriers, flags, several launches.
#include "kernel.h"

namespace tw::interp {
namespace {

using ir::BinaryOp;
using ir::ForKind;
using ir::MemoryScope;
using ir::OpId;

ir::Expr rank() { return ir::call(ir::kInt32, {OpId::kBlockRank, {}, {}}); }

TEST(Blocks, clusterSendsToAnotherBlock)
{
    Kernel k;
    k.grid = {num(4)};
    k.cluster = {2, 1, 1};
    const ir::Buffer out = buffer("O", {4}, ir::kInt32);
    k.params = {out};
    const ir::Buffer mine = buffer("mine", {2}, ir::kInt32, MemoryScope::kShared);
    const ir::Buffer theirs = buffer("theirs", {2}, ir::kInt32, MemoryScope::kShared);
    const ir::Function f = k.function(
        {alloc(mine), alloc(theirs), op(OpId::kFill, {whole(mine), ir::add(ir::mul(k.bx, num(10)), num(1))}),
         op(OpId::kClusterSync, {}),
         op(OpId::kCopyCluster, {whole(mine), whole(theirs), ir::sub(num(1), rank())}), op(OpId::kClusterSync, {}),
         put(out, {k.bx}, at(theirs, {num(1)}))});
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {4});
    executeWell(f, args);
    const int want[] = {11, 1, 31, 21};
    for (int b = 0; b < 4; ++b)
        EXPECT_EQ(args.tensors["O"].intAt(b), want[b]);
}

TEST(Blocks, multicastComesFromTheLeader)
{
    Kernel k;
    k.grid = {num(2)};
    k.cluster = {2};
    const ir::Buffer in = buffer("I", {8}, ir::kInt32);
    const ir::Buffer out = buffer("O", {2, 2}, ir::kInt32);
    k.params = {in, out};
    const ir::Buffer s = buffer("s", {4}, ir::kInt32, MemoryScope::kShared);
    const ir::Var step = var("step");
    const ir::Function f = k.function(
        {alloc(s), loop(ForKind::kSerial, {{step, num(2)}},
                        ir::sequence({op(OpId::kCopyCluster, {tile(in, {ir::mul(step, num(4))}, {4}), whole(s)}, {{"cluster_mask", std::int64_t{3}}}),
                                      put(out, {k.bx, step}, at(s, {num(3)})), op(OpId::kClusterSync, {})}))});
    Arguments args;
    args.tensors["I"] = makeTensor(ir::kInt32, {8});
    args.tensors["O"] = makeTensor(ir::kInt32, {2, 2});
    for (int x = 0; x < 8; ++x)
        args.tensors["I"].setInt(x, 100 + x);
    executeWell(f, args);
    for (int b = 0; b < 2; ++b) {
        EXPECT_EQ(args.tensors["O"].intAt(b * 2), 103);
        EXPECT_EQ(args.tensors["O"].intAt(b * 2 + 1), 107);
    }
}

// Every block adds its neighbour's last value, round by round: only a grid-wide barrier makes that right.
TEST(Blocks, gridBarrier)
{
    constexpr int kBlocks = 6, kRounds = 5;
    Kernel k;
    k.grid = {num(kBlocks)};
    k.threads = {1, 1, 1};
    const ir::Buffer u = buffer("U", {2, kBlocks}, ir::kInt32);
    k.params = {u};
    const ir::Var r = var("r");
    const ir::Expr old = ir::floorMod(r, num(2));
    const ir::Expr next = ir::floorMod(ir::add(k.bx, num(1)), num(kBlocks));
    const ir::Function f = k.function({loop(
        ForKind::kSerial, {{r, num(kRounds)}},
        ir::sequence({put(u, {ir::sub(num(1), old), k.bx}, ir::add(at(u, {old, k.bx}), at(u, {old, next}))),
                      op(OpId::kSyncGrid, {})}))});
    Arguments args;
    args.tensors["U"] = makeTensor(ir::kInt32, {2, kBlocks});
    std::vector<std::int64_t> want(kBlocks);
    for (int b = 0; b < kBlocks; ++b) {
        want[static_cast<std::size_t>(b)] = b + 1;
        args.tensors["U"].setInt(b, b + 1);
    }
    for (int round = 0; round < kRounds; ++round) {
        const std::vector<std::int64_t> before = want;
        for (std::size_t b = 0; b < want.size(); ++b)
            want[b] = before[b] + before[(b + 1) % want.size()];
    }
    for (const bool reverse : {false, true}) {
        Arguments copy = args;
        RunOptions options;
        options.reverseBlocks = reverse;
        executeWell(f, copy, options);
        for (int b = 0; b < kBlocks; ++b)
            EXPECT_EQ(copy.tensors["U"].intAt(kRounds % 2 * kBlocks + b), want[static_cast<std::size_t>(b)]);
    }
}

// The first block waits for a flag that the last one sets; nobody setting it is a deadlock.
TEST(Blocks, spinOnFlag)
{
    Kernel k;
    k.grid = {num(3)};
    k.threads = {32, 1, 1};
    const ir::Buffer flag = buffer("F", {1}, ir::kInt32);
    const ir::Buffer out = buffer("O", {3}, ir::kInt32);
    k.params = {flag, out};
    const ir::Expr seen = ir::call(ir::kInt32, {OpId::kAtomicLoad, {tile(flag, {num(0)}, {1})}, {}});
    const ir::Stmt spin = std::make_shared<const ir::While>(ir::binary(BinaryOp::kEq, seen, num(0)), ir::sequence({}));
    const ir::Stmt wait = when(ir::binary(BinaryOp::kEq, k.bx, num(0)), spin);
    const ir::Stmt set = when(ir::binary(BinaryOp::kEq, k.bx, num(2)),
                              op(OpId::kAtomicStore, {tile(flag, {num(0)}, {1}), num(7)}));
    const ir::Stmt store = put(out, {k.bx}, at(flag, {num(0)}));
    Arguments args;
    args.tensors["F"] = makeTensor(ir::kInt32, {1});
    args.tensors["O"] = makeTensor(ir::kInt32, {3});
    Arguments second = args;
    executeWell(k.function({set, wait, store}), args);
    EXPECT_EQ(args.tensors["O"].intAt(0), 7);
    const Outcome outcome = execute(k.function({wait, store}), second);
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kDeadlock);
}

TEST(Blocks, twoLaunchesShareAWorkspace)
{
    const ir::Buffer in = buffer("I", {64}, ir::kFloat32);
    const ir::Buffer out = buffer("O", {64}, ir::kFloat32);
    const ir::Buffer work = buffer("W", {64}, ir::kFloat32);
    Kernel first;
    Kernel second;
    first.params = {in, out};
    const ir::Var i = var("i");
    const ir::Var j = var("j");
    ir::Function f = first.function({loop(ForKind::kParallel, {{i, num(64)}}, put(work, {i}, ir::binary(BinaryOp::kMul, at(in, {i}), ir::floatImm(2))))});
    const ir::Function g = second.function(
        {loop(ForKind::kParallel, {{j, num(64)}}, put(out, {j}, at(work, {ir::sub(num(63), j)})))});
    f.body = ir::sequence({alloc(work), f.body, g.body});
    Arguments args;
    args.tensors["I"] = makeTensor(ir::kFloat32, {64});
    args.tensors["O"] = makeTensor(ir::kFloat32, {64});
    for (int x = 0; x < 64; ++x)
        args.tensors["I"].setFloat(x, x);
    executeWell(f, args);
    for (int x = 0; x < 64; ++x)
        EXPECT_EQ(args.tensors["O"].floatAt(x), 2.0 * (63 - x));
}

TEST(Blocks, cancelsEndlessWork)
{
    Kernel k;
    k.threads = {32, 1, 1};
    const ir::Buffer v = buffer("v", {1}, ir::kInt32, MemoryScope::kVar);
    const ir::Expr value = at(v, {num(0)});
    const ir::Stmt turn = put(v, {num(0)}, ir::sub(num(1), value));
    const ir::Function f = k.function(
        {alloc(v), std::make_shared<const ir::While>(ir::binary(BinaryOp::kGe, value, num(0)), turn)});
    std::stop_source source;
    source.request_stop();
    Arguments args;
    DiagnosticSink sink;
    const RunResult result = run(f, args, {}, sink, source.get_token());
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(result.cancelled);
}

}  // namespace
}  // namespace tw::interp
