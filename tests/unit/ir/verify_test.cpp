// Each broken invariant is caught, and said in a sentence that names it.
#include "core/ir/verify.h"

#include <gtest/gtest.h>

#include "tests/unit/ir/build_ir.h"

namespace tw::ir {
namespace {

using namespace test;

const Buffer kOut = makeBuffer("out", {intImm(8)});

std::string firstProblem(Stmt body)
{
    const auto problems = verify(function({kOut}, std::move(body)));
    return problems.empty() ? "" : problems.front();
}

Stmt nest(const Var& i, Stmt body)
{
    return loop(ForKind::kSerial, {{i, intImm(8)}}, std::move(body));
}

TEST(Verify, AcceptsAGoodFunction)
{
    const Var i = makeVar("i");
    EXPECT_EQ(firstProblem(launch({intImm(1)}, {makeVar("b")}, nest(i, store(kOut, {i}, floatImm(1))))), "");
}

TEST(Verify, Scopes)
{
    const Var i = makeVar("i");
    const Stmt use = store(kOut, {i}, floatImm(1));
    EXPECT_EQ(firstProblem(use), "variable i is used outside of its scope");
    EXPECT_EQ(firstProblem(sequence({nest(i, use), use})), "variable i is used outside of its scope");
    EXPECT_EQ(firstProblem(sequence({nest(i, use), nest(i, use)})), "variable i is bound twice");
    const Buffer other = makeBuffer("other", {intImm(4)});
    EXPECT_EQ(firstProblem(store(other, {intImm(0)}, floatImm(1))), "buffer other is used outside of its scope");
    EXPECT_EQ(firstProblem(sequence({allocate(other), allocate(other)})), "buffer other is allocated twice");
}

TEST(Verify, IndicesAndTypes)
{
    EXPECT_EQ(firstProblem(store(kOut, {intImm(0), intImm(0)}, floatImm(1))), "out has 1 axes but is accessed with 2 indices");
    EXPECT_EQ(firstProblem(store(kOut, {floatImm(0)}, floatImm(1))), "an index of out is no integer");
    EXPECT_EQ(firstProblem(store(kOut, {intImm(0)}, intImm(1))), "a store of int32 into out of float32");
    const Expr mixed = std::make_shared<Binary>(kInt32, BinaryOp::kAdd, intImm(1), intImm(1, kInt64));
    EXPECT_EQ(firstProblem(store(kOut, {mixed}, floatImm(1))), "operands of types int32 and int64 in 1 + 1");
    const Stmt branch = std::make_shared<If>(intImm(1), store(kOut, {intImm(0)}, floatImm(1)));
    EXPECT_EQ(firstProblem(branch), "the condition of an if is no bool");
}

TEST(Verify, Operations)
{
    EXPECT_EQ(firstProblem(op(OpId::kCopy, {whole(kOut)})), "copy lacks its operand dst");
    EXPECT_EQ(firstProblem(op(OpId::kClear, {intImm(0)})), "operand dst of clear is of the wrong kind");
    EXPECT_EQ(firstProblem(op(OpId::kClear, {whole(kOut), whole(kOut)})), "clear takes 1 operands but has 2");
    const Region flat{kOut, {}, {}};
    EXPECT_EQ(firstProblem(op(OpId::kClear, {flat})), "out has 1 axes but a region of it has 0");
    Function f = function({kOut}, op(OpId::kClear, {whole(kOut)}));
    f.stage = Stage::kThread;
    EXPECT_EQ(verify(f).front(), "clear is not legal in this stage");
}

TEST(Verify, StageRecords)
{
    const auto problem = [](std::vector<Operand> operands, Attrs attrs, Stage stage = Stage::kThread) {
        const Stmt with = launch({intImm(1)}, {makeVar("b")}, op(OpId::kStageRecord, std::move(operands)));
        auto changed = std::make_shared<Launch>(*as<Launch>(with));
        changed->attrs = std::move(attrs);
        Function f = function({kOut}, changed);
        f.stage = stage;
        const auto problems = verify(f);
        return problems.empty() ? "" : problems.front();
    };
    const Attrs table{{"record_kinds", std::vector<std::string>{"wait", "tensor"}}};
    EXPECT_EQ(problem({intImm(0)}, table), "");
    EXPECT_EQ(problem({intImm(2)}, table), "");
    EXPECT_EQ(problem({intImm(3)}, table), "a stage record of event 3, but the launch has events 0 to 2");
    EXPECT_EQ(problem({makeVar("i")}, table), "a stage record of event i, but the launch has events 0 to 2");
    EXPECT_EQ(problem({intImm(1)}, {}), "a stage record in a launch without a table of its events");
    EXPECT_EQ(problem({}, table), "stage_record lacks its operand event");
    EXPECT_EQ(problem({intImm(1)}, table, Stage::kTile), "stage_record is not legal in this stage");
}

TEST(Verify, Structure)
{
    const Stmt clear = op(OpId::kClear, {whole(kOut)});
    EXPECT_EQ(firstProblem(std::make_shared<Seq>(std::vector<Stmt>{clear})), "a sequence of one statement");
    EXPECT_EQ(firstProblem(std::make_shared<Seq>(std::vector<Stmt>{clear, sequence({clear, clear})})),
              "a sequence directly inside a sequence");
    EXPECT_EQ(firstProblem(std::make_shared<Break>()), "a break or continue outside of a loop");
    const Var n = makeVar("n");
    Function f = function({kOut}, allocate(makeBuffer("tile", {n}, kFloat32, MemoryScope::kShared)));
    f.symbols = {n};
    EXPECT_EQ(verify(f).front(), "the on-chip buffer tile has an extent that is no constant");
}

}  // namespace
}  // namespace tw::ir
