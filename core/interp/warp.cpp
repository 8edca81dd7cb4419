// Operations across the lanes of a warp, and all-reduces over a thread axis.
#include <map>

#include "core/interp/combine.h"
#include "core/interp/machine.h"

namespace tw::interp {

using ir::Combiner;
using ir::DType;
using ir::OpId;

namespace {

constexpr int kWarp = 32;

// The active lanes of the fiber that belong to a warp, by their lane in the warp (-1: not here).
using Members = std::array<int, kWarp>;

// By warp number.
std::map<int, Members> warpsOf(const Fiber& f)
{
    std::map<int, Members> warps;
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        const int thread = f.threads[static_cast<std::size_t>(lane)];
        auto [it, fresh] = warps.try_emplace(thread / kWarp);
        if (fresh)
            it->second.fill(-1);
        it->second[static_cast<std::size_t>(thread % kWarp)] = lane;
    }
    return warps;
}

Combiner warpCombiner(OpId op)
{
    switch (op) {
    case OpId::kWarpReduceMax: return Combiner::kMax;
    case OpId::kWarpReduceMin: return Combiner::kMin;
    case OpId::kWarpReduceBitAnd: return Combiner::kBitAnd;
    case OpId::kWarpReduceBitOr: return Combiner::kBitOr;
    default: return Combiner::kSum;
    }
}

int shuffleSource(OpId op, int lane, std::int64_t operand, int width)
{
    const int segment = lane / width * width;
    const auto delta = static_cast<int>(operand);
    int source = lane;
    switch (op) {
    case OpId::kShflSync: source = segment + static_cast<int>(((operand % width) + width) % width); break;
    case OpId::kShflXor: source = lane ^ delta; break;
    case OpId::kShflDown: source = lane + delta; break;
    default: source = lane - delta; break;
    }
    // Outside of the segment a lane keeps its own value (an exclusive or may reach down into earlier segments).
    const bool inside = op == OpId::kShflXor ? source >= 0 && source < segment + width
                                             : source >= segment && source < segment + width;
    return inside ? source : lane;
}

const Lane& valueOf(const Slot& slot, int lane)
{
    return slot.lanes[slot.uniform ? 0 : static_cast<std::size_t>(lane)];
}

bool isShuffle(OpId op)
{
    return op == OpId::kShflSync || op == OpId::kShflXor || op == OpId::kShflDown || op == OpId::kShflUp;
}

// What the lanes of one warp say together.
struct Votes {
    std::uint64_t active = 0, yes = 0;  // a bit a lane
    Lane reduced{};
};

// `value` is null where the operation has none.
Votes votesOf(OpId op, DType type, const Slot* value, const Members& members)
{
    Votes votes;
    votes.reduced = identityOf(warpCombiner(op), type);
    for (std::size_t k = 0; k < members.size(); ++k) {
        if (members[k] < 0)
            continue;
        votes.active |= 1ULL << k;
        if (!value)
            continue;
        const Lane& mine = valueOf(*value, members[k]);
        votes.yes |= (type.isFloating() ? mine.f != 0.0 : mine.i != 0) ? 1ULL << k : 0;
        votes.reduced = combine(warpCombiner(op), type, votes.reduced, mine);
        if (type.isFloating())
            roundLanes(type, &votes.reduced, 1);
        else if (!type.isVoid())
            wrapLanes(type, &votes.reduced, 1);
    }
    return votes;
}

std::uint64_t lanesThatEqual(const Slot& value, int lane, const Members& members)
{
    std::uint64_t same = 0;
    for (std::size_t k = 0; k < members.size(); ++k)
        if (members[k] >= 0 && valueOf(value, members[k]).i == valueOf(value, lane).i)
            same |= 1ULL << k;
    return same;
}

// What `lane` gets. A match needs `value`.
Lane resultFor(OpId op, const Votes& votes, const Slot* value, int lane, const Members& members)
{
    Lane result{};
    switch (op) {
    case OpId::kAnySync: result.i = votes.yes != 0; break;
    case OpId::kAllSync: result.i = votes.yes == votes.active; break;
    case OpId::kBallotSync: case OpId::kBallot: result.i = static_cast<std::int64_t>(votes.yes); break;
    case OpId::kActiveMask: result.i = static_cast<std::int64_t>(votes.active); break;
    case OpId::kMatchAny: result.i = static_cast<std::int64_t>(lanesThatEqual(*value, lane, members)); break;
    case OpId::kMatchAll: {
        const std::uint64_t same = lanesThatEqual(*value, lane, members);
        result.i = static_cast<std::int64_t>(same == votes.active ? same : 0);
        break;
    }
    default: result = votes.reduced; break;
    }
    return result;
}

}  // namespace

