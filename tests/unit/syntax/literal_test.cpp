#include <gtest/gtest.h>

#include "parse_helper.h"

namespace tw::syntax {

TEST(Literal, Numbers)
{
    EXPECT_EQ(expressionTree("1_000"), "(Int 1000)");
    EXPECT_EQ(expressionTree("0xFF_ff"), "(Int 65535)");
    EXPECT_EQ(expressionTree("0o17"), "(Int 15)");
    EXPECT_EQ(expressionTree("0b1010"), "(Int 10)");
    EXPECT_EQ(expressionTree("00"), "(Int 0)");
    EXPECT_EQ(expressionTree("0xFFFFFFFFFFFFFFFF"), "(Int 18446744073709551615)");
    EXPECT_EQ(expressionTree("170141183460469231731687303715884105727"), "(Int 170141183460469231731687303715884105727)");
    EXPECT_EQ(expressionTree("170141183460469231731687303715884105728"), "(Int large)");
    EXPECT_EQ(expressionTree("1e-5"), "(Float 1e-05)");
    EXPECT_EQ(expressionTree("1_0.5_0"), "(Float 10.5)");
    EXPECT_EQ(expressionTree(".5"), "(Float 0.5)");
    EXPECT_EQ(expressionTree("1."), "(Float 1)");
    EXPECT_EQ(expressionTree("1e999"), "(Float inf)");
    EXPECT_EQ(expressionTree("1e-999"), "(Float 0)");
    EXPECT_EQ(expressionTree("2.5j"), "(Imaginary 2.5)");
    EXPECT_EQ(expressionTree("1if x else 2"), "(IfElse (Name x) (Int 1) (Int 2))");
}

TEST(Literal, WrongNumbersAreReported)
{
    for (const std::string text : {"0123", "1__0", "1_", "0x", "0b12", "12ab", "0xfg"})
        EXPECT_EQ(parseText("x = " + text).errors.size(), 1U) << text;
}

TEST(Literal, Strings)
{
    EXPECT_EQ(expressionTree(R"('a\n\x41\101\u00e9\'')"), "(Str \"a\\x0aAA\\xc3\\xa9'\")");
    EXPECT_EQ(expressionTree(R"(r'\n' 'b')"), R"((Str "\\nb"))");
    EXPECT_EQ(expressionTree(R"(b'\xff\u')"), R"((Bytes "\xff\\u"))");
    EXPECT_EQ(expressionTree(R"('\d\N{DASH}')"), R"((Str "\\d\\N{DASH}"))");
    EXPECT_EQ(expressionTree("'''a\r\nb'''"), "(Str \"a\\x0ab\")");
    EXPECT_EQ(expressionTree("'a\\\nb'"), "(Str \"ab\")");
    EXPECT_EQ(expressionTree("\"\"\"a\"b\"\"\""), "(Str \"a\\\"b\")");
    EXPECT_EQ(parseText("x = '\\x4'").errors.size(), 1U);
    EXPECT_EQ(parseText("x = 'a' b'c'").errors.size(), 1U);
}

}  // namespace tw::syntax
