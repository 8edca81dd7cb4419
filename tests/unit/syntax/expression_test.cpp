#include <gtest/gtest.h>

#include "parse_helper.h"

namespace tw::syntax {

TEST(Expression, BindsAsPythonDoes)
{
    EXPECT_EQ(expressionTree("a + b * c"), "(Binary + (Name a) (Binary * (Name b) (Name c)))");
    EXPECT_EQ(expressionTree("-a ** -b"), "(Unary - (Binary ** (Name a) (Unary - (Name b))))");
    EXPECT_EQ(expressionTree("a ** b ** c"), "(Binary ** (Name a) (Binary ** (Name b) (Name c)))");
    EXPECT_EQ(expressionTree("a - b - c"), "(Binary - (Binary - (Name a) (Name b)) (Name c))");
    EXPECT_EQ(expressionTree("a | b ^ c & d << e"),
              "(Binary | (Name a) (Binary ^ (Name b) (Binary & (Name c) (Binary << (Name d) (Name e)))))");
    EXPECT_EQ(expressionTree("not a in b"), "(Unary not (Compare (Name a) in (Name b)))");
    EXPECT_EQ(expressionTree("a < b is not c"), "(Compare (Name a) < (Name b) is-not (Name c))");
    EXPECT_EQ(expressionTree("a or b and not c or d"),
              "(Or [ (Name a) (And [ (Name b) (Unary not (Name c))]) (Name d)])");
    EXPECT_EQ(expressionTree("a if b else c if d else e"),
              "(IfElse (Name b) (Name a) (IfElse (Name d) (Name c) (Name e)))");
    EXPECT_EQ(expressionTree("await a ** b"), "(Binary ** (Await (Name a)) (Name b))");
}

TEST(Expression, CallsAndSubscripts)
{
    EXPECT_EQ(expressionTree("f(a, *b, k=c, **d)"),
              "(Call (Name f) [ (Name a)* (Name b)k= (Name c)** (Name d)])");
    EXPECT_EQ(expressionTree("A[i, a:b, ::2, ...].T"),
              "(Attribute (Subscript (Name A) (Tuple [ (Name i) (Slice (Name a) (Name b) -) (Slice - - (Int 2)) "
              "(Ellipsis)])) T)");
    EXPECT_EQ(expressionTree("A[i,]"), "(Subscript (Name A) (Tuple [ (Name i)]))");
    EXPECT_EQ(expressionTree("f(x for x in y if z)"),
              "(Call (Name f) [ (Generator (Name x) for (Name x) (Name y) [ (Name z)])])");
    EXPECT_EQ(expressionTree("f(n := 3)"), "(Call (Name f) [ (Walrus n (Int 3))])");
}

TEST(Expression, DisplaysAndComprehensions)
{
    EXPECT_EQ(expressionTree("()"), "(Tuple [])");
    EXPECT_EQ(expressionTree("(a)"), "(Name a)");
    EXPECT_EQ(expressionTree("[a, *b]"), "(List [ (Name a) (Starred (Name b))])");
    EXPECT_EQ(expressionTree("{a: b, **c}"), "(Dict (Name a) (Name b) - (Name c))");
    EXPECT_EQ(expressionTree("{a, b}"), "(Set [ (Name a) (Name b)])");
    EXPECT_EQ(expressionTree("{}"), "(Dict)");
    EXPECT_EQ(expressionTree("{k: v for k, v in d}"),
              "(DictComp (Name k) (Name v) for (Tuple [ (Name k) (Name v)]) (Name d) [])");
    EXPECT_EQ(expressionTree("lambda a, /, b=1, *c, d, **e: a"),
              "(Lambda [ /a - - b - (Int 1) *c - - =d - - **e - -] (Name a))");
}

TEST(Expression, FormatStrings)
{
    EXPECT_EQ(expressionTree("f'a{b!r:>{w}}c'"), "(Format [ \"a\" { (Name b) !r [ \">\" { (Name w)}]} \"c\"])");
    EXPECT_EQ(expressionTree("f'{x=}' 'y' f'{{z}}'"), "(Format [ { \"x=\" (Name x)} \"y{z}\"])");
    EXPECT_EQ(expressionTree("f'{d['k']}'"), "(Format [ { (Subscript (Name d) (Str \"k\"))}])");
    EXPECT_EQ(expressionTree("f'{f'{f'{1}'}'}'"), "(Format [ { (Format [ { (Format [ { (Int 1)}])}])}])");
    EXPECT_EQ(expressionTree("f'{a != b}'"), "(Format [ { (Compare (Name a) != (Name b))}])");
    EXPECT_EQ(expressionTree("f'{x:=5}'"), "(Format [ { (Name x) [ \"=5\"]}])");
    EXPECT_EQ(expressionTree("rf'\\d{x}'"), "(Format [ \"\\\\d\" { (Name x)}])");
}

TEST(Expression, RangesAreExact)
{
    const Parsed parsed = parseText("y = (a + b).c[1]\n", DumpRanges::kBytes);
    EXPECT_EQ(parsed.tree,
              "(Assign@0-16 [ (Name@0-1 y)] (Subscript@4-16 (Attribute@4-13 (Binary@5-10 + (Name@5-6 a) (Name@9-10 b)) c) "
              "(Int@14-15 1)))\n");
}

TEST(Expression, QuotedTextPointsIntoItsFile)
{
    DiagnosticSink sink;
    const ExprPtr expr = parseExpression("int | None", {2, 100, 110}, sink);
    EXPECT_EQ(expr->range, (SourceRange{2, 100, 110}));
}

}  // namespace tw::syntax
