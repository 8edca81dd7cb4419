#include "core/ir/visit.h"

#include <gtest/gtest.h>

#include "core/ir/build.h"

namespace tw::ir {
namespace {

Buffer makeBuffer(const char* name, std::vector<Expr> shape)
{
    BufferNode node;
    node.name = name;
    node.dtype = kFloat32;
    node.shape = std::move(shape);
    return std::make_shared<BufferNode>(std::move(node));
}

// for i in range(n): out[i] = out[i + 1]
Function makeShift(const char* loopName, int offset)
{
    Function f;
    f.name = "shift";
    const Var n = std::make_shared<VarNode>(kInt32, "n");
    const Buffer out = makeBuffer("out", {n});
    const Var i = std::make_shared<VarNode>(kInt32, loopName);
    const Expr load = std::make_shared<Load>(kFloat32, out, std::vector<Expr>{add(i, intImm(offset))});
    const Stmt store = std::make_shared<Store>(out, std::vector<Expr>{i}, load);
    f.symbols = {n};
    f.params = {Param{out}};
    f.body = std::make_shared<For>(ForKind::kSerial, std::vector<Axis>{{i, intImm(0), n, intImm(1)}}, store);
    return f;
}

TEST(Equal, IgnoresNamesButNotStructure)
{
    EXPECT_TRUE(equal(makeShift("i", 1), makeShift("other", 1)));
    EXPECT_FALSE(equal(makeShift("i", 1), makeShift("i", 2)));
    EXPECT_EQ(hash(makeShift("i", 1)), hash(makeShift("other", 1)));
    EXPECT_NE(hash(makeShift("i", 1)), hash(makeShift("i", 2)));
}

TEST(Equal, DistinguishesWhichVariable)
{
    const Var a = std::make_shared<VarNode>(kInt32, "a");
    const Var b = std::make_shared<VarNode>(kInt32, "a");
    EXPECT_TRUE(equal(add(a, intImm(1)), add(a, intImm(1))));
    EXPECT_FALSE(equal(add(a, intImm(1)), add(b, intImm(1))));
}

TEST(Equal, ElementsOfTwoBuffersAreTwoThings)
{
    const Buffer s = makeBuffer("s", {intImm(4)}), t = makeBuffer("t", {intImm(4)});
    const auto first = [](const Buffer& b) -> Expr { return std::make_shared<Load>(kFloat32, b, std::vector<Expr>{intImm(0)}); };
    EXPECT_TRUE(equal(first(s), first(s)));
    EXPECT_FALSE(equal(first(s), first(t)));
    EXPECT_FALSE(equal(sub(first(s), first(t)), sub(first(s), first(s))));
}

TEST(Rewriter, SharesWhatDoesNotChange)
{
    const Function f = makeShift("i", 1);
    const std::map<const ExprNode*, Expr> nothing{{nullptr, intImm(0)}};
    EXPECT_EQ(substitute(f.body, nothing), f.body);
}

TEST(Substitute, ReplacesVariablesInBufferShapes)
{
    const Function f = makeShift("i", 0);
    const Stmt fixed = substitute(f.body, {{f.symbols[0].get(), intImm(8)}});
    const auto* loop = as<For>(fixed);
    ASSERT_TRUE(loop);
    EXPECT_EQ(*asInt(loop->axes[0].end), 8);
    EXPECT_EQ(*asInt(as<Store>(loop->body)->buffer->shape[0]), 8);
    EXPECT_EQ(as<Store>(loop->body)->buffer, as<Load>(as<Store>(loop->body)->value)->buffer);
}

TEST(Sequence, IsFlat)
{
    const Stmt s = std::make_shared<Break>();
    EXPECT_EQ(sequence({s}), s);
    EXPECT_EQ(as<Seq>(sequence({sequence({s, s}), {}, s}))->stmts.size(), 3u);
    EXPECT_TRUE(as<Seq>(sequence({}))->stmts.empty());
}

TEST(Visitor, SeesBuffersAndOperands)
{
    struct Count final : Visitor {
        int buffers = 0;
        void visitBuffer(const Buffer&) override { ++buffers; }
    } count;
    Visitor& visitor = count;
    visitor.visit(makeShift("i", 1).body);
    EXPECT_EQ(count.buffers, 2);
}

}  // namespace
}  // namespace tw::ir
