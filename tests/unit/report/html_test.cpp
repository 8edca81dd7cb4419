#include "profiler/report/html.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/report/sample.h"

namespace tw::report {
namespace {

bool has(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

TEST(Html, ShowsEveryPart)
{
    const std::string page = toHtml(test::fullCapture());
    for (const char* id : {"findings", "peak", "roofline", "operations", "stalls", "timeline", "series", "source", "launches", "metrics", "environment"})
        EXPECT_TRUE(has(page, "<section id=\"" + std::string(id) + "\">")) << id;
    EXPECT_TRUE(has(page, "211 µs"));
    EXPECT_TRUE(has(page, "651 TFLOP/s"));  // 137.4e9 in 211 us
    EXPECT_TRUE(has(page, "<a href=\"#L5\">line 5</a>"));
    EXPECT_TRUE(has(page, "<tr id=\"L5\">"));
    EXPECT_TRUE(has(page, "this driver is too old"));
    if (const char* path = std::getenv("TW_REPORT_OUT"))
        std::ofstream(path) << page;
}

TEST(Html, FetchesAndRunsNothing)
{
    const std::string page = toHtml(test::fullCapture());
    for (const char* word : {"<script", "src=", "@import", "url(", "http-equiv=\"refresh\"", "<link"})
        EXPECT_FALSE(has(page, word)) << word;
}

TEST(Html, AStrangersTextStaysText)
{
    auto c = test::fullCapture();
    const std::string evil = "<script>alert(1)</script>\" onload=\"x";
    c.kernel = c.instance = c.target = c.created = c.notes = c.tilewright = c.environment.gpu = evil;
    c.params = {{evil, evil}};
    c.tags = {evil};
    c.files[0].name = c.files[0].text = evil;
    c.metrics[0].unit = c.metrics[1].name = evil;
    c.operations[0].name = c.findings[0].code = c.findings[0].reason = c.findings[0].edit.label = evil;
    c.operations[0].stalls = {{evil, 1}};
    c.timelines[0].tracks[0].role = c.timelines[0].spans[0].event = evil;
    c.roofline.points[0].name = c.roofline.ceilings[0].name = c.series[0].name = c.series[0].unit = evil;
    c.launches[0].entry = c.launches[0].limiter = evil;
    c.lines[0].stalls = {{evil, 1}};
    c.absences = {{evil, evil}};
    const std::string page = toHtml(c);
    EXPECT_FALSE(has(page, "<script"));
    EXPECT_FALSE(has(page, "\" onload"));
}

TEST(Html, AnEmptyCaptureIsAPage)
{
    const std::string page = toHtml({});
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(has(page, "no device"));
}

TEST(Html, DeltasToTheBaseline)
{
    auto baseline = test::fullCapture();
    baseline.metrics[0].value = 422;
    const std::string page = toHtml(test::fullCapture(), &baseline);
    EXPECT_TRUE(has(page, "<td class=\"n better\">-50.0 %</td>"));
    EXPECT_TRUE(has(page, "<td class=\"n same\">+0.0 %</td>"));
}

}  // namespace
}  // namespace tw::report
