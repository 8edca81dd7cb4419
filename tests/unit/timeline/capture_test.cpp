// Captures made on an H200 (tests/data/*.twr): planned and measured stages of one kernel, on a machine without a GPU.
#include <algorithm>
#include <filesystem>
#include <set>

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

INSTANTIATE_TEST_SUITE_P(H200, CaptureOf, testing::Values("gemm_4_stages", "gemm_ring"), [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace tw::timeline