void Machine::warpOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    if (record.op == OpId::kThreadAllreduce) {
        allReduce(f, in, record);
        return;
    }
    if (in.dst < 0)
        return;
    const Slot* value = record.op != OpId::kActiveMask ? &slot(f, record.at(0).slot) : nullptr;
    std::vector<Lane> out(static_cast<std::size_t>(f.n), Lane{});
    const auto shuffled = [&](int k, const Members& members) {
        const auto width = static_cast<int>(record.at(2).present() ? scalarOf(f, record.at(2).slot, kWarp) : kWarp);
        const int lane = members[static_cast<std::size_t>(k)];
        const std::int64_t delta = valueOf(slot(f, record.at(1).slot), lane).i;
        const int source = shuffleSource(record.op, k, delta, width < 1 || width > kWarp ? kWarp : width);
        const int from = source < kWarp ? members[static_cast<std::size_t>(source)] : lane;
        return valueOf(*value, from < 0 ? lane : from);
    };
    for (const auto& [warp, members] : warpsOf(f)) {
        const Votes votes = isShuffle(record.op) ? Votes{} : votesOf(record.op, record.at(0).type, value, members);
        for (int k = 0; k < kWarp; ++k)
            if (const int lane = members[static_cast<std::size_t>(k)]; lane >= 0)
                out[static_cast<std::size_t>(lane)] = isShuffle(record.op) ? shuffled(k, members) : resultFor(record.op, votes, value, lane, members);
    }
    Slot& dst = slot(f, in.dst);
    dst.lanes = std::move(out);
    dst.uniform = f.n == 1;
    dst.width = 1;
    makeUniformIfEqual(f, dst);
}

// tvm_thread_allreduce: threads that differ in the named axes only are one group.
void Machine::allReduce(Fiber& f, const Instr& in, const OpRecord& record)
{
    const Slot& value = slot(f, record.at(0).slot);
    const RegionRecord& region = record.at(1).region;
    const DType type = record.at(0).type;
    Combiner how = Combiner::kSum;
    if (const auto found = record.attrs->find("combiner"); found != record.attrs->end())
        if (const auto* name = std::get_if<std::string>(&found->second))
            how = ir::parseCombiner(*name).value_or(how);
    // An axis operand is the thread index along it; which axis it is shows in its values.
    const ir::Launch& launch = *launch_->launch;
    std::array<bool, 3> reduced{false, false, false};
    for (std::size_t k = 2; k < record.operands.size(); ++k)
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (launch_->threadVars[axis] >= 0 && record.operands[k].slot >= 0) {
                const Slot& given = slot(f, record.operands[k].slot);
                const Slot& own = slot(f, launch_->threadVars[axis]);
                bool same = record.operands[k].slot == launch_->threadVars[axis];
                if (!same && !given.uniform && !own.uniform) {
                    same = true;
                    for (int lane = 0; lane < f.n; ++lane)
                        same &= given.lanes[static_cast<std::size_t>(lane)].i == own.lanes[static_cast<std::size_t>(lane)].i;
                }
                reduced[axis] = reduced[axis] || same;
            }
    const auto groupOf = [&](int lane) {
        std::int64_t rest = f.threads[static_cast<std::size_t>(lane)];
        std::array<std::int64_t, 3> at{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            at[axis] = reduced[axis] ? 0 : rest % launch.threads[axis];
            rest /= launch.threads[axis];
        }
        return at;
    };
    std::map<std::array<std::int64_t, 3>, Lane> sums;
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        Lane& sum = sums.try_emplace(groupOf(lane), identityOf(how, type)).first->second;
        sum = combine(how, type, sum, value.lanes[value.uniform ? 0 : static_cast<std::size_t>(lane)]);
        if (type.isFloating())
            roundLanes(type, &sum, 1);
        else
            wrapLanes(type, &sum, 1);
    }
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        TileView dst;
        if (!view(f, region, lane, true, dst, in.where.range))
            return;
        Lane sum = sums.at(groupOf(lane));
        castLanes(type, dst.type, &sum, &sum, 1);
        storeElement(dst.type, dst.bytes, dst.base, sum);
        if (dst.valid)
            std::fill(dst.valid + firstByte(dst.type, dst.base), dst.valid + endByte(dst.type, dst.base), std::uint8_t{1});
    }
    noteChange(f);
}

}  // namespace tw::interp
