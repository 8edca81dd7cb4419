#include <gtest/gtest.h>

#include "profiler/device/extents.h"
#include "tests/unit/device/functions.h"

namespace tw::device {
namespace {

using namespace test;

ir::Stmt nothing() { return std::make_shared<const ir::Seq>(std::vector<ir::Stmt>{}); }

TEST(Extents, LinearFormsAreSolvedFromInputs)
{
    const ir::Var n = symbol("n"), m = symbol("m");
    ir::Function f;
    f.params = {{tensor("A", ir::kFloat32, {ir::mul(n, ir::intImm(4))})}, {tensor("B", ir::kFloat32, {ir::add(m, ir::intImm(1)), n})}};
    f.symbols = {n, m};
    f.body = nothing();
    ExtentSources sources;
    sources.inputs = {{"A", {12}}, {"B", {6, 3}}};
    const auto extents = resolveExtents(f, sources);
    ASSERT_TRUE(extents.has_value()) << extents.error();
    EXPECT_EQ(extents->values, (Extents{{"n", 3}, {"m", 5}}));
    EXPECT_TRUE(extents->chosen.empty());

    sources.inputs = {{"A", {13}}, {"B", {6, 3}}};
    EXPECT_FALSE(resolveExtents(f, sources).has_value());
    sources.inputs = {{"A", {12}}, {"B", {6, 4}}};
    EXPECT_FALSE(resolveExtents(f, sources).has_value());
    sources.inputs = {{"A", {12, 1}}};
    EXPECT_FALSE(resolveExtents(f, sources).has_value());
}

TEST(Extents, InputsOutrankTheCallAndYieldToNothing)
{
    const ir::Var n = symbol("n");
    ir::Function f;
    f.params = {{tensor("A", ir::kFloat32, {n})}};
    f.symbols = {n};
    f.body = nothing();
    ExtentSources sources;
    sources.call = {{"n", 7}};
    EXPECT_EQ(resolveExtents(f, sources)->values.at("n"), 7);
    sources.inputs = {{"A", {9}}};
    EXPECT_EQ(resolveExtents(f, sources)->values.at("n"), 9);
    sources.given = {{"n", 8}};
    const auto contradiction = resolveExtents(f, sources);
    ASSERT_FALSE(contradiction.has_value());
    EXPECT_EQ(contradiction.error(), "axis 0 of A has extent 8, but the given array has 9");
}

TEST(Extents, ChosenOnesMoveToWhatTheKernelAssumes)
{
    const ir::Var n = symbol("n");
    ir::Function f;
    f.params = {{tensor("A", ir::kFloat32, {n})}};
    f.symbols = {n};
    const ir::Expr divides = ir::binary(ir::BinaryOp::kEq, ir::floorMod(n, ir::intImm(48)), ir::intImm(0));
    f.body = std::make_shared<const ir::Assert>(divides, "n is a multiple of 48");
    ExtentSources sources;
    for (const auto& [wish, value] : {std::pair{1024, 1008}, {1, 48}, {127, 144}}) {
        sources.chosen = wish;
        const auto extents = resolveExtents(f, sources);
        ASSERT_TRUE(extents.has_value());
        EXPECT_EQ(extents->values.at("n"), value);
        EXPECT_EQ(extents->chosen, std::vector<std::string>{"n"});
    }
}

// 1024 along three axes would be 4 GB: fewer are chosen, until a tensor has at most 2^24 elements.
TEST(Extents, ChosenOnesStaySmallTogether)
{
    const ir::Var m = symbol("m"), n = symbol("n"), k = symbol("k");
    ir::Function f;
    f.params = {{tensor("A", ir::kFloat32, {m, n, k})}, {tensor("B", ir::kFloat32, {k})}};
    f.symbols = {m, n, k};
    f.body = nothing();
    EXPECT_EQ(resolveExtents(f, {})->values, (Extents{{"k", 256}, {"m", 256}, {"n", 256}}));
    ExtentSources sources;
    sources.given = {{"m", 2}};
    EXPECT_EQ(resolveExtents(f, sources)->values, (Extents{{"k", 1024}, {"m", 2}, {"n", 1024}}));
}

TEST(Extents, StridesNobodyGaveAreContiguous)
{
    const ir::Var m = symbol("m"), n = symbol("n"), s = symbol("s");
    ir::Function f;
    f.params = {{tensor("A", ir::kFloat32, {m, n}, {s, ir::intImm(1)})}};
    f.symbols = {m, n, s};
    f.body = nothing();
    ExtentSources sources;
    sources.given = {{"m", 3}, {"n", 5}};
    const auto extents = resolveExtents(f, sources);
    ASSERT_TRUE(extents.has_value()) << extents.error();
    EXPECT_EQ(extents->values.at("s"), 5);
}

}  // namespace
}  // namespace tw::device
