#include <gtest/gtest.h>

#include "parse_helper.h"

namespace tw::syntax {

namespace {

std::string repeat(const std::string& text, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

}  // namespace

TEST(Limits, DeepTextIsOneDiagnostic)
{
    constexpr int kMany = 20000;
    for (const std::string unit : {"(", "[", "{1:", "-", "not ", "a+", "a**", "lambda:", "a if b else ", "f\"{", "f(", "f(a for a in "}) {
        const Parsed parsed = parseText("x = " + repeat(unit, kMany) + "1\n");
        ASSERT_EQ(parsed.errors.size(), 1U) << unit;
        EXPECT_NE(parsed.errors[0].find("nested more than 200 levels deep"), std::string::npos) << unit << parsed.errors[0];
    }
    EXPECT_EQ(parseText("x = a" + repeat(".b()", kMany)).errors.size(), 1U);
    EXPECT_EQ(parseText("if a:\n  b\n" + repeat("elif c:\n  d\n", kMany)).errors.size(), 1U);
    std::string blocks;
    for (int i = 0; i < 1000; ++i)
        blocks += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
    EXPECT_EQ(parseText(blocks + std::string(1000, ' ') + "b\nc\n").errors.size(), 1U);
}

TEST(Limits, LongButFlatIsFine)
{
    EXPECT_TRUE(parseText("x = [" + repeat("1, ", 50000) + "]\n").errors.empty());
    EXPECT_TRUE(parseText("x = a" + repeat(" < a", 20000) + "\n").errors.empty());
    EXPECT_TRUE(parseText("x = " + repeat("'a' ", 20000) + "\n").errors.empty());
}

TEST(Limits, NotText)
{
    EXPECT_EQ(parseText(std::string("x = 1\0y", 7)).errors.size(), 1U);
    EXPECT_EQ(parseText("x = '\xFF'").errors.size(), 1U);
    EXPECT_EQ(parseText("x = '\xED\xA0\x80'").errors.size(), 1U);  // a surrogate
}

TEST(Limits, TooLarge)
{
    DiagnosticSink sink;
    const auto source = std::make_shared<const SourceText>("a.py", std::string((std::size_t{16} << 20U) + 1, '\n'));
    EXPECT_TRUE(parse(source, 0, sink)->body.empty());
    ASSERT_EQ(sink.all().size(), 1U);
    EXPECT_EQ(sink.all()[0].code, Code::kTooLarge);
}

TEST(Limits, ManyErrorsStopBeingReported)
{
    EXPECT_EQ(parseText(repeat("x = = 1\n", 20000)).errors.size(), 100U);
    EXPECT_EQ(parseText(repeat("with (a\n", 5000)).errors.size(), 100U);
}

}  // namespace tw::syntax
