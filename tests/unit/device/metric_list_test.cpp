// Searching what a chip counts, with the real CUPTI where it is installed: it needs no GPU for that.
#include "profiler/device/metric_list.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/target/target.h"

namespace tw::device {
namespace {

using protocol::MetricInfo;
using protocol::MetricsResult;
using protocol::Outcome;

MetricsResult listed(const std::string& words, int limit = 50)
{
    const auto library = cupti::Library::open(0);
    return library ? listMetrics({"cuda:0", words, "", limit}, *library, "GH100") : MetricsResult{};
}

#define TW_NEEDS_CUPTI()                                                 \
    if (const auto library = cupti::Library::open(0); !library)          \
        GTEST_SKIP() << "no CUPTI here: " << library.error().text()

TEST(MetricList, FindsOursAndTheChips)
{
    TW_NEEDS_CUPTI();
    const MetricsResult found = listed("DRAM read");
    EXPECT_EQ(found.chip, "GH100");
    const auto ours = std::find_if(found.metrics.begin(), found.metrics.end(), [](const MetricInfo& m) { return m.name == "dram_read_bytes"; });
    ASSERT_NE(ours, found.metrics.end());
    EXPECT_EQ(ours->unit, "bytes");
    EXPECT_EQ(ours->passes, 1);
    EXPECT_NE(ours->sets.find("headline"), std::string::npos);
    EXPECT_EQ(ours->counter, "dram__bytes_read.sum");
    const auto theirs = std::find_if(found.metrics.begin(), found.metrics.end(), [](const MetricInfo& m) { return m.name == "dram__bytes_read.sum"; });
    ASSERT_NE(theirs, found.metrics.end());
    EXPECT_EQ(theirs->unit, "bytes");
    EXPECT_FALSE(theirs->meaning.empty());
    for (const MetricInfo& m : found.metrics) {
        std::string text = m.name + m.meaning + m.counter + m.sets;
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        EXPECT_NE(text.find("dram"), std::string::npos) << m.name;
        EXPECT_NE(text.find("read"), std::string::npos) << m.name;
    }
}

TEST(MetricList, ALimitIsSaidByWhatWasFound)
{
    TW_NEEDS_CUPTI();
    const MetricsResult found = listed("l1tex", 3);
    EXPECT_GT(found.found, 100);
    EXPECT_EQ(std::count_if(found.metrics.begin(), found.metrics.end(), [](const MetricInfo& m) { return m.sets.empty(); }), 3);
}

TEST(MetricList, WithoutAGpuSaysWhatIsMissing)
{
    const MetricsResult cpu = listMetrics({"cpu", "", "", 10});
    EXPECT_EQ(cpu.head.outcome, Outcome::kUsage);
    const MetricsResult far = listMetrics({"cuda:99", "", "", 10});
    EXPECT_EQ(far.head.outcome, Outcome::kCannot);
    ASSERT_EQ(far.head.diagnostics.size(), 1U);
    EXPECT_TRUE(far.head.diagnostics[0].message.starts_with("not supported: ")) << far.head.diagnostics[0].message;
}

TEST(MetricList, AChipStandsForATarget)
{
    TW_NEEDS_CUPTI();
    const std::vector<std::string> chips = cupti::Library::open(0).value()->chips();
    for (const target::Target& target : target::all())
        if (const std::string chip = chipFor(target.name); !chip.empty()) {
            EXPECT_NE(std::find(chips.begin(), chips.end(), chip), chips.end()) << target.name << ": " << chip;
        }
}

}  // namespace
}  // namespace tw::device
