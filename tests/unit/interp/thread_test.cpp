// Threads, warps, barriers, divergence.
#include "kernel.h"

namespace tw::interp {
namespace {

using ir::BinaryOp;
using ir::ForKind;
using ir::MemoryScope;
using ir::OpId;

ir::Expr callOf(OpId id, std::vector<ir::Operand> operands, ir::DType type)
{
    return ir::call(type, {id, std::move(operands), {}});
}

TEST(Threads, shufflesAndVotes)
{
    Kernel k;
    k.threads = {64, 1, 1};
    const ir::Buffer out = buffer("O", {64}, ir::kInt32);
    const ir::Buffer votes = buffer("V", {64}, ir::kUInt64);
    k.params = {out, votes};
    const ir::Expr tx = k.tx[0];
    const ir::Function f = k.function(
        {put(out, {tx}, callOf(OpId::kShflXor, {tx, num(5)}, ir::kInt32)),
         put(votes, {tx}, callOf(OpId::kBallotSync, {ir::binary(BinaryOp::kEq, ir::floorMod(tx, num(3)), num(0))}, ir::kUInt64))});
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {64});
    args.tensors["V"] = makeTensor(ir::kUInt64, {64});
    executeWell(f, args);
    for (int t = 0; t < 64; ++t) {
        std::uint64_t want = 0;
        for (int l = 0; l < 32; ++l)
            want |= (t / 32 * 32 + l) % 3 == 0 ? 1ULL << l : 0;
        EXPECT_EQ(args.tensors["O"].intAt(t), t ^ 5);
        EXPECT_EQ(static_cast<std::uint64_t>(args.tensors["V"].intAt(t)), want);
    }
}

// Every thread runs its own number of iterations and breaks at its own time.
TEST(Threads, divergentLoops)
{
    Kernel k;
    k.threads = {96, 1, 1};
    const ir::Buffer out = buffer("O", {96}, ir::kInt32);
    k.params = {out};
    const ir::Buffer sum = buffer("sum", {1}, ir::kInt32, MemoryScope::kVar);
    const ir::Var j = var("j");
    const ir::Expr tx = k.tx[0];
    const ir::Stmt body = ir::sequence(
        {when(ir::binary(BinaryOp::kEq, ir::floorMod(j, num(7)), num(3)), std::make_shared<const ir::Continue>()),
         when(ir::binary(BinaryOp::kGt, ir::mul(j, j), ir::mul(tx, num(4))), std::make_shared<const ir::Break>()),
         put(sum, {num(0)}, ir::add(at(sum, {num(0)}), j))});
    const ir::Function f =
        k.function({alloc(sum), loop(ForKind::kSerial, {{j, tx}}, body), put(out, {tx}, at(sum, {num(0)}))});
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {96});
    executeWell(f, args);
    for (int t = 0; t < 96; ++t) {
        int want = 0;
        for (int x = 0; x < t; ++x) {
            if (x % 7 == 3)
                continue;
            if (x * x > t * 4)
                break;
            want += x;
        }
        EXPECT_EQ(args.tensors["O"].intAt(t), want) << t;
    }
}

