#include "profiler/report/compare_page.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include "profiler/report/code_diff.h"
#include "tests/unit/report/sample.h"

namespace tw::report {
namespace {

TEST(ComparePage, ShowsWhatDiffersAndFoldsTheRest)
{
    const auto a = test::fullCapture();
    auto b = a;
    b.params["block_M"] = "64";
    b.metrics[0].value = 300;
    const std::vector<compare::Variant> variants{{"first", &a}, {"second", &b}};
    const auto rows = compare::rowsOf(variants);
    const std::string page = comparisonPage(variants, rows);
    EXPECT_NE(page.find("<th>block_M=64</th>"), std::string::npos);
    EXPECT_NE(page.find("300 µs <span class=\"same\">+42.2 %</span>"), std::string::npos);
    EXPECT_NE(page.find("<details><summary>show</summary>"), std::string::npos);
    EXPECT_NE(comparisonChart(variants, rows).find("duration_us, measured"), std::string::npos);
    const std::string csv = comparisonCsv(variants, rows);
    EXPECT_TRUE(csv.starts_with("group,name,unit,source,differs,first,second\r\n"));
    EXPECT_NE(csv.find("metrics,duration_us,us,measured,yes,211,300\r\n"), std::string::npos);
    EXPECT_NE(csv.find("settings,target,,,no,sm_90a,sm_90a\r\n"), std::string::npos);
    EXPECT_EQ(comparisonChart({{"x", &a}, {"y", &a}}, compare::rowsOf({{"x", &a}, {"y", &a}})), "");
}

TEST(ComparePage, ProgramsStandSideBySideWithTheirDifferencesMarked)
{
    const auto a = test::fullCapture();
    auto b = a;
    b.files[0].text.replace(b.files[0].text.find("64"), 2, "32");
    const std::vector<compare::Variant> variants{{"first", &a}, {"second", &b}};
    const std::string page = comparisonPage(variants, compare::rowsOf(variants));
    EXPECT_NE(page.find("<td class=\"l\">4</td><td class=\"c\">for k in T.Pipelined(<mark>64</mark>):</td><td class=\"l\">4</td>"
                        "<td class=\"c\">for k in T.Pipelined(<mark>32</mark>):</td>"),
              std::string::npos);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("href=\"http"), std::string::npos);
}

TEST(CodeDiff, EqualPartsAreFoldedAndWrittenOnce)
{
    std::string a, b;
    for (int i = 1; i <= 20; ++i) {
        a += fmt::format("line {}\n", i);
        b += i == 20 ? "line 2O <new>\n" : fmt::format("line {}\n", i);
    }
    const std::string diff = codeDiff({"x", "y"}, {a, b});
    EXPECT_NE(diff.find("<summary>⋯ 16 equal lines</summary>"), std::string::npos);  // three stay around the difference
    EXPECT_EQ(diff.find("line 2</td>"), diff.rfind("line 2</td>"));
    EXPECT_NE(diff.find("line 2<mark>O &lt;new&gt;</mark>"), std::string::npos);
    // A line that only one has leaves a gap in the other.
    EXPECT_NE(codeDiff({"x", "y"}, {"a\nb\n", "a\n"}).find("<td class=\"x\"></td>"), std::string::npos);
    EXPECT_TRUE(codeDiff({"x", "y"}, {a, a}).starts_with("<p class=\"sub\">the same in every variant</p>"));
    EXPECT_EQ(codeDiff({"x", "y"}, {"", ""}), "");
    // Cut at characters, not within one.
    EXPECT_NE(codeDiff({"x", "y"}, {"a → b\n", "a ← b\n"}).find("a <mark>→</mark> b"), std::string::npos);
}

}  // namespace
}  // namespace tw::report
