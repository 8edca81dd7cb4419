#include "core/analysis/tensor_roles.h"

#include <gtest/gtest.h>

#include "tests/unit/ir/build_ir.h"

namespace tw::analysis {
namespace {

using namespace ir;
using namespace ir::test;

const Buffer kA = makeBuffer("A", {intImm(64)});
const Buffer kB = makeBuffer("B", {intImm(64)});
const Var kI = makeVar("i");
const std::vector<Expr> kAtI{kI};

Stmt nest(Stmt body, const Var& var = kI)
{
    return loop(ForKind::kParallel, {{var, intImm(64)}}, std::move(body));
}

Stmt inLaunch(Stmt body)
{
    return launch({intImm(1)}, {makeVar("b")}, std::move(body));
}

std::string roles(const Stmt& body, std::vector<int> returned = {})
{
    Function f = function({kA, kB}, body);
    f.returned = std::move(returned);
    std::string text;
    for (TensorRole role : tensorRoles(f))
        text += role == TensorRole::kIn ? "in " : role == TensorRole::kOut ? "out " : role == TensorRole::kInOut ? "inout " : "unused ";
    return text;
}

TEST(TensorRoles, CopyAndUpdate)
{
    EXPECT_EQ(roles(inLaunch(nest(store(kB, kAtI, load(kA, kAtI))))), "in out ");
    EXPECT_EQ(roles(inLaunch(nest(store(kB, kAtI, binary(BinaryOp::kAdd, load(kB, kAtI), floatImm(1)))))), "unused inout ");
    EXPECT_EQ(roles(inLaunch(op(OpId::kAtomicAdd, {Region{kB, {intImm(0)}, {intImm(1)}}, Expr(floatImm(1))}))), "unused inout ");
}

TEST(TensorRoles, ReadingBackWhatThisLaunchWrote)
{
    const Var other = makeVar("k");
    const Stmt fill = nest(store(kB, kAtI, floatImm(0)));
    const Stmt again = nest(store(kB, {other}, binary(BinaryOp::kAdd, load(kB, {other}), load(kA, {other}))), other);
    EXPECT_EQ(roles(inLaunch(sequence({fill, again}))), "in out ");
    EXPECT_EQ(roles(sequence({inLaunch(fill), inLaunch(again)})), "in out ");
    const Stmt maybe = std::make_shared<If>(less(makeVar("n"), intImm(3)), fill);
    EXPECT_EQ(roles(inLaunch(sequence({maybe, again}))), "in inout ");
}

TEST(TensorRoles, ReturnedIsOut)
{
    const Stmt update = inLaunch(nest(store(kB, kAtI, binary(BinaryOp::kAdd, load(kB, kAtI), floatImm(1)))));
    EXPECT_EQ(roles(update, {1}), "unused out ");
}

}  // namespace
}  // namespace tw::analysis
