#include "profiler/report/charts.h"

#include <regex>

#include <gtest/gtest.h>

#include "profiler/report/style.h"
#include "profiler/report/svg.h"
#include "tests/unit/report/sample.h"

namespace tw::report {
namespace {

int count(const std::string& text, const std::string& what)
{
    int n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
        ++n;
    return n;
}

// Elements open and close in order: a small check, enough for what we write.
bool isWellFormed(const std::string& svg)
{
    static const std::regex kTag("<(/?)([a-z]+)[^<>]*?(/?)>");
    std::vector<std::string> open;
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), kTag); it != std::sregex_iterator(); ++it) {
        if ((*it)[3] == "/")
            continue;
        if ((*it)[1] != "/") {
            open.push_back((*it)[2]);
        } else {
            if (open.empty() || open.back() != (*it)[2])
                return false;
            open.pop_back();
        }
    }
    return open.empty() && !svg.empty();
}

TEST(Charts, AllAreWellFormed)
{
    const auto c = test::fullCapture();
    for (const std::string& svg : {headlineChart(c), stallChart(c), samplesChart(c.samplesUs), rooflineChart(c.roofline), timelineChart(c.timelines[0]),
                                   seriesChart(c.series), groupedBars({"a", "b"}, {{"x", "us", {1, 2}}}), standalone(headlineChart(c))})
        EXPECT_TRUE(isWellFormed(svg)) << svg.substr(0, 400);
}

TEST(Charts, AreEmptyWithoutData)
{
    const capture::Capture c;
    for (const std::string& svg : {headlineChart(c), stallChart(c), samplesChart({}), samplesChart({1}), rooflineChart({}), timelineChart({}), seriesChart({}),
                                   groupedBars({}, {}), standalone("")})
        EXPECT_EQ(svg, "");
}

TEST(Charts, ABarIsAsLongAsItsShare)
{
    capture::Capture c;
    c.metrics.push_back({.name = capture::metric::kTensorPipe, .value = 50, .unit = "%", .launch = -1});
    const std::string svg = headlineChart(c);
    // The track is 700 wide, its half 350.
    EXPECT_NE(svg.find("width=\"700.00\""), std::string::npos) << svg;
    EXPECT_NE(svg.find("width=\"350.00\""), std::string::npos);
}

TEST(Charts, TheRooflinePointStandsOnItsPlace)
{
    // 1000 operations a byte, 5e14 a second. Axes: x from 4e12 B/s: ridge 200, so 200/50 = 4 … 2000 → 1 … 10000; y 2.5e14 … 1.2e15 → 1e14 … 1e16.
    const std::string svg = rooflineChart(test::fullCapture().roofline);
    const double x = 92 + (1080 - 40 - 92) * 3.0 / 4, y = 410 + (20 - 410) * (std::log10(5e14) - 14) / 2;
    char place[64];
    std::snprintf(place, sizeof place, "<circle cx=\"%.2f\" cy=\"%.2f\"", x, y);
    EXPECT_NE(svg.find(place), std::string::npos) << place << "\n" << svg;
}

TEST(Charts, HollowPointsAreNotMeasured)
{
    auto roofline = test::fullCapture().roofline;
    EXPECT_EQ(count(rooflineChart(roofline), "fill=\"none\""), 0);
    roofline.points[0].origin = capture::Origin::kModelled;
    EXPECT_EQ(count(rooflineChart(roofline), "fill=\"none\""), 1);
}

TEST(Charts, ManyNarrowSpansAreJoined)
{
    capture::Timeline timeline;
    timeline.tracks = {{.role = "producer"}};
    for (int i = 0; i < 100'000; ++i)
        timeline.spans.push_back({.track = 0, .event = "issue", .startNs = 10.0 * i, .endNs = 10.0 * i + 5});
    const std::string svg = timelineChart(timeline);
    EXPECT_LT(count(svg, "<rect"), 3000);
    EXPECT_GT(count(svg, "<rect"), 500);
}

TEST(Svg, CutsBetweenCharacters)
{
    EXPECT_EQ(shortened("→→→", 3), "→→→");
    EXPECT_EQ(shortened("→→→→", 3), "→→…");
    EXPECT_EQ(shortened("", 3), "");
}

TEST(Svg, EscapesEverythingThatMarkupCouldMistake)
{
    EXPECT_EQ(escaped("a<b>&\"'\x01\n"), "a&lt;b&gt;&amp;&quot;&#39;\n");
}

}  // namespace
}  // namespace tw::report
