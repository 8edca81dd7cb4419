// Promotion (language.md c.4), operators (b.5), lets and variables (b.2).
#include <gtest/gtest.h>

#include "tests/unit/staging/trace_support.h"

namespace tw::staging::test {
namespace {

// The type of `expression` over A: float16, B: bfloat16, F: float32, I: int8, U: uint8, L: int64, W: uint32.
std::string typeOf(const std::string& expression)
{
    const auto t = traceLaunch(
        "A: T.Tensor((8,), 'float16'), B: T.Tensor((8,), 'bfloat16'), F: T.Tensor((8,), 'float32'), I: T.Tensor((8,), 'int8'), "
        "U: T.Tensor((8,), 'uint8'), L: T.Tensor((8,), 'int64'), W: T.Tensor((8,), 'uint32'), Q: T.Tensor((8,), 'bool')",
        "x = " + expression + "\nF[0] = x");
    const auto binds = t.all<ir::Bind>();
    return binds.empty() ? t.firstError() : binds.front()->value->dtype.name();
}

TEST(TraceExpressions, PromotionTable)
{
    EXPECT_EQ(typeOf("A[0] + A[1]"), "float16");
    EXPECT_EQ(typeOf("A[0] + F[1]"), "float32");
    EXPECT_EQ(typeOf("A[0] + B[1]"), "float16");
    EXPECT_EQ(typeOf("B[0] + F[1]"), "float32");
    EXPECT_EQ(typeOf("A[0] * L[1]"), "float16");
    EXPECT_EQ(typeOf("B[0] * I[1]"), "bfloat16");
    EXPECT_EQ(typeOf("I[0] + L[1]"), "int64");
    EXPECT_EQ(typeOf("I[0] + U[1]"), "uint8");
    EXPECT_EQ(typeOf("W[0] + bx"), "uint32");
    EXPECT_EQ(typeOf("L[0] + W[0]"), "int64");
    EXPECT_EQ(typeOf("Q[0] + I[1]"), "int8");
    EXPECT_EQ(typeOf("A[0] * 0.5"), "float32");
    EXPECT_EQ(typeOf("A[0] * 2"), "float16");
    EXPECT_EQ(typeOf("A[0] < 2.0"), "bool");
    EXPECT_EQ(typeOf("I[0] * 2"), "int32");
    EXPECT_EQ(typeOf("T.max(A[0], 0)"), "float16");
    EXPECT_EQ(typeOf("A[0] if bx > 0 else 1.0"), "float32");
    EXPECT_EQ(typeOf("T.int32(2) ** 2"), "expressions have no ** operator; write T.pow(x, y), or x * x");
}

TEST(TraceExpressions, DivisionOfIntegersIsAnError)
{
    const auto t = traceLaunch("X: T.Tensor((8,), 'float32')", "for i in T.Parallel(8):\n    X[i] = X[i / 2]");
    EXPECT_NE(t.firstError().find("//"), std::string::npos) << t.firstError();
    EXPECT_EQ(t.errorLine(), 8);
    EXPECT_EQ(t.errors(), 1);
}

TEST(TraceExpressions, LetsCaptureAndVariablesStore)
{
    const auto t = traceLaunch("S: T.Tensor((2,), 'int32')", R"(x = S[0]
S[0] = 1
v = T.alloc_var('int32')
v += x
for i in T.serial(10):
    v += 1
S[1] = v)");
    EXPECT_TRUE(t.broken().empty());
    EXPECT_EQ(t.all<ir::Bind>().size(), 1U);
    EXPECT_EQ(t.all<ir::Bind>().front()->var->name, "x");
    // S[0], v = 0, v += x, v += 1, S[1]
    const auto stores = t.all<ir::Store>();
    ASSERT_EQ(stores.size(), 5U);
    EXPECT_EQ(stores[1]->buffer->name, "v");
    EXPECT_EQ(stores[1]->buffer->scope, ir::MemoryScope::kVar);
    EXPECT_EQ(ir::print(stores[4]->value), "v");
}

TEST(TraceExpressions, ConstantsStayStaging)
{
    const auto t = traceLaunch("S: T.Tensor((2,), 'int32')", "n = T.int32(3) + 4\nif n == 7:\n    S[0] = 1\nelse:\n    S[1] = 1");
    EXPECT_TRUE(t.all<ir::If>().empty());
    ASSERT_EQ(t.all<ir::Store>().size(), 1U);
}

TEST(TraceExpressions, SwapReadsBothSidesFirst)
{
    const auto t = traceLaunch("S: T.Tensor((2,), 'int32')", "S[0], S[1] = S[1], S[0]");
    EXPECT_TRUE(t.broken().empty());
    EXPECT_EQ(t.all<ir::Bind>().size(), 2U);
    EXPECT_EQ(t.all<ir::Store>().size(), 2U);
}

TEST(TraceExpressions, NegativeConstantsCountFromTheEnd)
{
    const auto t = traceLaunch("S: T.Tensor((8,), 'int32')", "S[-1] = S[-8]");
    const auto stores = t.all<ir::Store>();
    ASSERT_EQ(stores.size(), 1U);
    EXPECT_EQ(ir::print(stores[0]->indices[0]), "7");
    EXPECT_EQ(ir::print(stores[0]->value), "S[0]");
    EXPECT_NE(traceLaunch("S: T.Tensor((8,), 'int32')", "S[-9] = 0").firstError().find("out of range"), std::string::npos);
    EXPECT_NE(traceLaunch("S: T.Tensor((8,), 'int32')", "S[8] = 0").firstError().find("out of range"), std::string::npos);
}

TEST(TraceExpressions, ChainsAndLogic)
{
    const auto t = traceLaunch("S: T.Tensor((8,), 'int32')", "for i in T.Parallel(8):\n    if 0 <= i < 4 and not (i == 2):\n        S[i] = 1");
    ASSERT_EQ(t.all<ir::If>().size(), 1U);
    EXPECT_EQ(ir::print(t.all<ir::If>()[0]->condition), "0 <= i and i < 4 and not i == 2");
}

TEST(TraceExpressions, TruthOutsideOfStatementsIsAnError)
{
    const auto t = traceLaunch("S: T.Tensor((8,), 'int32')", "for i in T.serial(min(4, bx)):\n    S[i] = 0");
    EXPECT_NE(t.firstError().find("T.min"), std::string::npos) << t.firstError();
}

TEST(TraceExpressions, LiteralsMustFit)
{
    EXPECT_NE(traceLaunch("S: T.Tensor((8,), 'int8')", "S[0] = T.int8(300)").firstError().find("300"), std::string::npos);
    EXPECT_TRUE(traceLaunch("S: T.Tensor((8,), 'int8')", "S[0] = T.int8(-128)").firstError().empty());
}

}  // namespace
}  // namespace tw::staging::test
