#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/ir/visit.h"
#include "core/passes/guard_bounds.h"
#include "core/passes/normalize.h"
#include "core/passes/pass.h"
#include "core/passes/plan_threads.h"
#include "core/passes/ranges.h"
#include "core/passes/simplify.h"

namespace tw::passes {
namespace {

using ir::BinaryOp;
using ir::Expr;

ir::Var var(const char* name) { return std::make_shared<const ir::VarNode>(ir::kInt32, name); }

ir::Buffer buffer(const char* name, std::vector<Expr> shape, ir::MemoryScope scope = ir::MemoryScope::kGlobal)
{
    auto b = std::make_shared<ir::BufferNode>();
    b->name = name;
    b->dtype = ir::kFloat32;
    b->shape = std::move(shape);
    b->scope = scope;
    return b;
}

ir::Stmt loop(const ir::Var& v, std::int64_t extent, ir::Stmt body, ir::ForKind kind = ir::ForKind::kSerial)
{
    return std::make_shared<ir::For>(kind, std::vector<ir::Axis>{{v, ir::intImm(0), ir::intImm(extent), {}}}, std::move(body));
}

// B[i] = A[i + offset] for i in [0, 8), one block of 32 threads.
ir::Function shifted(std::int64_t extent, std::int64_t offset)
{
    const ir::Buffer a = buffer("A", {ir::intImm(extent)}), b = buffer("B", {ir::intImm(8)});
    const ir::Var i = var("i"), bx = var("bx");
    const Expr value = std::make_shared<ir::Load>(ir::kFloat32, a, std::vector<Expr>{ir::add(i, ir::intImm(offset))});
    ir::Function f;
    f.name = "shifted";
    f.params = {{a}, {b}};
    f.body = std::make_shared<ir::Launch>(std::vector<Expr>{ir::intImm(1)}, std::vector<ir::Var>{bx}, std::array<std::int64_t, 3>{32, 1, 1},
                                          std::array<ir::Var, 3>{var("tx"), var("ty"), var("tz")},
                                          loop(i, 8, std::make_shared<ir::Store>(b, std::vector<Expr>{i}, value)));
    return f;
}

struct Fixture {
    DiagnosticSink sink;
    target::Target target = target::parse("cpu").value();
    PassContext context{target, sink, {}};
};

TEST(Ranges, FollowLoopsAndArithmetic)
{
    const ir::Var i = var("i"), n = var("n");
    Ranges ranges;
    ranges.add(static_cast<const ir::For&>(*loop(i, 16, ir::sequence({}))));
    const auto r = ranges.of(ir::add(ir::mul(i, ir::intImm(4)), ir::intImm(3)));
    ASSERT_TRUE(r);
    EXPECT_EQ(r->low, 3);
    EXPECT_EQ(r->high, 63);
    EXPECT_EQ(ranges.of(ir::floorMod(i, ir::intImm(5)))->high, 4);
    EXPECT_FALSE(ranges.of(n));
    EXPECT_EQ(ranges.decide(ir::less(i, ir::intImm(16))), true);
    EXPECT_EQ(ranges.decide(ir::less(i, ir::intImm(0))), false);
    EXPECT_FALSE(ranges.decide(ir::less(i, ir::intImm(8))));
}

// What the C standard says of unsigned types: 0 <= x <= 2^n - 1, and arithmetic wraps.
TEST(Ranges, TypesDecideComparisonsThatArePointless)
{
    const Ranges ranges;
    for (const ir::DType type : {ir::kUInt8, ir::kUInt32, ir::kUInt64}) {
        const ir::Var x = std::make_shared<const ir::VarNode>(type, "x");
        const Expr zero = ir::intImm(0, type), wraps = ir::sub(x, ir::intImm(1, type));
        for (const Expr& e : {Expr(x), wraps}) {
            EXPECT_EQ(ranges.decide(ir::binary(BinaryOp::kGe, e, zero)), true);
            EXPECT_EQ(ranges.decide(ir::binary(BinaryOp::kLt, e, zero)), false);
            EXPECT_EQ(ranges.decide(ir::binary(BinaryOp::kLe, zero, e)), true);
            EXPECT_EQ(ranges.decide(ir::binary(BinaryOp::kGt, zero, e)), false);
            EXPECT_FALSE(ranges.decide(ir::binary(BinaryOp::kGt, e, zero)));
            EXPECT_FALSE(ranges.decide(ir::binary(BinaryOp::kLe, e, zero)));
            EXPECT_FALSE(ranges.decide(ir::binary(BinaryOp::kEq, e, zero)));
        }
    }
    const ir::Var b = std::make_shared<const ir::VarNode>(ir::kUInt8, "b"), s = var("s");
    EXPECT_EQ(ranges.decide(ir::binary(BinaryOp::kLe, b, ir::intImm(255, ir::kUInt8))), true);
    EXPECT_EQ(ranges.decide(ir::binary(BinaryOp::kGt, b, ir::intImm(255, ir::kUInt8))), false);
    EXPECT_FALSE(ranges.decide(ir::binary(BinaryOp::kLe, b, ir::intImm(254, ir::kUInt8))));
    EXPECT_FALSE(ranges.decide(ir::binary(BinaryOp::kGe, s, ir::intImm(0))));
}

TEST(Ranges, TheUpperHalfOfUnsigned64IsNotNegative)
{
    const ir::Var x = std::make_shared<const ir::VarNode>(ir::kUInt64, "x");
    Ranges ranges;
    ranges.set(x, {0, 5});
    const Expr large = ir::intImm(-1, ir::kUInt64);  // 2^64 - 1
    EXPECT_NE(ranges.decide(ir::binary(BinaryOp::kLt, x, large)), false);
    EXPECT_NE(ranges.decide(ir::binary(BinaryOp::kGe, x, large)), true);
}

// int32 of a uint32 is negative from 2^31 on; int32 of what fits keeps its bounds.
TEST(Ranges, CastsWrap)
{
    const ir::Var x = std::make_shared<const ir::VarNode>(ir::kUInt32, "x");
    Ranges ranges;
    EXPECT_FALSE(ranges.decide(ir::less(ir::cast(ir::kInt32, x), ir::intImm(0))));
    ranges.set(x, {0, 9});
    EXPECT_EQ(ranges.decide(ir::less(ir::cast(ir::kInt32, x), ir::intImm(10))), true);
}

TEST(GuardBounds, GuardsOnlyWhatMayLeave)
{
    Fixture x;
    EXPECT_TRUE(ir::equal(guardBounds(shifted(8, 0), x.context), shifted(8, 0)));
    const auto text = ir::print(guardBounds(shifted(8, 3), x.context)).text;
    EXPECT_NE(text.find("if_then_else"), std::string::npos) << text;
    ir::Function trusting = shifted(8, 3);
    trusting.passConfigs["tl.disable_safe_memory_legalize"] = true;
    EXPECT_TRUE(ir::equal(guardBounds(trusting, x.context), trusting));
}

TEST(Normalize, NegativeIndicesCountFromTheEnd)
{
    Fixture x;
    const ir::Buffer a = buffer("A", {ir::intImm(8)});
    ir::Function f = shifted(8, 0);
    f.params[0] = {a};
    const auto& launch = static_cast<const ir::Launch&>(*f.body);
    auto next = std::make_shared<ir::Launch>(launch);
    next->body = std::make_shared<ir::Store>(a, std::vector<Expr>{ir::intImm(-1)}, ir::floatImm(1));
    f.body = next;
    const ir::Function out = normalize(f, x.context);
    const auto* store = ir::as<ir::Store>(static_cast<const ir::Launch&>(*out.body).body);
    ASSERT_TRUE(store);
    EXPECT_EQ(*ir::asInt(store->indices[0]), 7);
}

TEST(Simplify, DropsWhatNeverRuns)
{
    Fixture x;
    ir::Function f = shifted(8, 0);
    const auto& launch = static_cast<const ir::Launch&>(*f.body);
    const auto& inner = static_cast<const ir::For&>(*launch.body);
    auto guarded = std::make_shared<ir::For>(inner);
    guarded->body = std::make_shared<ir::If>(ir::less(inner.axes[0].var, ir::intImm(8)), inner.body);
    auto next = std::make_shared<ir::Launch>(launch);
    next->body = guarded;
    f.body = next;
    EXPECT_TRUE(ir::equal(simplify(f, x.context), shifted(8, 0)));
}

TEST(PlanThreads, TellsUniformKernelsFromThreads)
{
    Fixture x;
    const auto plan = [&](const ir::Function& f) {
        return std::get<std::string>(static_cast<const ir::Launch&>(*planThreads(f, x.context).body).attrs.at("execution"));
    };
    ir::Function f = shifted(8, 0);
    EXPECT_EQ(plan(f), "block");
    auto launch = std::make_shared<ir::Launch>(static_cast<const ir::Launch&>(*f.body));
    launch->body = std::make_shared<ir::Store>(std::get<ir::Buffer>(f.params[1].value), std::vector<Expr>{launch->threadVars[0]}, ir::floatImm(0));
    f.body = launch;
    EXPECT_EQ(plan(f), "threads");
    launch = std::make_shared<ir::Launch>(*launch);
    launch->body = std::make_shared<ir::OpStmt>(ir::OpCall{ir::OpId::kSyncGrid, {}, {}});
    f.body = launch;
    EXPECT_EQ(plan(f), "grid");
}

TEST(Pipeline, RecordsEveryPassAndLeavesTheThreadStage)
{
    Fixture x;
    const auto result = runPipeline(std::make_shared<const ir::Function>(shifted(8, 3)), x.context);
    ASSERT_TRUE(result.complete);
    EXPECT_EQ(result.records.size(), pipelineFor(x.target).size() + 1);
    EXPECT_EQ(result.function->stage, ir::Stage::kThread);
    EXPECT_TRUE(ir::verify(*result.function).empty());
    const target::Target gpu = target::defaultTarget();
    PassContext context{gpu, x.sink, {}};
    EXPECT_EQ(runPipeline(std::make_shared<const ir::Function>(shifted(8, 3)), context).function->stage, ir::Stage::kThread);
}

TEST(Pipeline, ABrokenFunctionIsADiagnostic)
{
    Fixture x;
    ir::Function f = shifted(8, 0);
    f.params.pop_back();  // B is not bound any more
    const auto result = runPipeline(std::make_shared<const ir::Function>(f), x.context);
    EXPECT_FALSE(result.complete);
    EXPECT_TRUE(x.sink.hasErrors());
}

}  // namespace
}  // namespace tw::passes
