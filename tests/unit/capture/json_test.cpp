#include "profiler/capture/json.h"

#include <limits>

#include <gtest/gtest.h>

namespace tw::capture {
namespace {

Capture sample()
{
    Capture c;
    c.files = {{"gemm.py", "import tilelang\n"}};
    c.kernel = "matmul";
    c.params = {{"block_M", "128"}};
    Launch launch;
    launch.entry = "matmul_kernel";
    launch.registers = 168;
    c.launches.push_back(launch);
    c.metrics.push_back({.name = metric::kDuration, .value = 12.5, .unit = "us", .launch = 0, .samples = 9, .spread = 0.01});
    c.metrics.push_back({.name = metric::kFlops, .value = 2e9, .unit = "count", .launch = -1, .origin = Origin::kModelled});
    c.timelines.push_back({.origin = Origin::kSimulated, .tracks = {{.role = "producer"}}, .spans = {{.track = 0, .event = "issue", .iteration = 3, .endNs = 40}}});
    Finding finding;
    finding.code = "bank-conflicts";
    finding.value = 8;
    finding.edit = {"swizzle", {{{0, 1, 2}, "x"}}, 1.2};
    c.findings.push_back(finding);
    c.absences = {{"counters", "no permission"}};
    return c;
}

TEST(CaptureJson, KeepsWhatItIsGiven)
{
    const auto got = fromJson(toJson(sample()));
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ(got->metrics.at(1).origin, Origin::kModelled);
    EXPECT_EQ(got->metrics.at(0).samples, 9);
    EXPECT_EQ(got->timelines.at(0).spans.at(0).iteration, 3);
    EXPECT_EQ(got->timelines.at(0).origin, Origin::kSimulated);
    EXPECT_EQ(got->findings.at(0).edit.changes.at(0).range, (SourceRange{0, 1, 2}));
    EXPECT_EQ(toJson(*got), toJson(sample()));
}

TEST(CaptureJson, FindsMetricsByLaunch)
{
    Capture c = sample();
    ASSERT_NE(findMetric(c, metric::kDuration), nullptr);  // the only launch stands for the call
    EXPECT_EQ(findMetric(c, metric::kDuration, 1), nullptr);
    c.metrics.push_back(c.metrics.front());
    c.metrics.back().value += 1;  // a model's, behind the measured one
    EXPECT_EQ(findMetric(c, c.metrics.front().name), &c.metrics.front());
    EXPECT_EQ(findMetric(c, metric::kFlops)->value, 2e9);
    EXPECT_EQ(findMetric(c, metric::kFlops, 0), nullptr);
}

TEST(CaptureJson, OneNumberThatIsNotFiniteDoesNotLoseTheCapture)
{
    Capture c = sample();
    c.metrics[0].value = std::numeric_limits<double>::infinity();
    const auto got = fromJson(toJson(c));
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ(got->metrics.at(0).value, 0);
    EXPECT_EQ(got->metrics.at(1).value, 2e9);
}

TEST(CaptureJson, RefusesWhatIsNoCapture)
{
    for (const std::string& text : {std::string(), std::string("\xff\xfe"), std::string("[]"), std::string("{}"), std::string("{\"format\": \"x\"}"),
                                   std::string("{\"format\": 1}"), std::string(100000, '[')})
        EXPECT_FALSE(fromJson(text)) << text.substr(0, 40);
    EXPECT_NE(fromJson("{\"format\": 99}").error().find("newer"), std::string::npos);
}

TEST(CaptureJson, RefusesASpanWithoutItsTrack)
{
    Capture c = sample();
    c.timelines[0].spans[0].track = 1;
    EXPECT_FALSE(fromJson(toJson(c)));
}

}  // namespace
}  // namespace tw::capture
