#include "profiler/report/compare_page.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tw::report
