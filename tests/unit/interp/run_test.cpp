// Tile operations and parallel loops, with answers known independently.
#include <cmath>

#include "core/ir/number.h"
#include "kernel.h"

namespace tw::interp {
namespace {

using ir::ForKind;
using ir::MemoryScope;
using ir::OpId;

TEST(Run, addsWithRaggedEdge)
{
    Kernel k;
    k.grid = {num(3)};
    const ir::Buffer a = buffer("A", {70}, ir::kFloat32);
    const ir::Buffer b = buffer("B", {70}, ir::kFloat32);
    k.params = {a, b};
    const ir::Var i = var("i");
    const ir::Expr index = ir::add(ir::mul(k.bx, num(32)), i);
    const ir::Function f = k.function(
        {loop(ForKind::kParallel, {{i, num(32)}}, put(b, {index}, ir::binary(ir::BinaryOp::kAdd, at(a, {index}), ir::floatImm(0.5))))});
    Arguments args;
    args.tensors["A"] = makeTensor(ir::kFloat32, {70});
    args.tensors["B"] = makeTensor(ir::kFloat32, {70});
    for (int x = 0; x < 70; ++x)
        args.tensors["A"].setFloat(x, x);
    executeWell(f, args);
    for (int x = 0; x < 70; ++x)
        EXPECT_EQ(args.tensors["B"].floatAt(x), x + 0.5);

    k.passConfigs["tl.disable_safe_memory_legalize"] = true;
    const ir::Function unsafe = k.function(
        {loop(ForKind::kParallel, {{i, num(32)}}, put(b, {index}, at(a, {index})))});
    const Outcome outcome = execute(unsafe, args);
    EXPECT_FALSE(outcome.result.ok);
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kOutOfBounds);
    EXPECT_NE(outcome.diagnostics[0].message.find("70"), std::string::npos);
}

// The tile past the edge is 0, and nothing outside is written back.
TEST(Run, copiesAndMultipliesTiles)
{
    constexpr int kM = 70, kN = 50, kK = 40;
    Kernel k;
    k.grid = {num(2), num(3)};
    const ir::Buffer a = buffer("A", {kM, kK}, ir::kFloat16);
    const ir::Buffer b = buffer("B", {kN, kK}, ir::kFloat16);
    const ir::Buffer c = buffer("C", {kM, kN}, ir::kFloat32);
    k.params = {a, b, c};
    const ir::Buffer as = buffer("As", {32, 16}, ir::kFloat16, MemoryScope::kShared);
    const ir::Buffer bs = buffer("Bs", {32, 16}, ir::kFloat16, MemoryScope::kShared);
    const ir::Buffer acc = buffer("acc", {32, 32}, ir::kFloat32, MemoryScope::kFragment);
    const ir::Var ko = var("ko");
    const ir::Expr row = ir::mul(k.by, num(32));
    const ir::Expr col = ir::mul(k.bx, num(32));
    const ir::Expr depth = ir::mul(ko, num(16));
    const ir::Stmt body = ir::sequence(
        {op(OpId::kCopy, {tile(a, {row, depth}, {32, 16}), whole(as)}),
         op(OpId::kCopy, {tile(b, {col, depth}, {32, 16}), whole(bs)}),
         op(OpId::kGemm, {whole(as), whole(bs), whole(acc)}, {{"transpose_B", true}})});
    const ir::Function f = k.function({alloc(as), alloc(bs), alloc(acc), op(OpId::kClear, {whole(acc)}),
                                       loop(ForKind::kPipelined, {{ko, num(3)}}, body),
                                       op(OpId::kCopy, {whole(acc), tile(c, {row, col}, {32, 32})})});
    Arguments args;
    args.tensors["A"] = makeTensor(ir::kFloat16, {kM, kK});
    args.tensors["B"] = makeTensor(ir::kFloat16, {kN, kK});
    args.tensors["C"] = makeTensor(ir::kFloat32, {kM, kN});
    for (int x = 0; x < kM * kK; ++x)
        args.tensors["A"].setFloat(x, x * 7 % 11 - 5);
    for (int x = 0; x < kN * kK; ++x)
        args.tensors["B"].setFloat(x, x * 5 % 9 - 4);
    executeWell(f, args);
    for (int i = 0; i < kM; ++i)
        for (int j = 0; j < kN; ++j) {
            int sum = 0;
            for (int p = 0; p < kK; ++p)
                sum += ((i * kK + p) * 7 % 11 - 5) * ((j * kK + p) * 5 % 9 - 4);
            ASSERT_EQ(args.tensors["C"].floatAt(i * kN + j), sum) << i << " " << j;
        }
}

TEST(Run, reducesRows)
{
    Kernel k;
    const ir::Buffer a = buffer("A", {4, 25}, ir::kFloat32);
    const ir::Buffer sums = buffer("S", {4}, ir::kFloat32);
    const ir::Buffer tops = buffer("T", {4}, ir::kFloat32);
    k.params = {a, sums, tops};
    const ir::Buffer x = buffer("x", {4, 25}, ir::kFloat32, MemoryScope::kFragment);
    const ir::Buffer s = buffer("s", {4}, ir::kFloat32, MemoryScope::kFragment);
    const ir::Function f = k.function(
        {alloc(x), alloc(s), op(OpId::kCopy, {whole(a), whole(x)}), op(OpId::kFill, {whole(s), ir::floatImm(100)}),
         op(OpId::kReduceSum, {whole(x), whole(s)}, {{"dim", std::int64_t{1}}, {"clear", false}}),
         op(OpId::kCopy, {whole(s), whole(sums)}), op(OpId::kReduceAbsMax, {whole(x), whole(s)}, {{"dim", std::int64_t{-1}}}),
         op(OpId::kCopy, {whole(s), whole(tops)})});
    Arguments args;
    args.tensors["A"] = makeTensor(ir::kFloat32, {4, 25});
    args.tensors["S"] = makeTensor(ir::kFloat32, {4});
    args.tensors["T"] = makeTensor(ir::kFloat32, {4});
    for (int n = 0; n < 100; ++n)
        args.tensors["A"].setFloat(n, n % 2 == 0 ? n : -n);
    executeWell(f, args);
    for (int i = 0; i < 4; ++i) {
        int sum = 100;
        for (int j = 0; j < 25; ++j) {
            const int n = i * 25 + j;
            sum += n % 2 == 0 ? n : -n;
        }
        EXPECT_EQ(args.tensors["S"].floatAt(i), sum);
        EXPECT_EQ(args.tensors["T"].floatAt(i), i * 25 + 24);
    }
}

// half * 0.5f is a float32 product; half * half rounds to half.
TEST(Run, roundsEveryOperation)
{
    Kernel k;
    const ir::Buffer a = buffer("A", {64}, ir::kFloat16);
    const ir::Buffer b = buffer("B", {64}, ir::kFloat16);
    k.params = {a, b};
    const ir::Var i = var("i");
    const ir::Expr x = at(a, {i});
    const ir::Expr third = ir::floatImm(1.0 / 3, ir::kFloat16);
    const ir::Function f = k.function({loop(
        ForKind::kParallel, {{i, num(64)}},
        put(b, {i}, ir::binary(ir::BinaryOp::kAdd, ir::binary(ir::BinaryOp::kMul, x, third), x)))});
    Arguments args;
    args.tensors["A"] = makeTensor(ir::kFloat16, {64});
    args.tensors["B"] = makeTensor(ir::kFloat16, {64});
    for (int n = 0; n < 64; ++n)
        args.tensors["A"].setFloat(n, 1.0 + n / 37.0);
    executeWell(f, args);
    for (int n = 0; n < 64; ++n) {
        const double v = args.tensors["A"].floatAt(n);
        const double product = ir::roundTo(ir::kFloat16, v * ir::roundTo(ir::kFloat16, 1.0 / 3));
        EXPECT_EQ(args.tensors["B"].floatAt(n), ir::roundTo(ir::kFloat16, product + v));
    }
}

TEST(Run, reportsReadBeforeWrite)
{
    Kernel k;
    const ir::Buffer b = buffer("B", {32}, ir::kFloat32);
    k.params = {b};
    const ir::Buffer s = buffer("s", {32}, ir::kFloat32, MemoryScope::kShared);
    const ir::Var i = var("i");
    const ir::Function f = k.function({alloc(s), loop(ForKind::kParallel, {{i, num(32)}}, put(b, {i}, at(s, {i})))});
    Arguments args;
    args.tensors["B"] = makeTensor(ir::kFloat32, {32});
    const Outcome outcome = execute(f, args);
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kUninitialized);
}

TEST(Run, persistentLoopCoversEveryTileOnce)
{
    Kernel k;
    k.grid = {num(5)};
    const ir::Buffer c = buffer("C", {7, 11}, ir::kInt32);
    k.params = {c};
    const ir::Var m = var("m");
    const ir::Var n = var("n");
    auto persistent = std::make_shared<ir::For>(ForKind::kPersistent,
                                                std::vector<ir::Axis>{{m, num(0), num(7), num(1)}, {n, num(0), num(11), num(1)}},
                                                op(OpId::kAtomicAdd, {tile(c, {m, n}, {1, 1}), num(1)}));
    persistent->persistent = ir::Persistent{num(5), k.bx, num(3)};
    k.threads = {1, 1, 1};
    Arguments args;
    args.tensors["C"] = makeTensor(ir::kInt32, {7, 11});
    executeWell(k.function({persistent}), args);
    for (int x = 0; x < 77; ++x)
        EXPECT_EQ(args.tensors["C"].intAt(x), 1) << x;
}

}  // namespace
}  // namespace tw::interp
