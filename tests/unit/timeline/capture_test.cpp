// Captures made on an H200 (tests/data/*.twr): planned and measured stages of one kernel, on a machine without a GPU.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiler/store/twr.h"
#include "profiler/timeline/perfetto.h"
#include "profiler/timeline/summary.h"

namespace tw::timeline {
namespace {

class CaptureOf : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        const auto read = store::readTwr((std::filesystem::path(TW_SOURCE_DIR) / "tests/data" / (std::string(GetParam()) + ".twr")).string());
        ASSERT_TRUE(read) << read.error();
        capture_ = *read;
        ASSERT_EQ(capture_.timelines.size(), 2U);
    }
    const capture::Timeline& planned() const { return capture_.timelines[0]; }
    const capture::Timeline& measured() const { return capture_.timelines[1]; }

    capture::Capture capture_;
};

TEST_P(CaptureOf, RecordingCostsLessThanThreePercent)
{
    EXPECT_EQ(measured().origin, capture::Origin::kMeasured);
    EXPECT_GT(measured().plainUs, 0);
    EXPECT_LT(summarize(measured()).overhead, 0.03);
    EXPECT_EQ(measured().dropped, 0);
    EXPECT_GT(measured().recordCostNs, 1);
}

TEST_P(CaptureOf, ThePlanShowsTheSameRolesOfTheSameBlocks)
{
    EXPECT_EQ(planned().origin, capture::Origin::kModelled);
    std::set<std::pair<std::string, std::int64_t>> plan, run;
    for (const capture::Track& t : planned().tracks)
        plan.emplace(t.role, t.block);
    for (const capture::Track& t : measured().tracks)
        run.emplace(t.role, t.block);
    EXPECT_EQ(plan, run);
    for (const RoleSummary& role : summarize(measured()).roles) {
        double sum = 0;
        for (const auto& [event, ns] : role.byEvent)
            sum += ns;
        EXPECT_NEAR(sum, role.totalNs, 0.02 * role.totalNs) << role.role;
    }
}

TEST_P(CaptureOf, ProductsLeadToTheirLine)
{
    std::set<std::uint32_t> known;
    for (const capture::Operation& op : capture_.operations)
        known.insert(op.id);
    int products = 0;
    for (const capture::Span& s : measured().spans) {
        products += s.event == "tensor" ? 1 : 0;
        if (s.event == "tensor" || s.event == "issue")
            EXPECT_TRUE(known.contains(s.op)) << s.event << " of operation " << s.op;
    }
    EXPECT_GT(products, 100);
    const auto trace = nlohmann::json::parse(toPerfetto(capture_));
    const auto& events = trace.at("traceEvents");
    const auto found = std::ranges::find_if(events, [](const auto& e) { return e.at("name") == "tensor"; });
    ASSERT_NE(found, events.end());
    EXPECT_GT(found->at("args").at("line"), 1);
}

class AttentionOfH200 : public testing::Test {
protected:
    void SetUp() override
    {
        const auto read = store::readTwr((std::filesystem::path(TW_SOURCE_DIR) / "tests/data/attention.twr").string());
        ASSERT_TRUE(read) << read.error();
        capture_ = *read;
        ASSERT_EQ(capture_.timelines.size(), 2U);
    }
    [[nodiscard]] std::string lineText(int line) const
    {
        std::istringstream in(capture_.files.at(0).text);
        std::string text;
        for (int i = 0; i < line; ++i)
            std::getline(in, text);
        return text;
    }

    capture::Capture capture_;
};

// Every block that recorded: its one role's stages follow one another from its start to its end.
TEST_F(AttentionOfH200, StagesFillEachBlock)
{
    const capture::Timeline& measured = capture_.timelines[1];
    EXPECT_EQ(measured.origin, capture::Origin::kMeasured);
    EXPECT_EQ(measured.dropped, 0);
    std::vector<std::int64_t> blocks;
    for (std::size_t i = 0; i < measured.tracks.size(); ++i) {
        blocks.push_back(measured.tracks[i].block);
        double start = 1e300, end = 0, sum = 0;
        int products = 0;
        for (const capture::Span& s : measured.spans) {
            if (s.track != static_cast<int>(i))
                continue;
            start = std::min(start, s.startNs);
            end = std::max(end, s.endNs);
            sum += s.endNs - s.startNs;
            products += s.event == "tensor" ? 1 : 0;
        }
        EXPECT_NEAR(sum, end - start, 0.02 * (end - start)) << "block " << blocks.back();
        EXPECT_EQ(products, 2 * 2048 / 64) << "block " << blocks.back();  // two an iteration over 64 keys
        EXPECT_LT(end / 1000, measured.recordedUs);
    }
    EXPECT_EQ(blocks, (std::vector<std::int64_t>{170, 341, 511, 682}));  // of 1,024: none of those that end the grid
}

TEST_F(AttentionOfH200, TimeAndFindingsHaveTheirLines)
{
    double share = 0;
    std::vector<std::string> products;
    for (const capture::Operation& op : capture_.operations) {
        share += op.timeShare;
        if (!op.name.starts_with("gemm"))
            continue;
        products.push_back(lineText(op.line));
        EXPECT_EQ(op.flops, 2.0 * 2 * 16 * 2048 * 2048 * 128) << op.name;
    }
    EXPECT_GT(share, 0.95);  // of all samples
    EXPECT_LE(share, 1.0001);
    ASSERT_EQ(products.size(), 2U);
    for (const std::string& line : products)
        EXPECT_NE(line.find("T.gemm("), std::string::npos) << line;
    ASSERT_FALSE(capture_.findings.empty());
    for (const capture::Finding& finding : capture_.findings) {
        EXPECT_GT(finding.line, 0) << finding.code;
        EXPECT_NE(finding.reason, "") << finding.code;
        EXPECT_GT(finding.value, 0) << finding.code;
    }
    EXPECT_TRUE(capture_.absences.empty()) << capture_.absences.begin()->first;
}

TEST_F(AttentionOfH200, CountersSayWhatEventsSay)
{
    const capture::Metric* events = nullptr;
    const capture::Metric* counted = nullptr;
    for (const capture::Metric& m : capture_.metrics)
        if (m.name == capture::metric::kDuration && m.origin == capture::Origin::kMeasured)
            (m.launch < 0 ? events : counted) = &m;
    ASSERT_TRUE(events && counted);
    EXPECT_NEAR(counted->value, events->value, 0.02 * events->value);
    EXPECT_EQ(capture::findMetric(capture_, "counter_passes")->value, 1);
}

INSTANTIATE_TEST_SUITE_P(H200, CaptureOf, testing::Values("gemm_4_stages", "gemm_ring"), [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace tw::timeline
