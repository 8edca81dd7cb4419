// Reductions along one axis, scans, deferred reducers, any and all.
#include <cmath>

#include "core/interp/combine.h"
#include "core/interp/tile_walk.h"
#include "core/ir/call.h"

namespace tw::interp {

using ir::Combiner;
using ir::DType;
using ir::OpId;

namespace {

// Calls f(position) for every position over the axes' extents.
template <class F>
void forEachPosition(const std::vector<std::int64_t>& extents, F&& f)
{
    for (const std::int64_t extent : extents)
        if (extent == 0)
            return;
    std::vector<std::int64_t> at(extents.size(), 0);
    while (true) {
        f(at);
        std::size_t k = extents.size();
        while (k-- > 0) {
            if (++at[k] < extents[k])
                break;
            at[k] = 0;
        }
        if (k == static_cast<std::size_t>(-1))
            return;
    }
}

Combiner combinerOf(const ir::BufferNode& buffer)
{
    return ir::parseCombiner(buffer.reducer).value_or(Combiner::kSum);
}

// A reduction of one axis: what varies over the others, and the types that its steps are in.
struct Reduction {
    Combiner how;
    bool clear, nanWins;
    TileAxis axis;                                     // reduced
    std::vector<std::int64_t> extents, from, to;       // of the other axes, with their strides in source and destination
    DType acc;    // of the steps
    DType joint;  // in which what was there joins: a narrow float's sum is rounded to the destination once
    bool single, rounds;

    Reduction(const OpRecord& record, const TileView& src, const TileView& dst, std::size_t dim)
        : how(*ir::combiner(record.op)), clear(ir::boolAttr(*record.attrs, "clear", true)), nanWins(ir::boolAttr(*record.attrs, "nan_propagate", false)),
          axis(src.axes[dim]), acc(accumulatorOf(how, src.type))
    {
        const bool sameRank = dst.axes.size() == src.axes.size();
        for (std::size_t k = 0, other = 0; k < src.axes.size(); ++k) {
            if (k == dim) {
                other += sameRank ? 1 : 0;
                continue;
            }
            extents.push_back(src.axes[k].extent);
            from.push_back(src.axes[k].stride);
            to.push_back(other < dst.axes.size() ? dst.axes[other].stride : 0);
            ++other;
        }
        joint = acc.isFloating() && dst.type.isFloating() && acc.bits() > dst.type.bits() ? acc : dst.type;
        single = acc.scalar == ir::Scalar::kFloat32;
        rounds = src.type.isFloating() && (how == Combiner::kSum || how == Combiner::kAbsSum);
    }
};

std::int64_t placeOf(std::int64_t base, const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& strides)
{
    for (std::size_t k = 0; k < at.size(); ++k)
        base += at[k] * strides[k];
    return base;
}

}  // namespace

void Machine::reduceOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView src;
    TileView dst;
    if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
        !view(f, record.at(1).region, lane, true, dst, in.where.range))
        return;
    const auto rank = static_cast<std::int64_t>(src.axes.size());
    std::int64_t dim = ir::intAttr(*record.attrs, "dim", -1);
    dim = dim < 0 ? dim + rank : dim;
    if (dim < 0 || dim >= rank) {
        error(Code::kShapeMismatch, in.where.range, "the axis of this reduction does not exist");
        return;
    }
    const Reduction r(record, src, dst, static_cast<std::size_t>(dim));
    const auto combineRow = [&](const std::vector<Lane>& row) {
        Lane acc = identityOf(r.how, r.acc);
        for (const Lane& element : row) {
            acc = combine(r.how, r.acc, acc, element, r.nanWins);
            if (!r.rounds)
                continue;
            const Lane exact = acc;
            if (r.single)
                acc.f = static_cast<double>(static_cast<float>(acc.f));
            if (options_.perturb)
                perturbLanes(r.acc, &exact, &acc, 1, false);
        }
        if (!src.type.isFloating())
            wrapLanes(r.acc, &acc, 1);
        castLanes(r.acc, r.joint, &acc, &acc, 1);
        return acc;
    };
    const auto joinWhatWasThere = [&](std::int64_t to, Lane& acc) {
        Lane before = loadElement(dst.type, dst.bytes, to);
        castLanes(dst.type, r.joint, &before, &before, 1);
        acc = combine(r.how, r.joint, before, acc, r.nanWins);
        if (r.joint.isFloating())
            roundLanes(r.joint, &acc, 1);
        else
            wrapLanes(r.joint, &acc, 1);
    };
    std::vector<Lane> row(static_cast<std::size_t>(r.axis.extent));
    forEachPosition(r.extents, [&](const std::vector<std::int64_t>& at) {
        const std::int64_t from = placeOf(src.base, at, r.from), to = placeOf(dst.base, at, r.to);
        loadRow(src.type, src.bytes, from, r.axis.stride, row.data(), row.size());
        bool valid = true;
        if (src.valid && options_.checkUninitialized)
            for (std::int64_t k = 0; k < r.axis.extent; ++k)
                valid &= isValid(src, from + k * r.axis.stride);
        Lane acc = combineRow(row);
        if (!r.clear) {
            if (options_.checkUninitialized && !isValid(dst, to)) {
                reportUninitialized(*dst.info, in.where.range);
                return;
            }
            joinWhatWasThere(to, acc);
        }
        castLanes(r.joint, dst.type, &acc, &acc, 1);
        storeElement(dst.type, dst.bytes, to, acc);
        setValid(dst, to);
        if (!valid && dst.valid)
            dst.valid[firstByte(dst.type, to)] = 0;
    });
}

