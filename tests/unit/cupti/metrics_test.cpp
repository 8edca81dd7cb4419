#include "profiler/cupti/metrics.h"

#include <set>

#include "tests/unit/cupti/fake_library.h"

namespace tw::cupti {
namespace {

// The real CUPTI lists metrics without a GPU.
class MetricsTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto opened = Library::open(0);
        if (!opened)
            GTEST_SKIP() << opened.error().text();
        library_ = *opened;
    }
    std::unique_ptr<MetricHost> host(const std::string& chip)
    {
        auto opened = MetricHost::open(library_, chip, Purpose::kRanges);
        EXPECT_TRUE(opened) << opened.error().text();
        return std::move(*opened);
    }

    std::shared_ptr<const Library> library_;
};

TEST_F(MetricsTest, TheHeadlineSetTakesAtMostTwoPassesOnGh100)
{
    const auto gh100 = host("GH100");
    const Choice choice = chooseMetrics(*gh100, {});
    EXPECT_TRUE(choice.lacking.empty());
    std::set<std::string> names;
    for (const ChosenMetric& m : choice.metrics)
        names.insert(m.name);
    // The headline set of cli.md; registers come from the driver.
    for (const char* name : {"duration_us", "tensor_pipe_pct", "dram_read_bytes", "dram_write_bytes", "dram_bandwidth_pct", "l2_bandwidth_pct",
                             "issue_slots_pct", "occupancy_pct", "shared_bank_conflicts"})
        EXPECT_TRUE(names.contains(name)) << name;
    const auto config = gh100->configure(countersOf(choice.metrics));
    ASSERT_TRUE(config) << config.error().text();
    EXPECT_LE(config->passes, 2U);
    EXPECT_GE(config->passes, 1U);
}

TEST_F(MetricsTest, EveryMetricOfOursIsTheChips)
{
    const auto gh100 = host("GH100");
    const Choice choice = chooseMetrics(*gh100, {"headline", "memory", "compute", "stalls"});
    EXPECT_TRUE(choice.lacking.empty()) << choice.lacking.begin()->first;
    EXPECT_EQ(choice.metrics.size(), metricDefinitions().size());
    // The suffixes, too: CUPTI refuses a name that it does not know.
    const auto config = gh100->configure(countersOf(choice.metrics));
    ASSERT_TRUE(config) << config.error().text();
    EXPECT_GT(config->passes, 2U);
}

TEST_F(MetricsTest, OtherGenerationsHaveTheHeadline)
{
    for (const char* chip : {"GA100", "AD102", "GB100", "GB202"}) {
        const auto other = host(chip);
        const Choice choice = chooseMetrics(*other, {"headline"});
        EXPECT_TRUE(choice.lacking.empty()) << chip << " lacks " << choice.lacking.begin()->first;
        const auto config = other->configure(countersOf(choice.metrics));
        ASSERT_TRUE(config) << chip << ": " << config.error().text();
        EXPECT_LE(config->passes, 2U) << chip;
    }
}

TEST_F(MetricsTest, FindsCountersByWords)
{
    const auto gh100 = host("GH100");
    EXPECT_GT(gh100->names().size(), 3000U);
    const std::vector<std::string> found = gh100->search("DRAM read bytes", 3);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), "dram__bytes_read");
    EXPECT_TRUE(gh100->search("no such thing", 3).empty());
    const auto properties = gh100->properties("dram__bytes_read.sum");
    ASSERT_TRUE(properties);
    EXPECT_EQ(properties->unit, "byte");
}

TEST_F(MetricsTest, FindsWhatAMisspeltNameMeans)
{
    const auto gh100 = host("GH100");
    const auto near = gh100->nearest("dram__byte_read.sum", 5);
    EXPECT_NE(std::find(near.begin(), near.end(), "dram__bytes_read"), near.end());
    EXPECT_TRUE(gh100->nearest("zzz", 5).empty());
    EXPECT_EQ(fullName(*gh100, "dram__bytes_read"), "dram__bytes_read.sum");
    const Choice choice = chooseMetrics(*gh100, {"headlin", "dram_raed_bytes"});
    EXPECT_NE(choice.lacking.at("headlin").find("near it: headline"), std::string::npos) << choice.lacking.at("headlin");
    EXPECT_NE(choice.lacking.at("dram_raed_bytes").find("dram_read_bytes"), std::string::npos) << choice.lacking.at("dram_raed_bytes");
}

TEST_F(MetricsTest, TakesCountersByTheirOwnName)
{
    const auto gh100 = host("GH100");
    const Choice choice = chooseMetrics(*gh100, {"duration_us", "smsp__inst_executed.sum", "duration_us", "dram__bytes_read.sum.per_second"});
    ASSERT_EQ(choice.metrics.size(), 3U);
    EXPECT_EQ(choice.metrics[1], (ChosenMetric{"smsp__inst_executed.sum", "count", "smsp__inst_executed.sum", 1}));
    EXPECT_EQ(choice.metrics[2].unit, "bytes/s");
}

TEST_F(MetricsTest, HelpsWithUnknownNames)
{
    const auto gh100 = host("GH100");
    const Choice choice = chooseMetrics(*gh100, {"dram__bytes_read", "dram_read", "duration_us"});
    ASSERT_EQ(choice.metrics.size(), 1U);  // what is known is chosen all the same
    EXPECT_EQ(choice.metrics[0].name, "duration_us");
    EXPECT_NE(choice.lacking.at("dram__bytes_read").find(".sum"), std::string::npos) << choice.lacking.at("dram__bytes_read");
    EXPECT_NE(choice.lacking.at("dram_read").find("dram_read_bytes"), std::string::npos) << choice.lacking.at("dram_read");
}

TEST_F(FakeCuptiTest, NamesWhatAChipLacks)
{
    const auto host = MetricHost::open(library_, "GH100", Purpose::kRanges);
    ASSERT_TRUE(host);
    const Choice choice = chooseMetrics(**host, {"headline"});
    std::vector<std::string> names;
    for (const ChosenMetric& m : choice.metrics)
        names.push_back(m.name);
    EXPECT_EQ(names, (std::vector<std::string>{"duration_us", "dram_read_bytes", "l2_read_bytes"}));
    EXPECT_EQ(choice.lacking.at("occupancy_pct"), "GH100 has no counter for it");
}

TEST_F(FakeCuptiTest, AChipThatTheLibraryDoesNotKnowIsNamed)
{
    const auto host = MetricHost::open(library_, "ZZ999", Purpose::kRanges);
    ASSERT_FALSE(host);
    EXPECT_EQ(host.error().kind, FailureKind::kTooOld);
    EXPECT_NE(host.error().message.find("ZZ999"), std::string::npos);
}

}  // namespace
}  // namespace tw::cupti
