#include "profiler/report/csv.h"

#include <gtest/gtest.h>

namespace tw::report {
namespace {

TEST(Csv, QuotesWhatNeedsIt)
{
    EXPECT_EQ(csvField("plain"), "plain");
    EXPECT_EQ(csvField("a,b"), "\"a,b\"");
    EXPECT_EQ(csvField("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, OneNumberARow)
{
    capture::Capture c;
    c.metrics.push_back({.name = "duration_us", .value = 12.5, .unit = "us", .launch = -1, .samples = 9, .spread = 0.01});
    c.metrics.push_back({.name = "flops", .value = 2e9, .unit = "count", .launch = 1, .origin = capture::Origin::kModelled});
    c.samplesUs = {12.5};
    capture::Operation operation;
    operation.name = "copy A, B";
    operation.line = 7;
    operation.origin = capture::Origin::kSimulated;
    operation.timeShare = 0.25;
    operation.bytes["dram"] = 4096;
    c.operations.push_back(operation);
    c.series.push_back({.name = "dram", .unit = "%", .timeNs = {0, 2000}, .values = {10, 20}});
    const std::string csv = toCsv(c);
    ASSERT_TRUE(csv.starts_with(kCsvHeader));
    EXPECT_EQ(csv.substr(kCsvHeader.size()),
                            "metric,duration_us,,,,,12.5,us,measured,9,0.01\r\n"
                            "metric,flops,,1,,,2000000000,count,modelled,1,0\r\n"
                            "sample,duration_us,,,,,12.5,us,measured,,\r\n"
                            "operation,\"copy A, B\",time,,7,,25,%,simulated,,\r\n"
                            "operation,\"copy A, B\",bytes dram,,7,,4096,bytes,simulated,,\r\n"
                            "series,dram,,0,,0,10,%,measured,,\r\n"
                            "series,dram,,0,,2000,20,%,measured,,\r\n");
}

}  // namespace
}  // namespace tw::report