void Machine::scanOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView src;
    TileView dst;
    const OperandRecord& target = record.at(1).present() ? record.at(1) : record.at(0);
    if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
        !view(f, target.region, lane, true, dst, in.where.range))
        return;
    // A fragment that is scanned in place has one memory only after the write above.
    if (!view(f, record.at(0).region, lane, false, src, in.where.range))
        return;
    const auto rank = static_cast<std::int64_t>(src.axes.size());
    std::int64_t dim = ir::intAttr(*record.attrs, "dim", 0);
    dim = dim < 0 ? dim + rank : dim;
    if (dim < 0 || dim >= rank || dst.axes.size() != src.axes.size()) {
        error(Code::kShapeMismatch, in.where.range, "the axis of this scan does not exist");
        return;
    }
    const bool reverse = ir::boolAttr(*record.attrs, "reverse", false);
    const Combiner how = record.op == OpId::kCumMax ? Combiner::kMax : Combiner::kSum;
    const DType accType = accumulatorOf(how, src.type);
    std::vector<std::int64_t> extents;
    for (const TileAxis& a : src.axes)
        extents.push_back(a.extent);
    const TileAxis axis = src.axes[static_cast<std::size_t>(dim)];
    const TileAxis dstAxis = dst.axes[static_cast<std::size_t>(dim)];
    extents[static_cast<std::size_t>(dim)] = 1;
    const auto count = static_cast<std::size_t>(axis.extent);
    std::vector<Lane> row(count);
    forEachPosition(extents, [&](const std::vector<std::int64_t>& at) {
        std::int64_t from = src.base;
        std::int64_t to = dst.base;
        for (std::size_t k = 0; k < at.size(); ++k) {
            from += at[k] * src.axes[k].stride;
            to += at[k] * dst.axes[k].stride;
        }
        loadRow(src.type, src.bytes, from, axis.stride, row.data(), count);
        Lane acc = identityOf(how, accType);
        for (std::size_t step = 0; step < count; ++step) {
            const std::size_t k = reverse ? count - 1 - step : step;
            if (options_.checkUninitialized && !isValid(src, from + static_cast<std::int64_t>(k) * axis.stride)) {
                reportUninitialized(*src.info, in.where.range);
                return;
            }
            acc = combine(how, accType, acc, row[k]);
            if (accType.isFloating()) {
                const Lane exact = acc;
                roundLanes(accType, &acc, 1);
                if (options_.perturb)
                    perturbLanes(accType, &exact, &acc, 1, false);
            } else {
                wrapLanes(accType, &acc, 1);
            }
            row[k] = acc;
        }
        castLanes(accType, dst.type, row.data(), row.data(), count);
        storeRow(dst.type, dst.bytes, to, dstAxis.stride, row.data(), count);
        for (std::size_t k = 0; k < count; ++k)
            setValid(dst, to + static_cast<std::int64_t>(k) * dstAxis.stride);
    });
}

