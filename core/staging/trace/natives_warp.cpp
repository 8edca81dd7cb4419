// Warps and threads (language.md d.13).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;
using ir::OpId;

namespace {

constexpr std::int64_t kFullMask = 0xFFFFFFFF;

Value value(const Native& n, DType type, std::vector<ir::Operand> operands)
{
    (void)n.launch();
    return ir::call(type, {static_cast<OpId>(n.row.tag), std::move(operands), {}}, n.where());
}

Value threadIndex(const Native& n)
{
    std::vector<ir::Operand> operands;
    for (const char* name : {"warp_size", "warps_per_group"})
        if (n.args.has(name) && !n[name].isNone())
            operands.emplace_back(n.index(name));
    return value(n, ir::kInt32, std::move(operands));
}

// The mask where it is not the whole warp.
void addMask(const Native& n, std::vector<ir::Operand>& operands)
{
    if (n.args.has("mask") && !n["mask"].isNone() && constantInt(n["mask"]) != kFullMask)
        operands.emplace_back(toType(n.ev, ir::kUInt32, n["mask"], n.range("mask")));
}

// Lanes and distances within a group of `width` lanes.
void checkLane(const Native& n, std::int64_t width)
{
    const auto lane = constantInt(n["lane"]);
    if (lane && (*lane < 0 || *lane >= width))
        n.ev.fail(Code::kValueRange, n.range("lane"),
                  fmt::format("{} exchanges values between {} lanes, so a constant lane or distance is between 0 and {}, not {}", n.name, width,
                              width - 1, *lane));
}

Value shuffle(const Native& n)
{
    std::vector<ir::Operand> operands{n.expr("value"), n.index("lane")};
    const bool hasMask = n.has("mask") && constantInt(n["mask"]) != kFullMask;
    const std::int64_t width = constantInt(n["width"]).value_or(32);
    if (n.has("width") && (width < 1 || width > 64 || (width & (width - 1)) != 0))
        n.ev.fail(Code::kValueRange, n.range("width"), fmt::format("the width of {} is a power of two up to 32, not {}", n.name, width));
    checkLane(n, width);
    if (hasMask || (n.has("width") && width != 32))
        operands.emplace_back(n.has("width") ? n.index("width") : ir::intImm(32));
    addMask(n, operands);
    const DType type = std::get<Expr>(operands.front())->dtype;
    return value(n, type, std::move(operands));
}

Value rawShuffle(const Native& n)  // T.tvm_warp_shuffle(mask, v, lane, width, warp_size)
{
    return value(n, n.expr("value")->dtype, {n.expr("value"), n.index("lane"), n.index("width")});
}

Value vote(const Native& n, DType type)
{
    const Expr predicate = n.expr("predicate");
    if (!predicate->dtype.isInteger() && !predicate->dtype.isBool())
        n.ev.fail(Code::kDtypeMismatch, n.range("predicate"), fmt::format("{} takes a bool or an integer, not {}", n.name, predicate->dtype.name()));
    std::vector<ir::Operand> operands{toCondition(n.ev, predicate, n.range("predicate"))};
    addMask(n, operands);
    return value(n, type, std::move(operands));
}

Value matchLanes(const Native& n)
{
    std::vector<ir::Operand> operands{n.expr("value")};
    addMask(n, operands);
    return value(n, ir::kUInt32, std::move(operands));
}

Value warpReduce(const Native& n)
{
    const Expr e = n.expr("value");
    return value(n, e->dtype, {e});
}

// T.tvm_thread_allreduce(size, value, condition, dst, *axes, dtype=…), inside T.attr(T.comm_reducer(…), "reduce_scope", …).
Value allReduce(const Native& n)
{
    const auto& items = n.args.rest();
    if (items.size() < 5)
        n.fail(Code::kCallArguments, fmt::format("{} takes the number of values, the value, a condition, the destination and the thread axes", n.name));
    const auto dst = requireTile(n.ev, items[3], n.range(), "the destination of T.tvm_thread_allreduce");
    const auto type = dst.region.buffer->dtype;
    ir::OpCall call{OpId::kThreadAllreduce, {toType(n.ev, type, items[1], n.range(), "the value of T.tvm_thread_allreduce"), dst.region}, {}};
    for (std::size_t i = 4; i < items.size(); ++i)
        call.operands.emplace_back(toIndex(n.ev, items[i], n.range(), "a thread axis"));
    const std::string& combiner = n.launch().combiner;
    addAttr(call, "combiner", combiner.empty() ? std::string("sum") : combiner);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

constexpr const char* kVote = "predicate, mask=None";

constexpr NativeRow kWarpRows[] = {
    {"get_lane_idx", "warp_size=None", threadIndex, op(OpId::kLaneIdx)},
    {"get_warp_idx", "warp_size=None", threadIndex, op(OpId::kWarpIdx)},
    {"get_warp_idx_sync", "warp_size=None", threadIndex, op(OpId::kWarpIdxSync)},
    {"get_warp_group_idx", "warp_size=None, warps_per_group=None", threadIndex, op(OpId::kWarpGroupIdx)},
    {"shuffle_elect", "thread_extent=0", [](const Native& n) { return value(n, ir::kBool, {n.has("thread_extent") ? n.index("thread_extent") : ir::intImm(0)}); }, op(OpId::kShuffleElect)},
    {"shfl_sync", "value, lane, width=32, mask=None", shuffle, op(OpId::kShflSync)},
    {"shfl_xor", "value, lane, width=32, mask=None", shuffle, op(OpId::kShflXor)},
    {"shfl_down", "value, lane, width=32, mask=None", shuffle, op(OpId::kShflDown)},
    {"shfl_up", "value, lane, width=32, mask=None", shuffle, op(OpId::kShflUp)},
    {"tvm_warp_shuffle", "mask, value, lane, width, warp_size", rawShuffle, op(OpId::kShflSync)},
    {"any_sync", kVote, [](const Native& n) { return vote(n, ir::kInt32); }, op(OpId::kAnySync)},
    {"all_sync", kVote, [](const Native& n) { return vote(n, ir::kInt32); }, op(OpId::kAllSync)},
    {"ballot_sync", kVote, [](const Native& n) { return vote(n, ir::kUInt64); }, op(OpId::kBallotSync)},
    {"ballot", "predicate", [](const Native& n) { return vote(n, ir::kUInt64); }, op(OpId::kBallot)},
    {"activemask", "", [](const Native& n) { return value(n, ir::kUInt64, {}); }, op(OpId::kActiveMask)},
    {"match_any_sync", "value, mask=None", matchLanes, op(OpId::kMatchAny)},
    {"match_all_sync", "value, mask=None", matchLanes, op(OpId::kMatchAll)},
    {"warp_reduce_sum", "value", warpReduce, op(OpId::kWarpReduceSum)},
    {"warp_reduce_max", "value", warpReduce, op(OpId::kWarpReduceMax)},
    {"warp_reduce_min", "value", warpReduce, op(OpId::kWarpReduceMin)},
    {"warp_reduce_bitand", "value", warpReduce, op(OpId::kWarpReduceBitAnd)},
    {"warp_reduce_bitor", "value", warpReduce, op(OpId::kWarpReduceBitOr)},
    {"tvm_thread_allreduce", "*args, dtype=None", allReduce},
};

}  // namespace

Rows warpRows() { return kWarpRows; }

}  // namespace tw::staging
