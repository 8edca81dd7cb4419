#include <gtest/gtest.h>

#include "parse_helper.h"

namespace tw::syntax {

namespace {

std::string tree(const std::string& text)
{
    const Parsed parsed = parseText(text);
    return parsed.errors.empty() ? parsed.tree : parsed.errors[0];
}

}  // namespace

TEST(Statement, Assignments)
{
    EXPECT_EQ(tree("a = b, *c = d\n"), "(Assign [ (Name a) (Tuple [ (Name b) (Starred (Name c))])] (Name d))\n");
    EXPECT_EQ(tree("a[i] //= 2"), "(AugAssign (Subscript (Name a) (Name i)) // (Int 2))\n");
    EXPECT_EQ(tree("x: int = 1"), "(AnnAssign (Name x) (Name int) (Int 1))\n");
    EXPECT_EQ(tree("A: T.Tensor((n,), f)"),
              "(AnnAssign (Name A) (Call (Attribute (Name T) Tensor) [ (Tuple [ (Name n)]) (Name f)]) -)\n");
    EXPECT_EQ(tree("f() = 1"), "1:1: cannot assign to the result of a call; use '==' to compare");
}

TEST(Statement, LineJoining)
{
    EXPECT_EQ(tree("x = 1 + \\\n  2\n"), "(Assign [ (Name x)] (Binary + (Int 1) (Int 2)))\n");
    EXPECT_EQ(tree("x = (1 + # one\n\n2)\n"), "(Assign [ (Name x)] (Binary + (Int 1) (Int 2)))\n");
    EXPECT_EQ(tree("a; b;\r\n\f\r\nc"), "(Expr (Name a))\n(Expr (Name b))\n(Expr (Name c))\n");
    EXPECT_EQ(tree("\xEF\xBB\xBF# -*- coding: utf-8 -*-\nä = 1"), "(Assign [ (Name \xC3\xA4)] (Int 1))\n");
    EXPECT_EQ(tree("if a:\n\tb\n\tc\n"), "(If (Name a))\n  (Expr (Name b))\n  (Expr (Name c))\n");
}

TEST(Statement, Blocks)
{
    EXPECT_EQ(tree("if a: b\nelif c:\n  d\nelse:\n  e\n"),
              "(If (Name a))\n  (Expr (Name b))\nelse\n  (If (Name c))\n    (Expr (Name d))\n  else\n    (Expr (Name e))\n");
    EXPECT_EQ(tree("for i, j in a:\n  break\nelse:\n  pass"),
              "(For (Tuple [ (Name i) (Name j)]) (Name a))\n  (Break)\nelse\n  (Pass)\n");
    EXPECT_EQ(tree("with (a as b, c,):\n  pass"), "(With (Name a) (Name b) (Name c) -)\n  (Pass)\n");
    EXPECT_EQ(tree("with (a, b) as c:\n  pass"), "(With (Tuple [ (Name a) (Name b)]) (Name c))\n  (Pass)\n");
    EXPECT_EQ(tree("with T.Kernel(n) as (bx, by), r(1):\n  pass"),
              "(With (Call (Attribute (Name T) Kernel) [ (Name n)]) (Tuple [ (Name bx) (Name by)]) (Call (Name r) [ (Int 1)]) "
              "-)\n  (Pass)\n");
    EXPECT_EQ(tree("try:\n  a\nexcept* E as e:\n  b\nfinally:\n  c"),
              "(Try)\n  (Expr (Name a))\n(except* (Name E) e)\n  (Expr (Name b))\nfinally\n  (Expr (Name c))\n");
}

TEST(Statement, Definitions)
{
    EXPECT_EQ(tree("@a.b\n@c(1)\ndef f[T: int, *U](x: T, *, y=2) -> None: pass"),
              "(Def f [ (Attribute (Name a) b) (Call (Name c) [ (Int 1)])] < T (Name int) *U -> [ x (Name T) - =y - (Int 2)] "
              "(None))\n  (Pass)\n");
    EXPECT_EQ(tree("class A(B, metaclass=M):\n  x = 1"),
              "(Class A [] [ (Name B)metaclass= (Name M)])\n  (Assign [ (Name x)] (Int 1))\n");
    EXPECT_EQ(tree("async def f():\n  async for a in b: await c"),
              "(AsyncDef f [] [] -)\n  (AsyncFor (Name a) (Name b))\n    (Expr (Await (Name c)))\n");
    EXPECT_EQ(tree("type X[T] = list[T]"), "(TypeAlias X < T -> (Subscript (Name list) (Name T)))\n");
    EXPECT_EQ(tree("type = 1"), "(Assign [ (Name type)] (Int 1))\n");
}

TEST(Statement, Match)
{
    EXPECT_EQ(tree("match x, y:\n  case [1, *_] | {'a': b, **r} if c:\n    pass\n  case P(q, k=-1) as z: pass\n"),
              "(Match (Tuple [ (Name x) (Name y)]))\n"
              "case (OrPattern (Sequence (Value (Int 1)) (Star -)) (Mapping (Str \"a\") (Capture b) r)) (Name c)\n  (Pass)\n"
              "case (Capture z (ClassPattern (Name P) (Capture q) k= (Value (Unary - (Int 1))))) -\n  (Pass)\n");
    EXPECT_EQ(tree("match(x)\nmatch = 3\nmatch[0]: int = 1\n"),
              "(Expr (Call (Name match) [ (Name x)]))\n(Assign [ (Name match)] (Int 3))\n"
              "(AnnAssign (Subscript (Name match) (Int 0)) (Name int) (Int 1))\n");
}

TEST(Statement, Imports)
{
    EXPECT_EQ(tree("import a.b as c, d"), "(Import a.b as c d)\n");
    EXPECT_EQ(tree("from ...m import (a as b,\n  c,)"), "(ImportFrom 3 m a as b c)\n");
    EXPECT_EQ(tree("from . import *"), "(ImportFrom 1 - *)\n");
}

}  // namespace tw::syntax
