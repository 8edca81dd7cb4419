// Launches that tell threads apart: shared memory, barriers, shuffles, divergence.
#include <gtest/gtest.h>

#include "core/ir/visit.h"
#include "tests/unit/llvm/build_kernel.h"

namespace tw::test {
namespace {

using ir::BinaryOp;
using ir::MemoryScope;
using ir::OpId;

std::string messages(const Outcome& outcome)
{
    std::string text;
    for (const Diagnostic& d : outcome.diagnostics)
        text += d.message + "\n";
    return text;
}

ir::Stmt branch(ir::Expr condition, ir::Stmt then, ir::Stmt otherwise = {})
{
    return std::make_shared<ir::If>(std::move(condition), std::move(then), std::move(otherwise));
}

// s[tx] = A[tx]; B[tx] = s[63 - tx], without a barrier in the source: the compiler orders them.
TEST(Threads, SharedMemoryIsOrdered)
{
    const ir::Buffer a = globalBuffer("A", ir::kInt32, {ir::intImm(64)}), b = globalBuffer("B", ir::kInt32, {ir::intImm(64)});
    const ir::Buffer s = chipBuffer("s", ir::kInt32, {64}, MemoryScope::kShared);
    const ir::Var bx = intVar("bx"), tx = intVar("tx");
    const auto f = kernel({a, b}, {{ir::intImm(1)}, {bx}, 64, tx},
                          {std::make_shared<ir::Allocate>(s), store(s, {tx}, load(a, {tx})), store(b, {tx}, load(s, {ir::sub(ir::intImm(63), tx)}))});
    interp::Arguments arguments;
    std::vector<double> x;
    for (int i = 0; i < 64; ++i)
        x.push_back(i * i);
    arguments.tensors["A"] = tensor(ir::kInt32, {64}, x);
    arguments.tensors["B"] = interp::makeTensor(ir::kInt32, {64});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << messages(outcome);
    for (int i = 0; i < 64; ++i)
        EXPECT_EQ(arguments.tensors["B"].intAt(i), (63 - i) * (63 - i));
}

// s[tx] = A[tx]; for k: B[k, tx] = s[63 - tx]: the loop's iterations only read, but what stands before it writes. While s[0] < 3: s[0] is
// read by all and then written by one.
TEST(Threads, LoopsAreOrderedBehindWhatStandsBefore)
{
    const ir::Buffer a = globalBuffer("A", ir::kInt32, {ir::intImm(64)}), b = globalBuffer("B", ir::kInt32, {ir::intImm(3), ir::intImm(64)});
    const ir::Buffer s = chipBuffer("s", ir::kInt32, {64}, MemoryScope::kShared), n = chipBuffer("n", ir::kInt32, {1}, MemoryScope::kShared);
    const ir::Var bx = intVar("bx"), tx = intVar("tx"), k = intVar("k");
    const ir::Expr first = ir::binary(BinaryOp::kEq, tx, ir::intImm(63)), round = load(n, {ir::intImm(0)});
    const auto fill = ir::sequence({store(s, {tx}, ir::sub(load(s, {tx}), ir::intImm(1))),
                                    branch(first, store(n, {ir::intImm(0)}, ir::add(round, ir::intImm(1))))});
    const auto f = kernel({a, b}, {{ir::intImm(1)}, {bx}, 64, tx},
                          {std::make_shared<ir::Allocate>(s), std::make_shared<ir::Allocate>(n), store(s, {tx}, load(a, {tx})),
                           std::make_shared<ir::For>(ir::ForKind::kSerial, std::vector<ir::Axis>{{k, ir::intImm(0), ir::intImm(2), {}}},
                                                     store(b, {k, tx}, load(s, {ir::sub(ir::intImm(63), tx)}))),
                           branch(first, store(n, {ir::intImm(0)}, ir::intImm(0))),
                           std::make_shared<ir::While>(ir::less(round, ir::intImm(3)), fill), store(b, {ir::intImm(2), tx}, load(s, {tx}))});
    interp::Arguments arguments;
    std::vector<double> x;
    for (int i = 0; i < 64; ++i)
        x.push_back(i * i);
    arguments.tensors["A"] = tensor(ir::kInt32, {64}, x);
    arguments.tensors["B"] = interp::makeTensor(ir::kInt32, {3, 64});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << messages(outcome);
    for (int i = 0; i < 64; ++i) {
        EXPECT_EQ(arguments.tensors["B"].intAt(i), (63 - i) * (63 - i));
        EXPECT_EQ(arguments.tensors["B"].intAt(64 + i), (63 - i) * (63 - i));
        EXPECT_EQ(arguments.tensors["B"].intAt(128 + i), i * i - 3);
    }
}

// Tile operations in both arms of a branch on the thread: each runs once for the threads of its arm.
TEST(Threads, TileOperationsInBothArms)
{
    const ir::Buffer a = globalBuffer("A", ir::kFloat32, {ir::intImm(32)}), b = globalBuffer("B", ir::kFloat32, {ir::intImm(2), ir::intImm(32)});
    const ir::Buffer s = chipBuffer("s", ir::kFloat32, {32}, MemoryScope::kShared), t = chipBuffer("t", ir::kFloat32, {32}, MemoryScope::kShared);
    const ir::Buffer count = globalBuffer("N", ir::kInt32, {ir::intImm(1)});
    const ir::Var bx = intVar("bx"), tx = intVar("tx");
    const auto row = [&](std::int64_t i) { return tile(b, {ir::intImm(i), ir::intImm(0)}, {1, 32}); };
    const auto f = kernel({a, b, count}, {{ir::intImm(1)}, {bx}, 64, tx},
                          {std::make_shared<ir::Allocate>(s), std::make_shared<ir::Allocate>(t),
                           branch(ir::less(tx, ir::intImm(32)), ir::sequence({op(OpId::kCopy, {whole(a), whole(s)}), op(OpId::kCopy, {whole(s), row(0)})}),
                                  ir::sequence({op(OpId::kFill, {whole(t), ir::floatImm(7)}), op(OpId::kCopy, {whole(t), row(1)})})),
                           op(OpId::kAtomicAdd, {tile(count, {ir::intImm(0)}, {1}), ir::intImm(1)})});
    interp::Arguments arguments;
    arguments.tensors["A"] = tensor(ir::kFloat32, {32}, std::vector<double>(32, 3));
    arguments.tensors["B"] = interp::makeTensor(ir::kFloat32, {2, 32});
    arguments.tensors["N"] = interp::makeTensor(ir::kInt32, {1});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << messages(outcome);
    for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(arguments.tensors["B"].floatAt(i), 3);
        EXPECT_EQ(arguments.tensors["B"].floatAt(32 + i), 7);
    }
    EXPECT_EQ(arguments.tensors["N"].intAt(0), 64);  // once a thread
}

TEST(Threads, ShufflesAndVotes)
{
    const ir::Buffer o = globalBuffer("O", ir::kInt32, {ir::intImm(4), ir::intImm(64)});
    const ir::Var bx = intVar("bx"), tx = intVar("tx");
    const auto call = [](ir::DType type, OpId id, std::vector<ir::Operand> operands) { return ir::call(type, ir::OpCall{id, std::move(operands), {}}); };
    const auto f = kernel({o}, {{ir::intImm(1)}, {bx}, 64, tx},
                          {store(o, {ir::intImm(0), tx}, call(ir::kInt32, OpId::kShflXor, {ir::Expr(tx), ir::intImm(1)})),
                           store(o, {ir::intImm(1), tx}, call(ir::kInt32, OpId::kShflDown, {ir::Expr(tx), ir::intImm(5)})),
                           store(o, {ir::intImm(2), tx}, call(ir::kInt32, OpId::kWarpReduceSum, {ir::Expr(tx)})),
                           store(o, {ir::intImm(3), tx}, call(ir::kInt32, OpId::kSyncCount, {ir::less(tx, ir::intImm(40))}))});
    interp::Arguments arguments;
    arguments.tensors["O"] = interp::makeTensor(ir::kInt32, {4, 64});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << messages(outcome);
    for (int t = 0; t < 64; ++t) {
        EXPECT_EQ(arguments.tensors["O"].intAt(t), t ^ 1);
        EXPECT_EQ(arguments.tensors["O"].intAt(64 + t), t % 32 + 5 < 32 ? t + 5 : t);
        EXPECT_EQ(arguments.tensors["O"].intAt(128 + t), t < 32 ? 496 : 496 + 32 * 32);
        EXPECT_EQ(arguments.tensors["O"].intAt(192 + t), 40);
    }
}

// A barrier that one arm never reaches while the other waits at it: the run ends with a diagnostic.
TEST(Threads, ADeadlockIsReported)
{
    const ir::Buffer o = globalBuffer("O", ir::kInt32, {ir::intImm(1)});
    const ir::Var bx = intVar("bx"), tx = intVar("tx");
    const auto f = kernel({o}, {{ir::intImm(1)}, {bx}, 64, tx},
                          {branch(ir::less(tx, ir::intImm(32)), op(OpId::kSyncThreads, {ir::intImm(1), ir::intImm(64)})), store(o, {ir::intImm(0)}, ir::cast(ir::kInt32, tx))});
    interp::Arguments arguments;
    arguments.tensors["O"] = interp::makeTensor(ir::kInt32, {1});
    const Outcome outcome = runOnCpu(f, arguments);
    EXPECT_FALSE(outcome.ok);
    ASSERT_FALSE(outcome.diagnostics.empty());
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kDeadlock);
}

