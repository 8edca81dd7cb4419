// Words as a kernel leaves them, made by hand, and the timeline that they say.
#include "profiler/timeline/records.h"

#include <gtest/gtest.h>

namespace tw::timeline {
namespace {

// Event 1: a wait in the loop, 2: tensor work in the loop, 3: an epilogue, 4: the next tile of a persistent loop (loop 1).
gpu::StageRecords tableOf(int depth = 1)
{
    gpu::StageRecords table;
    table.capacity = 8;
    table.spread = 2;
    table.roles = {{"producer", 128}, {"consumer", 0}};
    table.events = {{"wait", 5, {0, 10, 20}, depth}, {"tensor", 6, {0, 30, 40}, depth}, {"epilogue", 7, {0, 50, 60}, 0}, {"setup", 0, {}, -1}};
    return table;
}

struct Role {
    std::uint32_t state = 0x54570002, sm = 9, role = 0, made = 0;
    std::uint64_t block = 0, ns = 1000, clock = 0, endNs = 0, endClock = 0;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> marks;
};

void append(std::vector<std::uint8_t>& bytes, const Role& r, std::int64_t capacity)
{
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    std::vector<std::uint32_t> words{r.state, r.sm, low(r.block), low(r.block >> 32), low(r.ns), low(r.ns >> 32), low(r.clock), low(r.clock >> 32),
                                     low(r.endNs), low(r.endNs >> 32), low(r.endClock), low(r.endClock >> 32),
                                     r.made ? r.made : static_cast<std::uint32_t>(r.marks.size()), r.role, static_cast<std::uint32_t>(capacity), 0};
    for (const auto& [event, clock] : r.marks) {
        words.push_back(event);
        words.push_back(low(clock));
    }
    words.resize(static_cast<std::size_t>(16 + 2 * capacity));
    for (const std::uint32_t w : words)
        for (int k = 0; k < 4; ++k)
            bytes.push_back(static_cast<std::uint8_t>(w >> (8 * k)));
}

// The rest of the array: blocks that never ran.
LaunchRecords whole(LaunchRecords l)
{
    l.bytes.resize(2 * 2 * (16 + 16) * 4);
    return l;
}

// 2 cycles a nanosecond; the consumer starts 10 cycles behind the producer; its clock wraps between two records.
constexpr std::uint64_t kStart = 0x7'ffff'ff00;
LaunchRecords twoRoles()
{
    LaunchRecords l{tableOf(), {}};
    append(l.bytes, {.role = 0, .block = 4, .ns = 5000, .clock = kStart, .endNs = 55000, .endClock = kStart + 100000, .marks = {{1, kStart + 100}, {1, kStart + 50000}}}, 8);
    append(l.bytes, {.role = 1, .block = 4, .ns = 5005, .clock = kStart + 10, .endNs = 55005, .endClock = kStart + 100010,
                     .marks = {{1, kStart + 20}, {2, kStart + 1020}, {1, kStart + 3020}, {2, kStart + 4020}, {3, kStart + 90020}}}, 8);
    return l;
}

TEST(Records, SpansFollowWithoutGaps)
{
    const std::vector<LaunchRecords> launches{whole(twoRoles())};
    const auto decoded = decode(launches);
    ASSERT_TRUE(decoded) << decoded.error();
    EXPECT_TRUE(decoded->remarks.empty()) << decoded->remarks.front();
    const capture::Timeline& t = decoded->timeline;
    EXPECT_EQ(t.origin, capture::Origin::kMeasured);
    EXPECT_DOUBLE_EQ(t.clockMHz, 2000);
    ASSERT_EQ(t.tracks.size(), 2U);
    EXPECT_EQ(t.tracks[0].role, "producer");
    EXPECT_EQ(t.tracks[0].warp, 4);
    EXPECT_EQ(t.tracks[1].block, 4);
    EXPECT_EQ(t.tracks[1].sm, 9);
    std::vector<capture::Span> consumer;
    for (const capture::Span& s : t.spans)
        if (s.track == 1)
            consumer.push_back(s);
    ASSERT_EQ(consumer.size(), 6U);
    EXPECT_EQ(consumer[0].event, "setup");
    EXPECT_DOUBLE_EQ(consumer[0].startNs, 5);  // 10 cycles behind the block's first role
    EXPECT_DOUBLE_EQ(consumer[0].endNs, 10);
    EXPECT_EQ(consumer[2].event, "tensor");
    EXPECT_EQ(consumer[2].op, 6U);
    EXPECT_EQ(consumer[2].iteration, 0);
    EXPECT_EQ(consumer[4].iteration, 1);
    EXPECT_DOUBLE_EQ(consumer[2].endNs - consumer[2].startNs, 1000);
    EXPECT_EQ(consumer[5].event, "epilogue");
    EXPECT_EQ(consumer[5].iteration, -1);
    EXPECT_DOUBLE_EQ(consumer[5].endNs, 50005);
    for (std::size_t i = 1; i < consumer.size(); ++i)
        EXPECT_EQ(consumer[i].startNs, consumer[i - 1].endNs);
}

TEST(Records, ATileOfAPersistentLoopCountsFromZero)
{
    LaunchRecords l{tableOf(2), {}};
    append(l.bytes, {.endNs = 9000, .endClock = 16000, .marks = {{4, 10}, {1, 20}, {1, 30}, {4, 40}, {1, 50}}}, 8);
    const auto decoded = decode(std::vector{l});
    ASSERT_TRUE(decoded);
    std::vector<std::int64_t> iterations;
    for (const capture::Span& s : decoded->timeline.spans)
        if (s.event == "wait")
            iterations.push_back(s.iteration);
    EXPECT_EQ(iterations, (std::vector<std::int64_t>{0, 1, 0}));
}

TEST(Records, WhatDoesNotFitIsCountedAndShown)
{
    LaunchRecords l{tableOf(), {}};
    Role r{.made = 11, .endNs = 9000, .endClock = 16000, .marks = {}};
    for (std::uint64_t i = 0; i < 8; ++i)
        r.marks.emplace_back(1, 100 * i);
    append(l.bytes, r, 8);
    const auto decoded = decode(std::vector{whole(l)});
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->timeline.dropped, 3);
    EXPECT_EQ(decoded->timeline.spans.back().event, kUnrecorded);
    EXPECT_DOUBLE_EQ(decoded->timeline.spans.back().endNs, 8000);
    ASSERT_EQ(decoded->remarks.size(), 1U);
    EXPECT_EQ(decoded->remarks[0], "3 records did not fit: the ends of their roles are unrecorded");
}

TEST(Records, DamageIsNamedAndLeftOut)
{
    LaunchRecords l = twoRoles();
    const std::size_t size = (16 + 16) * 4;
    append(l.bytes, {.state = 0x54570001, .role = 0, .block = 7, .marks = {}}, 8);
    append(l.bytes, {.role = 1, .block = 7, .endNs = 9000, .endClock = 16000, .marks = {{9, 5}}}, 8);
    auto decoded = decode(std::vector{l});
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->timeline.tracks.size(), 2U);
    ASSERT_EQ(decoded->remarks.size(), 2U);
    EXPECT_EQ(decoded->remarks[0], "launch 0, block 7, producer: it never came to its end; left out");
    EXPECT_EQ(decoded->remarks[1], "launch 0, block 7, consumer: record 0 names event 9 of 4; left out");
    l.bytes.resize(2 * size + 10);  // a download that was cut
    decoded = decode(std::vector{l});
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->remarks.at(0), "launch 0: 266 bytes of records instead of 512");
    l.bytes.assign(4 * size, 0xff);
    EXPECT_FALSE(decode(std::vector{l}));
    l.bytes.clear();
    ASSERT_FALSE(decode(std::vector{l}));
    EXPECT_TRUE(decode(std::vector{l}).error().starts_with("no block left stage records"));
}

TEST(Records, ClocksThatRunBackwardsAreDamage)
{
    LaunchRecords l{tableOf(), {}};
    append(l.bytes, {.endNs = 9000, .endClock = 16000, .marks = {{1, 500}, {2, 400}}}, 8);  // so almost 2^32 cycles later
    const auto decoded = decode(std::vector{whole(l)});
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().find("record 1 is later than the end"), std::string::npos);
}

TEST(Records, TextHoldsAllOfIt)
{
    const std::vector<LaunchRecords> launches{whole(twoRoles())};
    const auto read = fromText(toText(launches));
    ASSERT_TRUE(read) << read.error();
    const auto a = decode(launches), b = decode(*read);
    ASSERT_TRUE(a && b);
    ASSERT_EQ(a->timeline.spans.size(), b->timeline.spans.size());
    for (std::size_t i = 0; i < a->timeline.spans.size(); ++i)
        EXPECT_EQ(a->timeline.spans[i].startNs, b->timeline.spans[i].startNs);
    EXPECT_FALSE(fromText("[{\"table\": 3}]"));
    EXPECT_FALSE(fromText("nonsense"));
}

}  // namespace
}  // namespace tw::timeline
