// What an H200 recorded (tests/data/timeline), decoded and summed up.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "profiler/timeline/records.h"
#include "profiler/timeline/summary.h"

namespace tw::timeline {
namespace {

capture::Timeline recorded(const std::string& name)
{
    std::ifstream in(std::filesystem::path(TW_SOURCE_DIR) / "tests/data/timeline" / (name + ".json"));
    std::ostringstream text;
    text << in.rdbuf();
    const auto launches = fromText(text.str());
    EXPECT_TRUE(launches) << name << ": " << (launches ? "" : launches.error());
    if (!launches)
        return {};
    const auto decoded = decode(*launches);
    EXPECT_TRUE(decoded) << name << ": " << (decoded ? "" : decoded.error());
    if (!decoded)
        return {};
    EXPECT_TRUE(decoded->remarks.empty()) << name << ": " << decoded->remarks.front();
    return decoded->timeline;
}

const RoleSummary& roleOf(const Summary& s, const std::string& name)
{
    const auto found = std::ranges::find(s.roles, name, &RoleSummary::role);
    EXPECT_NE(found, s.roles.end()) << name;
    return found == s.roles.end() ? s.roles.front() : *found;
}

TEST(Recorded, StagesAddUpToTheBlocksTime)
{
    for (const char* name : {"gemm_4_stages", "gemm_ring", "attention", "ring_fast", "ring_slow", "stages_4", "stages_1"}) {
        const Summary s = summarize(recorded(name));
        ASSERT_FALSE(s.roles.empty()) << name;
        double most = 0;
        for (const RoleSummary& role : s.roles) {
            double known = 0;
            for (const auto& [event, ns] : role.byEvent)
                known += event == kUnrecorded ? 0 : ns;
            EXPECT_NEAR(known, role.totalNs, 0.02 * role.totalNs) << name << ", " << role.role;
            EXPECT_LE(role.blockShare, 1 + 1e-9) << name << ", " << role.role;
            most = std::max(most, role.blockShare);
        }
        EXPECT_GT(most, 0.97) << name << ": no role lives as long as its block";
    }
}

TEST(Recorded, APipelineBeginsEveryStageOnceAnIteration)
{
    const capture::Timeline t = recorded("gemm_4_stages");
    EXPECT_GT(t.clockMHz, 1000);
    EXPECT_LT(t.clockMHz, 2000);
    for (std::size_t track = 0; track < t.tracks.size(); ++track) {
        std::map<std::pair<std::string, std::uint32_t>, std::int64_t> last, times;
        for (const capture::Span& s : t.spans)
            if (s.track == static_cast<int>(track) && s.iteration >= 0) {
                EXPECT_EQ(s.iteration, (times[{s.event, s.op}])++) << s.event;
                last[{s.event, s.op}] = s.iteration;
            }
        int products = 0, copies = 0;
        for (const auto& [stage, iteration] : last) {
            products += stage.first == "tensor" && iteration == 4096 / 32 - 1 ? 1 : 0;
            copies += stage.first == "issue" && iteration == 4096 / 32 - 1 ? 1 : 0;
        }
        EXPECT_EQ(products, 1) << "track " << track;
        EXPECT_EQ(copies, 2) << "track " << track;
    }
}

TEST(Recorded, ASlowProducerIsSeenAsConsumerWaits)
{
    const Summary fast = summarize(recorded("ring_fast")), slow = summarize(recorded("ring_slow"));
    for (const char* consumer : {"consumer 1", "consumer 2"}) {
        EXPECT_GT(roleOf(slow, consumer).waitShare, 0.7);
        EXPECT_GT(roleOf(slow, consumer).waitShare, 2 * roleOf(fast, consumer).waitShare);
        EXPECT_GT(roleOf(slow, consumer).iterationNs.at("tensor"), 2000) << "the producer sleeps that long";
    }
    ASSERT_FALSE(slow.bubbles.empty());
    EXPECT_EQ(slow.bubbles[0].cause, Cause::kProducerLate);
    EXPECT_EQ(slow.bubbles[0].times, 2048 / 64);
}

TEST(Recorded, AMissingStageIsSeenAsSerialization)
{
    const Summary four = summarize(recorded("stages_4")), one = summarize(recorded("stages_1"));
    const RoleSummary &overlapped = roleOf(four, "block"), &serial = roleOf(one, "block");
    EXPECT_GT(serial.iterationNs.at("tensor"), 2 * overlapped.iterationNs.at("tensor"));
    EXPECT_TRUE(serial.byEvent.contains("copy")) << "without stages the copies are waited for where they stand";
    EXPECT_GT(serial.byEvent.at("copy"), serial.byEvent.at("tensor"));
    EXPECT_GT(overlapped.byEvent.at("tensor"), overlapped.byEvent.at("wait"));
}

}  // namespace
}  // namespace tw::timeline
