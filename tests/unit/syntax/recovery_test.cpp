#include <gtest/gtest.h>

#include "parse_helper.h"

namespace tw::syntax {

namespace {

std::vector<std::string> errors(const std::string& text)
{
    return parseText(text).errors;
}
using Errors = std::vector<std::string>;

}  // namespace

TEST(Recovery, UnclosedBracketIsReportedWhereItOpens)
{
    const Parsed parsed = parseText("def f():\n    g(a[i], x\n    h(b)\n\ndef k():\n    pass\n");
    EXPECT_EQ(parsed.errors, (Errors{"2:6: '(' was never closed"}));
    EXPECT_EQ(parsed.tree, "(Def f [] [] -)\n  (Error)\n  (Expr (Call (Name h) [ (Name b)]))\n(Def k [] [] -)\n  (Pass)\n");
    EXPECT_EQ(errors("x = [1,\ndef f():\n    pass\n"), (Errors{"1:5: '[' was never closed"}));
    EXPECT_EQ(errors("f(a, b"), (Errors{"1:2: '(' was never closed"}));
}

TEST(Recovery, HeadOfABlockKeepsItsBody)
{
    const Parsed parsed = parseText("with T.Kernel(1, threads=128 as bx:\n    a\nif f(x:\n    b\n");
    EXPECT_EQ(parsed.errors, (Errors{"1:14: '(' was never closed", "3:5: '(' was never closed"}));
    EXPECT_NE(parsed.tree.find("(Expr (Name a))"), std::string::npos);
    EXPECT_NE(parsed.tree.find("(Expr (Name b))"), std::string::npos);
    EXPECT_EQ(errors("if a\n    b\n"), (Errors{"1:4: expected ':' behind the 'if' statement before the end of line"}));
    EXPECT_EQ(errors("if a = 1:\n    b\n"), (Errors{"1:6: '=' assigns; use '==' to compare"}));
}

TEST(Recovery, MissingCommaIsNotAnOpenBracket)
{
    EXPECT_EQ(errors("f(a b)\ng(c)\n"), (Errors{"1:5: expected ',' or ')' before 'b'"}));
    EXPECT_EQ(errors("f(a]\ng(c)\n"), (Errors{"1:4: ']' cannot close '('"}));
    EXPECT_EQ(errors("f(a))\n"), (Errors{"1:5: ')' closes no bracket"}));
}

TEST(Recovery, Indentation)
{
    const std::string misaligned = "if a:\n        b\n      c\n        d\n";
    EXPECT_EQ(errors(misaligned), (Errors{"3:1: unindent to column 7 does not match the indentation of any enclosing block"}));
    EXPECT_EQ(errors("if a:\n        b\n\tc\n"),
              (Errors{"3:1: indentation mixes tabs and spaces in a way that cannot be compared; use spaces only"}));
    EXPECT_EQ(errors("a\n  b\nc\n"), (Errors{"2:3: unexpected indentation: no block begins on the line before"}));
    EXPECT_EQ(errors("if a:\nb\n"), (Errors{"2:1: expected an indented block behind the 'if' statement on line 1"}));
}

TEST(Recovery, HalfTypedAttribute)
{
    EXPECT_EQ(errors("def f():\n    x = T.\n    y = 1\n"), (Errors{"2:10: expected an attribute name behind '.'"}));
    EXPECT_EQ(errors("f(T.)\n"), (Errors{"1:5: expected an attribute name behind '.'"}));
    EXPECT_EQ(parseText("x = T.\n").tree, "(Assign [ (Name x)] (Error))\n");
}

TEST(Recovery, SeveralErrorsInOnePass)
{
    EXPECT_EQ(errors("a = = 1\nb = 'x\nc = f'{y'\nd = 1 +\n").size(), 4U);
    EXPECT_EQ(errors("fro i in r:\n    a b\n    ok\n").size(), 2U);
    EXPECT_EQ(errors("x = “a”\n"), (Errors{"1:5: unexpected character '“' (U+201C)"}));
}

}  // namespace tw::syntax