// A producer and a consumer role hand rows over through transaction barriers; neither branch is an else of the other.
TEST(Threads, rolesWithBarriers)
{
    Kernel k;
    k.threads = {256, 1, 1};
    const ir::Buffer x = buffer("X", {8, 64}, ir::kInt32);
    const ir::Buffer y = buffer("Y", {8, 64}, ir::kInt32);
    k.params = {x, y};
    const ir::Buffer slot = buffer("slot", {2, 64}, ir::kInt32, MemoryScope::kShared);
    auto full = std::make_shared<ir::BufferNode>(*buffer("full", {2}, ir::kUInt64, MemoryScope::kBarrier));
    full->arrivals = {128, 128};
    auto empty = std::make_shared<ir::BufferNode>(*buffer("empty", {2}, ir::kUInt64, MemoryScope::kBarrier));
    empty->arrivals = {128, 128};
    const ir::Var i = var("i");
    const ir::Var r = var("r");
    const ir::Var c = var("c");
    const auto stage = [](const ir::Var& v) { return ir::floorMod(v, num(2)); };
    const auto phase = [](const ir::Var& v) { return ir::floorMod(ir::floorDiv(v, num(2)), num(2)); };
    const auto bar = [&](const ir::Buffer& b, const ir::Var& v) { return tile(b, {stage(v)}, {1}); };
    const ir::Stmt producer = loop(
        ForKind::kSerial, {{i, num(8)}},
        ir::sequence({op(OpId::kBarrierWait, {bar(empty, i), ir::sub(num(1), phase(i))}),
                      op(OpId::kTmaCopy, {tile(x, {i, num(0)}, {1, 64}), tile(slot, {stage(i), num(0)}, {1, 64}), bar(full, i)}),
                      op(OpId::kBarrierArrive, {bar(full, i)})}));
    const ir::Stmt consumer = loop(
        ForKind::kSerial, {{r, num(8)}},
        ir::sequence({op(OpId::kBarrierWait, {bar(full, r), phase(r)}),
                      loop(ForKind::kParallel, {{c, num(64)}}, put(y, {r, c}, ir::mul(at(slot, {stage(r), c}), num(3)))),
                      op(OpId::kBarrierArrive, {bar(empty, r)})}));
    const ir::Expr isProducer = ir::binary(BinaryOp::kGe, k.tx[0], num(128));
    const ir::Function f = k.function({alloc(slot), alloc(full), alloc(empty), when(isProducer, producer),
                                       when(ir::unary(ir::UnaryOp::kNot, isProducer), consumer)});
    Arguments args;
    args.tensors["X"] = makeTensor(ir::kInt32, {8, 64});
    args.tensors["Y"] = makeTensor(ir::kInt32, {8, 64});
    for (int n = 0; n < 512; ++n)
        args.tensors["X"].setInt(n, n * n % 1000);
    executeWell(f, args);
    for (int n = 0; n < 512; ++n)
        EXPECT_EQ(args.tensors["Y"].intAt(n), n * n % 1000 * 3);

    // Without the consumer the producer waits for ever, and the message says for what.
    const ir::Function stuck = k.function({alloc(slot), alloc(full), alloc(empty), when(isProducer, producer)});
    const Outcome outcome = execute(stuck, args);
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kDeadlock);
    EXPECT_NE(outcome.diagnostics[0].message.find("empty[0]"), std::string::npos) << outcome.diagnostics[0].message;
}

// A tile operation after a branch with barriers runs once, for all threads.
TEST(Threads, fibersMeetAgain)
{
    Kernel k;
    k.threads = {64, 1, 1};
    const ir::Buffer out = buffer("O", {4}, ir::kInt32);
    k.params = {out};
    const ir::Buffer s = buffer("s", {4}, ir::kInt32, MemoryScope::kShared);
    const ir::Expr first = ir::binary(BinaryOp::kLt, k.tx[0], num(32));
    const ir::Function f = k.function(
        {alloc(s), when(first, op(OpId::kFill, {whole(s), num(5)}), op(OpId::kSyncThreads, {num(1), num(32)})),
         op(OpId::kAtomicAdd, {whole(out), ir::Expr{}, whole(s)}), put(out, {num(3)}, ir::add(at(out, {num(3)}), num(1)))});
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {4});
    executeWell(f, args);
    EXPECT_EQ(args.tensors["O"].intAt(0), 5);
    EXPECT_EQ(args.tensors["O"].intAt(3), 6);
}

TEST(Threads, barrierCounts)
{
    Kernel k;
    k.threads = {64, 1, 1};
    const ir::Buffer out = buffer("O", {64}, ir::kInt32);
    k.params = {out};
    const ir::Expr small = ir::binary(BinaryOp::kLt, k.tx[0], num(10));
    const ir::Function f = k.function({put(out, {k.tx[0]}, callOf(OpId::kSyncCount, {small}, ir::kInt32))});
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {64});
    executeWell(f, args);
    EXPECT_EQ(args.tensors["O"].intAt(63), 10);
}

}  // namespace
}  // namespace tw::interp