// All blocks meet: every block sees what every other one wrote before.
TEST(Threads, GridBarrier)
{
    const ir::Buffer w = globalBuffer("W", ir::kInt32, {ir::intImm(8)}), o = globalBuffer("O", ir::kInt32, {ir::intImm(8)});
    const ir::Var bx = intVar("bx"), tx = intVar("tx");
    const auto f = kernel({w, o}, {{ir::intImm(8)}, {bx}, 32, tx},
                          {branch(ir::binary(BinaryOp::kEq, tx, ir::intImm(0)), store(w, {bx}, ir::mul(bx, ir::intImm(10)))), op(OpId::kSyncGrid, {}),
                           branch(ir::binary(BinaryOp::kEq, tx, ir::intImm(0)), store(o, {bx}, load(w, {ir::sub(ir::intImm(7), bx)})))});
    interp::Arguments arguments;
    arguments.tensors["W"] = interp::makeTensor(ir::kInt32, {8});
    arguments.tensors["O"] = interp::makeTensor(ir::kInt32, {8});
    const Outcome outcome = runOnCpu(f, arguments);
    ASSERT_TRUE(outcome.ok) << messages(outcome);
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(arguments.tensors["O"].intAt(i), (7 - i) * 10);
}

// A block waits for a later one by looking at its flag: on one worker it must let the other one run.
TEST(Threads, BlocksPollEachOther)
{
    const ir::Buffer flag = globalBuffer("F", ir::kInt32, {ir::intImm(6)}), o = globalBuffer("O", ir::kInt32, {ir::intImm(6)});
    for (const std::int64_t threads : {1, 32}) {
        const ir::Var bx = intVar("bx"), tx = intVar("tx");
        const auto at = [](const ir::Buffer& buffer, ir::Expr index) { return tile(buffer, {std::move(index)}, {1}); };
        const ir::Expr next = ir::add(bx, ir::intImm(1));
        const ir::Expr seen = std::make_shared<ir::Call>(ir::kInt32, ir::OpCall{OpId::kAtomicLoad, {at(flag, next)}, {}});
        const auto wait = std::make_shared<ir::While>(ir::binary(BinaryOp::kEq, seen, ir::intImm(0)), std::make_shared<ir::Seq>(std::vector<ir::Stmt>{}));
        const ir::Stmt chain = branch(ir::less(bx, ir::intImm(5)),
                                      std::make_shared<ir::Seq>(std::vector<ir::Stmt>{wait, store(o, {bx}, ir::add(load(o, {next}), bx))}), store(o, {bx}, bx));
        const ir::Stmt body = std::make_shared<ir::Seq>(std::vector<ir::Stmt>{chain, op(OpId::kAtomicStore, {at(flag, bx), ir::intImm(1)})});
        const auto f = kernel({flag, o}, {{ir::intImm(6)}, {bx}, threads, tx}, {branch(ir::binary(BinaryOp::kEq, tx, ir::intImm(0)), body)});
        interp::Arguments arguments;
        arguments.tensors["F"] = tensor(ir::kInt32, {6}, {0, 0, 0, 0, 0, 0});
        arguments.tensors["O"] = interp::makeTensor(ir::kInt32, {6});
        const Outcome outcome = runOnCpu(f, arguments, 1);
        ASSERT_TRUE(outcome.ok) << messages(outcome);
        for (int i = 0; i < 6; ++i)
            EXPECT_EQ(arguments.tensors["O"].intAt(i), (5 + i) * (6 - i) / 2);
    }
}

}  // namespace
}  // namespace tw::test
