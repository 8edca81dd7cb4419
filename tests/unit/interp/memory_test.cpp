// Types, views, addresses, packed elements, scans, reducers, the log.
#include "kernel.h"

namespace tw::interp {
namespace {

using ir::BinaryOp;
using ir::ForKind;
using ir::MemoryScope;
using ir::OpId;

ir::Buffer viewOf(const ir::Buffer& base, const std::string& name, std::vector<std::int64_t> shape, ir::DType type)
{
    auto node = std::make_shared<ir::BufferNode>(*buffer(name, std::move(shape), type, base->scope));
    node->viewOf = base;
    return node;
}

TEST(Memory, viewsShareBits)
{
    Kernel k;
    const ir::Buffer in = buffer("I", {4, 8}, ir::kFloat32);
    const ir::Buffer out = buffer("O", {32}, ir::kInt32);
    k.params = {in, out};
    const ir::Buffer s = buffer("s", {4, 8}, ir::kFloat32, MemoryScope::kShared);
    const ir::Buffer bits = viewOf(s, "bits", {32}, ir::kInt32);
    const ir::Var i = var("i");
    const ir::Function f = k.function({alloc(s), op(OpId::kCopy, {whole(in), whole(s)}),
                                       loop(ForKind::kParallel, {{i, num(32)}}, put(out, {i}, at(bits, {i})))});
    Arguments args;
    args.tensors["I"] = makeTensor(ir::kFloat32, {4, 8});
    args.tensors["O"] = makeTensor(ir::kInt32, {32});
    args.tensors["I"].setFloat(3, 1.0);
    args.tensors["I"].setFloat(17, -2.0);
    executeWell(f, args);
    EXPECT_EQ(args.tensors["O"].intAt(3), 0x3F800000);
    EXPECT_EQ(args.tensors["O"].intAt(17), static_cast<std::int32_t>(0xC0000000U));
}

TEST(Memory, packedAndNarrowTypes)
{
    Kernel k;
    const ir::DType int4 = *ir::parseDType("int4");
    const ir::DType fp8 = *ir::parseDType("float8_e4m3fn");
    const ir::Buffer in = buffer("I", {16}, int4);
    const ir::Buffer out = buffer("O", {16}, fp8);
    k.params = {in, out};
    const ir::Buffer s = buffer("s", {16}, int4, MemoryScope::kShared);
    const ir::Var i = var("i");
    const ir::Expr wide = ir::binary(BinaryOp::kMul, ir::cast(ir::kFloat32, at(s, {i})), ir::floatImm(100));
    const ir::Function f = k.function({alloc(s), op(OpId::kCopy, {whole(in), whole(s)}),
                                       loop(ForKind::kParallel, {{i, num(16)}}, put(out, {i}, ir::cast(fp8, wide)))});
    Arguments args;
    args.tensors["I"] = makeTensor(int4, {16});
    args.tensors["O"] = makeTensor(fp8, {16});
    for (int x = 0; x < 16; ++x)
        args.tensors["I"].setInt(x, x - 8);
    executeWell(f, args);
    EXPECT_EQ(args.tensors["O"].floatAt(0), -448.0);  // saturates
    EXPECT_EQ(args.tensors["O"].floatAt(7), -96.0);   // -100 rounds to a multiple of 8
    EXPECT_EQ(args.tensors["O"].floatAt(8), 0.0);
    EXPECT_EQ(args.tensors["O"].floatAt(10), 192.0);  // 200 lies between 192 and 208, ties to even
}

TEST(Memory, safeValueAndRuntimeAddress)
{
    Kernel k;
    k.threads = {32, 1, 1};
    const ir::Buffer in = buffer("I", {20}, ir::kFloat32);
    const ir::Buffer out = buffer("O", {32}, ir::kFloat32);
    k.params = {in, out};
    auto node = std::make_shared<ir::BufferNode>(*buffer("tail", {15}, ir::kFloat32));
    node->address = ir::call(ir::kInt64, {OpId::kAddressOf, {tile(in, {num(5)}, {1})}, {}});
    const ir::Buffer tail = node;
    const ir::Var i = var("i");
    const ir::Function f = k.function(
        {op(OpId::kAnnotateSafeValue, {whole(in), ir::floatImm(-7)}),
         loop(ForKind::kParallel, {{i, num(32)}}, put(out, {i}, ir::binary(BinaryOp::kAdd, at(in, {i}), at(tail, {i}))))});
    Arguments args;
    args.tensors["I"] = makeTensor(ir::kFloat32, {20});
    args.tensors["O"] = makeTensor(ir::kFloat32, {32});
    for (int x = 0; x < 20; ++x)
        args.tensors["I"].setFloat(x, x);
    executeWell(f, args);
    for (int x = 0; x < 32; ++x)
        EXPECT_EQ(args.tensors["O"].floatAt(x), (x < 20 ? x : -7) + (x < 15 ? x + 5 : 0)) << x;
}

TEST(Memory, symbolicExtents)
{
    Kernel k;
    const ir::Var n = var("n");
    auto node = std::make_shared<ir::BufferNode>(*buffer("A", {1, 4}, ir::kInt32));
    node->shape[0] = n;
    const ir::Buffer a = node;
    k.grid = {n};
    k.params = {a};
    const ir::Var j = var("j");
    ir::Function f = k.function({loop(ForKind::kParallel, {{j, num(8)}}, put(a, {k.bx, j}, ir::add(ir::mul(k.bx, num(10)), j)))});
    f.symbols = {n};
    Arguments args;
    args.dims["n"] = 3;
    args.tensors["A"] = makeTensor(ir::kInt32, {3, 4});
    executeWell(f, args);
    for (int x = 0; x < 12; ++x)
        EXPECT_EQ(args.tensors["A"].intAt(x), x / 4 * 10 + x % 4);
}

TEST(Memory, scansAndReducers)
{
    Kernel k;
    const ir::Buffer in = buffer("I", {3, 10}, ir::kInt32);
    const ir::Buffer scan = buffer("S", {3, 10}, ir::kInt32);
    const ir::Buffer total = buffer("T", {3}, ir::kInt32);
    k.params = {in, scan, total};
    const ir::Buffer s = buffer("s", {3, 10}, ir::kInt32, MemoryScope::kShared);
    auto node = std::make_shared<ir::BufferNode>(*buffer("acc", {3}, ir::kInt32, MemoryScope::kReducer));
    node->reducer = "max";
    const ir::Buffer acc = node;
    const ir::Buffer result = buffer("result", {3}, ir::kInt32, MemoryScope::kFragment);
    const ir::Var i = var("i");
    const ir::Var j = var("j");
    const ir::Function f = k.function(
        {alloc(s), alloc(acc), alloc(result), op(OpId::kCopy, {whole(in), whole(s)}),
         op(OpId::kReducerInit, {whole(acc)}),
         loop(ForKind::kParallel, {{i, num(3)}, {j, num(10)}}, op(OpId::kReducerUpdate, {tile(acc, {i}, {1}), at(s, {i, j})})),
         op(OpId::kFinalizeReducer, {whole(acc), whole(result)}), op(OpId::kCopy, {whole(result), whole(total)}),
         op(OpId::kCumSum, {whole(s), whole(s)}, {{"dim", std::int64_t{1}}, {"reverse", true}}),
         op(OpId::kCopy, {whole(s), whole(scan)})});
    Arguments args;
    args.tensors["I"] = makeTensor(ir::kInt32, {3, 10});
    args.tensors["S"] = makeTensor(ir::kInt32, {3, 10});
    args.tensors["T"] = makeTensor(ir::kInt32, {3});
    for (int x = 0; x < 30; ++x)
        args.tensors["I"].setInt(x, x * 13 % 31 - 40);
    executeWell(f, args);
    for (int r = 0; r < 3; ++r) {
        std::int64_t sum = 0;
        std::int64_t top = -1000;
        for (int c = 9; c >= 0; --c) {
            sum += args.tensors["I"].intAt(r * 10 + c);
            top = std::max(top, args.tensors["I"].intAt(r * 10 + c));
            EXPECT_EQ(args.tensors["S"].intAt(r * 10 + c), sum);
        }
        EXPECT_EQ(args.tensors["T"].intAt(r), top);
    }
}

// Variables allocated in a parallel loop belong to the iteration; those outside to the thread.
TEST(Memory, variablesOfIterationsAndThreads)
{
    Kernel k;
    k.threads = {4, 1, 1};
    const ir::Buffer out = buffer("O", {10}, ir::kInt32);
    const ir::Buffer sums = buffer("S", {4}, ir::kInt32);
    k.params = {out, sums};
    const ir::Buffer mine = buffer("mine", {1}, ir::kInt32, MemoryScope::kVar);
    const ir::Buffer own = buffer("own", {1}, ir::kInt32, MemoryScope::kVar);
    const ir::Var i = var("i");
    const ir::Var j = var("j");
    const ir::Stmt body = ir::sequence(
        {alloc(own), loop(ForKind::kSerial, {{j, i}}, put(own, {num(0)}, ir::add(at(own, {num(0)}), j))),
         put(out, {i}, at(own, {num(0)})), put(mine, {num(0)}, ir::add(at(mine, {num(0)}), i))});
    const ir::Function f =
        k.function({alloc(mine), loop(ForKind::kParallel, {{i, num(10)}}, body), put(sums, {k.tx[0]}, at(mine, {num(0)}))});
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {10});
    args.tensors["S"] = makeTensor(ir::kInt32, {4});
    executeWell(f, args);
    std::int64_t all = 0;
    for (int t = 0; t < 4; ++t)
        all += args.tensors["S"].intAt(t);
    EXPECT_EQ(all, 45);
    for (int x = 0; x < 10; ++x)
        EXPECT_EQ(args.tensors["O"].intAt(x), x * (x - 1) / 2);
}

TEST(Memory, printsAndAsserts)
{
    Kernel k;
    k.threads = {2, 1, 1};
    const ir::Function f = k.function(
        {op(OpId::kPrint, {ir::mul(k.tx[0], num(3))}, {{"msg", std::string("x")}}),
         op(OpId::kDeviceAssert, {ir::less(k.tx[0], num(1))}, {{"msg", std::string("too big")}})});
    Arguments args;
    const Outcome outcome = execute(f, args);
    EXPECT_EQ(outcome.result.log, "msg='x' BlockIdx=(0, 0, 0), ThreadIdx=(0, 0, 0): dtype=int32 value=0\n"
                                  "msg='x' BlockIdx=(0, 0, 0), ThreadIdx=(1, 0, 0): dtype=int32 value=3\n");
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].code, Code::kDeviceAssert);
    EXPECT_NE(outcome.diagnostics[0].message.find("too big"), std::string::npos);
}