void Machine::reducerOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(record.at(0).region.buffer)];
    TileView acc;
    if (!view(f, record.at(0).region, lane, true, acc, in.where.range))
        return;
    if (record.op == OpId::kFinalizeReducer) {
        if (!record.at(1).present())
            return;  // in place: the sums are where they belong
        TileView dst;
        if (view(f, record.at(1).region, lane, true, dst, in.where.range))
            copyTile(acc, dst, in.where.range);
        return;
    }
    Lane start = identityOf(combinerOf(*info.node), info.type);
    if (record.at(1).present()) {
        const Slot& s = slot(f, record.at(1).slot);
        start = s.lanes[s.uniform ? 0 : static_cast<std::size_t>(lane)];
    }
    std::vector<std::int64_t> extents;
    for (const TileAxis& a : acc.axes)
        extents.push_back(a.extent);
    forEachPosition(extents, [&](const std::vector<std::int64_t>& at) {
        std::int64_t to = acc.base;
        for (std::size_t k = 0; k < at.size(); ++k)
            to += at[k] * acc.axes[k].stride;
        storeElement(acc.type, acc.bytes, to, start);
        setValid(acc, to);
    });
}

void Machine::anyAllOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    const RegionRecord& region = record.at(0).region;
    bool uniform = program_.buffers[static_cast<std::size_t>(region.buffer)].space != Space::kLane &&
                   program_.buffers[static_cast<std::size_t>(region.buffer)].space != Space::kThread;
    for (const int min : region.mins)
        uniform &= slot(f, min).uniform;
    const bool all = record.op == OpId::kAllOf;
    const int lanes = uniform ? 1 : f.n;
    std::vector<Lane> results(static_cast<std::size_t>(lanes), Lane{});
    for (int lane = 0; lane < lanes; ++lane) {
        if (!uniform && !f.mask.on(lane))
            continue;
        TileView src;
        if (!view(f, region, lane, false, src, in.where.range))
            return;
        std::vector<std::int64_t> extents;
        for (const TileAxis& a : src.axes)
            extents.push_back(a.extent);
        bool result = all;
        forEachPosition(extents, [&](const std::vector<std::int64_t>& at) {
            std::int64_t from = src.base;
            bool inside = true;
            for (std::size_t k = 0; k < at.size(); ++k) {
                from += at[k] * src.axes[k].stride;
                inside &= at[k] >= src.axes[k].low && at[k] < src.axes[k].high;
            }
            if (inside && options_.checkUninitialized && !isValid(src, from)) {
                reportUninitialized(*src.info, in.where.range);
                return;
            }
            const Lane value = inside ? loadElement(src.type, src.bytes, from) : src.safe;
            const bool holds = src.type.isFloating() ? value.f != 0.0 : value.i != 0;
            result = all ? result && holds : result || holds;
        });
        results[static_cast<std::size_t>(lane)].i = result ? 1 : 0;
    }
    if (in.dst < 0)
        return;
    Slot& dst = slot(f, in.dst);
    std::copy(results.begin(), results.end(), dst.prepare(results.size()));
    dst.uniform = uniform;
    dst.width = 1;
}

}  // namespace tw::interp
