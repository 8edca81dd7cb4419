// Times of traced warps against sums by hand.
#include "core/sim/replay.h"

#include <gtest/gtest.h>

namespace tw::sim {
namespace {

using interp::Engine;
using interp::Meeting;

// Numbers that are easy to add up.
Hardware hardware()
{
    Hardware h;
    h.rates.clockMHz = 1000;  // a clock is a nanosecond
    h.rates.dramBytesPerSecond = 1e12;
    h.rates.l2BytesPerClock = 64;
    h.rates.sharedBytesPerClock = 128;
    h.rates.schedulers = 4;
    h.rates.l2Ns = 200;
    h.rates.dramNs = 500;
    h.pipes.arithmetic = 4;
    h.pipes.mma = 33;
    h.pipes.wgmma = 100;
    h.pipes.blockBarrier = 24;
    h.pipes.transactionBarrier = 50;
    h.pipes.bulk = 300;
    h.pipes.bulkInstructions = 10;
    h.pipes.l2Bytes = 64;
    h.pipes.longSpecial = 77;
    return h;
}

TraceOp op(TraceKind kind, float work = 0, float bytes = 0, std::int32_t number = 0, Engine engine = Engine::kThread)
{
    TraceOp o;
    o.kind = kind;
    o.work = work;
    o.bytes = bytes;
    o.number = number;
    o.engine = engine;
    return o;
}
TraceOp mark(int event)
{
    TraceOp o = op(TraceKind::kMark, 0, 0, event);
    o.issue = 0;
    return o;
}

TEST(Replay, DependentInstructionsWaitForEachOther)
{
    BlockTrace t;
    t.warps.resize(1);
    for (std::uint32_t k = 0; k < 10; ++k) {
        TraceOp o = op(TraceKind::kArithmetic);
        o.from[0] = k;  // the one before
        t.warps[0].push_back(o);
    }
    EXPECT_NEAR(replay(t, hardware()).clocks, 1 + 9 * 4, 1);  // the last one begins when the ninth result is there
    for (TraceOp& o : t.warps[0])
        o.from = {};
    EXPECT_NEAR(replay(t, hardware()).clocks, 10, 1);
}

TEST(Replay, PipesBesideTheIssueHoldItsPace)
{
    BlockTrace t;
    t.warps.resize(5);  // the fifth shares the first one's scheduler
    for (const std::size_t w : {0U, 4U})
        for (int k = 0; k < 50; ++k) {
            t.warps[w].push_back(op(TraceKind::kNarrow, 2));   // half the rate of the issue
            t.warps[w].push_back(op(TraceKind::kArithmetic, 1));
        }
    TraceOp last = op(TraceKind::kArithmetic, 1);
    last.from[0] = 99;  // the last narrow one
    t.warps[0].push_back(last);
    t.warps[4].push_back(last);
    EXPECT_NEAR(replay(t, hardware()).clocks, 2 * 50 * 2 + 4, 8);
}

TEST(Replay, ADivisionHoldsWhatFollowsIt)
{
    BlockTrace t;
    t.warps.resize(1);
    for (int k = 0; k < 10; ++k) {
        TraceOp o = op(TraceKind::kLong, 8);
        o.issue = 11;
        t.warps[0].push_back(o);
    }
    EXPECT_NEAR(replay(t, hardware()).clocks, 10 * (11 + 77), 12);
}

TEST(Replay, CopiesArriveAfterTheirBytesAndLatency)
{
    BlockTrace t;
    t.warps = {{op(TraceKind::kCopy, 4, 6400), op(TraceKind::kCommit, 0, 0, 0, Engine::kCpAsync), mark(1), op(TraceKind::kWait, 0, 0, 0, Engine::kCpAsync), mark(2)}};
    const Replayed r = replay(t, hardware());
    ASSERT_EQ(r.warps[0].marks.size(), 2U);
    EXPECT_NEAR(r.warps[0].marks[0].clock, 2, 1);
    EXPECT_NEAR(r.warps[0].marks[1].clock, 1 + 4 + 6400.0 / 64 + 200, 2);
    Hardware missing = hardware();
    missing.missShare = 1;  // 1 byte a clock of the whole GPU's DRAM
    missing.rates.dramBytesPerSecond = 16e9 * 1;
    EXPECT_NEAR(replay(t, missing).warps[0].marks[1].clock, 5 + 6400.0 / 16 + 500, 2);
}

TEST(Replay, ABarrierWaitsForItsLastWarp)
{
    BlockTrace t;
    t.phases = {{Meeting::Kind::kBlock, 2}};
    TraceOp slow = op(TraceKind::kArithmetic);
    slow.issue = 500;
    t.warps = {{op(TraceKind::kArrive), mark(1), op(TraceKind::kAwait), mark(2)}, {slow, op(TraceKind::kArrive), op(TraceKind::kAwait)}};
    const Replayed r = replay(t, hardware());
    EXPECT_LT(r.warps[0].marks[0].clock, 5);
    EXPECT_NEAR(r.warps[0].marks[1].clock, 501 + 24, 3);
    EXPECT_FALSE(r.isStuck);
    t.warps[1].erase(t.warps[1].begin() + 1);  // one that never arrives
    EXPECT_TRUE(replay(t, hardware()).isStuck);
}

TEST(Replay, BulkCopiesCompleteABarrier)
{
    BlockTrace t;
    t.phases = {{Meeting::Kind::kBarrier, 1}};
    t.warps = {{op(TraceKind::kBulkLoad, 0, 6400)}, {op(TraceKind::kAwait), mark(1)}};
    EXPECT_NEAR(replay(t, hardware()).warps[1].marks[0].clock, 1 + 10 + 100 + 200 + 300 + 50, 3);
}

TEST(Replay, BlocksOnOneMultiprocessorShareTheTensorCores)
{
    BlockTrace t;
    t.warps.resize(4);
    for (auto& warp : t.warps) {
        for (int k = 0; k < 16; ++k)
            warp.push_back(op(TraceKind::kWgmma, 64));
        warp.push_back(op(TraceKind::kCommit, 0, 0, 0, Engine::kWgmma));
        warp.push_back(op(TraceKind::kWait, 0, 0, 0, Engine::kWgmma));
    }
    const Replayed alone = replay(t, hardware());
    EXPECT_NEAR(alone.clocks, 16 * 64 + 100, 30);
    Hardware three = hardware();
    three.resident = 3;
    const Replayed shared = replay(t, three);
    EXPECT_NEAR(shared.clocks, 3 * 16 * 64 + 100, 3 * 64 + 100);
    EXPECT_GT(shared.tensorShare, 0.9);
}

TEST(Replay, MmaOfOneAccumulatorIsAChain)
{
    BlockTrace t;
    t.warps.resize(1);
    for (std::uint32_t k = 0; k < 8; ++k) {
        TraceOp o = op(TraceKind::kMma, 8);
        o.from[0] = k;
        t.warps[0].push_back(o);
    }
    EXPECT_NEAR(replay(t, hardware()).clocks, 7 * 33, 3);  // the last one begins then
}

}  // namespace
}  // namespace tw::sim