// The guard of a lazy select keeps its arm from being evaluated: no access outside.
TEST(Memory, guardsAccesses)
{
    Kernel k;
    const ir::Buffer out = buffer("O", {8}, ir::kInt32);
    k.params = {out};
    const ir::Buffer s = buffer("s", {4}, ir::kInt32, MemoryScope::kShared);
    const ir::Var i = var("i");
    const ir::Expr guarded = ir::select(ir::less(i, num(4)), at(s, {i}), num(-1), true);
    const auto kernel = [&](const ir::Expr& e) {
        return k.function({alloc(s), op(OpId::kFill, {whole(s), num(9)}), loop(ForKind::kParallel, {{i, num(8)}}, put(out, {i}, e))});
    };
    Arguments args;
    args.tensors["O"] = makeTensor(ir::kInt32, {8});
    executeWell(kernel(guarded), args);
    for (int x = 0; x < 8; ++x)
        EXPECT_EQ(args.tensors["O"].intAt(x), x < 4 ? 9 : -1);
    const Outcome outcome = execute(kernel(at(s, {i})), args);
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_NE(outcome.diagnostics[0].message.find("index 4 is outside axis 0 of shared buffer s, which has extent 4"),
              std::string::npos)
        << outcome.diagnostics[0].message;
}

}  // namespace
}  // namespace tw::interp
