// Atomics and reducer updates: lane by lane, in the order of the lanes.
#include "core/interp/combine.h"
#include "core/interp/tile_walk.h"

namespace tw::interp {

using ir::Combiner;
using ir::DType;
using ir::OpId;

namespace {

Lane settle(DType type, Lane value)
{
    if (type.isFloating())
        roundLanes(type, &value, 1);
    else
        wrapLanes(type, &value, 1);
    return value;
}

}  // namespace

void Machine::atomicOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    switch (record.op) {
    case OpId::kAtomicAddX2: atomicVector(f, in, record, 2); return;
    case OpId::kAtomicAddX4: atomicVector(f, in, record, 4); return;
    case OpId::kAtomicLoad: case OpId::kAtomicStore: {
        Places& p = places_;
        const RegionRecord& region = record.at(0).region;
        const BufferInfo& info = program_.buffers[static_cast<std::size_t>(region.buffer)];
        if (!locate(f, region.buffer, region.mins, p, in.where.range))
            return;
        const bool stores = record.op == OpId::kAtomicStore;
        if (Memory* memory = memoryOf(f, info, stores)) {
            p.bytes = memory->bytes.data();
            p.valid = memory->valid.data();
        }
        tellAccess(f, in, info, p, Touch::Kind::kAtomic, nullptr);
        const DType type = info.type.element();
        if (!stores) {
            if (in.dst < 0)
                return;
            Slot& dst = slot(f, in.dst);
            Lane* out = dst.prepare(p.offsets.size());
            for (std::size_t k = 0; k < p.offsets.size(); ++k)
                out[k] = p.active(k) ? loadElement(type, p.bytesOf(k), p.offsets[k]) : Lane{};
            dst.uniform = p.uniform;
            dst.width = 1;
            return;
        }
        const Slot& value = slot(f, record.at(1).slot);
        for (int lane = 0; lane < f.n; ++lane) {
            const std::size_t at = p.uniform ? 0 : static_cast<std::size_t>(lane);
            if (!f.mask.on(lane) || !p.active(at))
                continue;
            const Lane v = value.lanes[value.uniform ? 0 : static_cast<std::size_t>(lane)];
            if (loadElement(type, p.bytesOf(at), p.offsets[at]).i != v.i)
                noteChange(f);
            storeElement(type, p.bytesOf(at), p.offsets[at], v);
            if (std::uint8_t* valid = p.validOf(at))
                std::fill(valid + firstByte(type, p.offsets[at]), valid + endByte(type, p.offsets[at]), std::uint8_t{1});
        }
        return;
    }
    default: break;
    }
    const Combiner how = record.op == OpId::kAtomicOr    ? Combiner::kBitOr
                         : record.op == OpId::kAtomicMax ? Combiner::kMax
                         : record.op == OpId::kAtomicMin ? Combiner::kMin
                                                         : Combiner::kSum;
    combineLanes(f, in, record, how, in.dst >= 0);
}

void Machine::combineLanes(Fiber& f, const Instr& in, const OpRecord& record, Combiner how, bool returnPrevious)
{
    Places& p = places_;
    const RegionRecord& region = record.at(0).region;
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(region.buffer)];
    if (!locate(f, region.buffer, region.mins, p, in.where.range))
        return;
    if (Memory* memory = memoryOf(f, info, true)) {
        p.bytes = memory->bytes.data();
        p.valid = memory->valid.data();
    }
    tellAccess(f, in, info, p, Touch::Kind::kAtomic, nullptr);
    const Slot& value = slot(f, record.at(1).slot);
    const DType type = info.type.element();
    const bool adds = how == Combiner::kSum || how == Combiner::kProduct || how == Combiner::kAbsSum;
    Lane* previous = nullptr;
    if (returnPrevious) {
        Slot& dst = slot(f, in.dst);
        previous = dst.prepare(static_cast<std::size_t>(f.n));
        std::fill_n(previous, f.n, Lane{});
        dst.uniform = f.n == 1;
        dst.width = 1;
    }
    for (int lane = 0; lane < f.n; ++lane) {
        const std::size_t at = p.uniform ? 0 : static_cast<std::size_t>(lane);
        if (!f.mask.on(lane) || !p.active(at))
            continue;
        std::uint8_t* bytes = p.bytesOf(at);
        const std::int64_t offset = p.offsets[at];
        if (p.validOf(at) && options_.checkUninitialized && p.validOf(at)[firstByte(type, offset)] == 0) {
            reportUninitialized(info, in.where.range);
            return;
        }
        const Lane old = loadElement(type, bytes, offset);
        Lane result = combine(how, type, old, value.lanes[value.uniform ? 0 : static_cast<std::size_t>(lane)]);
        if (adds) {
            const Lane exact = result;
            result = settle(type, result);
            if (options_.perturb && type.isFloating())
                perturbLanes(type, &exact, &result, 1, false);
        }
        if (previous)
            previous[lane] = old;
        if (result.i != old.i)
            noteChange(f);
        storeElement(type, bytes, offset, result);
    }
}

