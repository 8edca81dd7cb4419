#include <gtest/gtest.h>

#include "core/schedule/schedule.h"

namespace tw::schedule {
namespace {

// A producer of bulk copies and a consumer, with a ring of `depth` slots.
Schedule ring(int depth)
{
    Schedule s;
    s.roles = {{"producer", 0, 4, 24}, {"consumer", 4, 8, 240}};
    s.pipelines = {{"tiles", PipelineKind::kBarriers, depth, {}}};
    Scope scope;
    scope.ops.resize(2);
    scope.programs = {{0, {{EntryKind::kAcquire, 0, 0}, {EntryKind::kOp, 0, 0}, {EntryKind::kCommit, 0, 0}}},
                      {1, {{EntryKind::kWait, 0, 0}, {EntryKind::kOp, 1, 0}, {EntryKind::kRelease, 0, 0}}}};
    s.scopes = {scope};
    return s;
}

// One role with cp.async groups in the order: wait, copy ahead, commit, compute.
Schedule groups(int depth)
{
    Schedule s;
    s.roles = {{"block", 0, 4, 0}};
    s.pipelines = {{"tiles", PipelineKind::kCpAsync, depth, {}}};
    Scope scope;
    scope.ops.resize(2);
    const int last = depth - 1;
    scope.programs = {{0,
                       {{EntryKind::kWait, 0, last},
                        {EntryKind::kAcquire, 0, 0},
                        {EntryKind::kOp, 0, 0},
                        {EntryKind::kCommit, 0, 0},
                        {EntryKind::kOp, 1, last},
                        {EntryKind::kRelease, 0, last}}}};
    s.scopes = {scope};
    return s;
}

TEST(Schedule, RingsAreRightForEveryDepth)
{
    for (const int depth : {1, 2, 3, 5})
        EXPECT_TRUE(verify(ring(depth)).empty()) << depth;
    for (const int depth : {2, 3, 5}) {
        const Schedule s = groups(depth);
        EXPECT_TRUE(verify(s).empty()) << depth;
        EXPECT_EQ(groupsInFlight(s.scopes[0].programs[0], s, 0), depth - 2);
    }
}

TEST(Schedule, CommitInFrontOfTheWaitLeavesOneMoreGroupInFlight)
{
    Schedule s = groups(3);
    auto& entries = s.scopes[0].programs[0].entries;
    std::rotate(entries.begin(), entries.begin() + 1, entries.begin() + 4);  // acquire, copy, commit, wait, …
    EXPECT_EQ(groupsInFlight(s.scopes[0].programs[0], s, 3), 2);
    // Then no barrier stands between the last reader of a slot and its next writer.
    EXPECT_FALSE(verify(s).empty());
}

TEST(Schedule, FindsSlotsThatAreOverwrittenTooEarly)
{
    Schedule s = groups(3);
    s.pipelines[0].depth = 2;
    EXPECT_FALSE(verify(s).empty());
}

TEST(Schedule, FindsRolesThatWaitForEachOther)
{
    Schedule s = ring(2);
    std::swap(s.scopes[0].programs[1].entries[0], s.scopes[0].programs[1].entries[1]);
    EXPECT_TRUE(verify(s).empty());  // an early operation is no deadlock …
    s.pipelines.push_back({"back", PipelineKind::kBarriers, 1, {}});
    auto& producer = s.scopes[0].programs[0].entries;
    auto& consumer = s.scopes[0].programs[1].entries;
    producer.insert(producer.begin(), {{EntryKind::kWait, 1, 0}, {EntryKind::kRelease, 1, 0}});
    consumer.push_back({EntryKind::kAcquire, 1, 0});
    consumer.push_back({EntryKind::kCommit, 1, 0});
    EXPECT_FALSE(verify(s).empty());  // … but the producer waits for what the consumer makes of its own tile
}

TEST(Schedule, FindsOpenSpansAndSharedWarps)
{
    Schedule s = ring(2);
    s.scopes[0].programs[0].entries.pop_back();
    EXPECT_FALSE(verify(s).empty());
    s = ring(2);
    s.roles[1].firstWarp = 3;
    EXPECT_FALSE(verify(s).empty());
}

TEST(Schedule, PingPongOfTwoConsumers)
{
    Schedule s = ring(2);
    s.roles.push_back({"second", 12, 4, 240});
    s.roles[1].warps = 4;
    s.roles[2].firstWarp = 8;
    s.pipelines.push_back({"turn", PipelineKind::kBarriers, 1, {}});
    s.scopes[0].programs[1].entries = {{EntryKind::kWait, 0, 0}, {EntryKind::kAcquire, 1, 0}, {EntryKind::kOp, 1, 0},
                                       {EntryKind::kCommit, 1, 0}, {EntryKind::kRelease, 0, 0}};
    s.scopes[0].programs.push_back({2, {{EntryKind::kWait, 1, 0}, {EntryKind::kOp, 1, 0}, {EntryKind::kRelease, 1, 0}}});
    EXPECT_TRUE(verify(s).empty());
    EXPECT_NE(print(s).find("role producer: warps 0:4, 24 registers"), std::string::npos) << print(s);
}

}  // namespace
}  // namespace tw::schedule