void Machine::reducerUpdate(Fiber& f, const Instr& in, const OpRecord& record)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(record.at(0).region.buffer)];
    combineLanes(f, in, record, ir::parseCombiner(info.node->reducer).value_or(Combiner::kSum), false);
}

// `width` neighbouring elements each.
void Machine::atomicVector(Fiber& f, const Instr& in, const OpRecord& record, int width)
{
    std::vector<Lane> previous(static_cast<std::size_t>(width) * static_cast<std::size_t>(f.n), Lane{});
    const OperandRecord& source = record.at(1);
    tellWide(f, in, record.at(0).region, Touch::Kind::kAtomic, width * program_.buffers[static_cast<std::size_t>(record.at(0).region.buffer)].type.bits() / 8, -1);
    for (int lane = 0; lane < f.n && !failed_; ++lane) {
        if (!f.mask.on(lane))
            continue;
        TileView dst;
        TileView src;
        if (!view(f, record.at(0).region, lane, true, dst, in.where.range) ||
            (source.region.buffer >= 0 && !view(f, source.region, lane, false, src, in.where.range)))
            return;
        if (!dst.inside)
            continue;
        for (int c = 0; c < width; ++c) {
            Lane value{};
            if (source.region.buffer >= 0) {
                value = src.inside ? loadElement(src.type, src.bytes, src.base + c) : Lane{};
                castLanes(src.type, dst.type, &value, &value, 1);
            } else if (source.slot >= 0) {
                const Slot& s = slot(f, source.slot);
                value = s.component(s.width == width ? c : 0, f.n)[s.uniform ? 0 : lane];
                castLanes(source.type.element(), dst.type, &value, &value, 1);
            }
            const Lane old = loadElement(dst.type, dst.bytes, dst.base + c);
            previous[static_cast<std::size_t>(c) * static_cast<std::size_t>(f.n) + static_cast<std::size_t>(lane)] = old;
            storeElement(dst.type, dst.bytes, dst.base + c, settle(dst.type, combine(Combiner::kSum, dst.type, old, value)));
        }
        noteChange(f);
    }
    if (in.dst < 0)
        return;
    Slot& dst = slot(f, in.dst);
    dst.lanes = std::move(previous);
    dst.uniform = f.n == 1;
    dst.width = width;
}

// The tile form: every element of a region once.
void Machine::atomicTile(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView dst;
    TileView src;
    if (!view(f, record.at(0).region, lane, true, dst, in.where.range) ||
        (record.at(2).present() && !view(f, record.at(2).region, lane, false, src, in.where.range)))
        return;
    Lane same{};
    if (!record.at(2).present()) {  // one value for every element
        src = dst;
        const Slot& s = slot(f, record.at(1).slot);
        same = s.lanes[s.uniform ? 0 : static_cast<std::size_t>(lane)];
    }
    const Combiner how = record.op == OpId::kAtomicMax   ? Combiner::kMax
                         : record.op == OpId::kAtomicMin ? Combiner::kMin
                         : record.op == OpId::kAtomicOr  ? Combiner::kBitOr
                                                         : Combiner::kSum;
    const PairAxes pair = pairAxes(src, dst, true);
    if (!pair.fits) {
        error(Code::kShapeMismatch, in.where.range, "the two sides of this atomic have different numbers of axes at run time");
        return;
    }
    forEachRow(src, dst, pair.axes, [&](std::int64_t, const Row& from, const Row& to) {
        for (std::int64_t k = std::max(from.low, to.low); k < std::min(from.high, to.high) && !failed_; ++k) {
            const std::int64_t a = from.base + k * from.stride;
            const std::int64_t b = to.base + k * to.stride;
            if (options_.checkUninitialized && !isValid(src, a)) {
                reportUninitialized(*src.info, in.where.range);
                return;
            }
            Lane value = record.at(2).present() ? loadElement(src.type, src.bytes, a) : same;
            castLanes(src.type, dst.type, &value, &value, 1);
            const Lane exact = combine(how, dst.type, loadElement(dst.type, dst.bytes, b), value);
            Lane result = settle(dst.type, exact);
            if (options_.perturb && dst.type.isFloating())
                perturbLanes(dst.type, &exact, &result, 1, false);
            storeElement(dst.type, dst.bytes, b, result);
        }
    });
}

}  // namespace tw::interp
