// Dispatch of operations, and the small ones.
#include <cmath>
#include <fmt/format.h>

#include "core/interp/machine.h"
#include "core/ir/number.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;
using ir::OpClass;
using ir::OpId;

bool isInside(const TileView& v)
{
    bool inside = v.inside;
    for (const TileAxis& a : v.axes)
        inside &= a.high - a.low == a.extent;
    return inside;
}

std::int64_t Machine::scalarOf(Fiber& f, int slotIndex, std::int64_t otherwise)
{
    if (slotIndex < 0)
        return otherwise;
    const Slot& s = slot(f, slotIndex);
    return s.lanes[s.uniform ? 0 : static_cast<std::size_t>(std::max(0, f.mask.first(f.n)))].i;
}

bool Machine::spaceIsPrivate(const RegionRecord& region) const
{
    if (region.buffer < 0)
        return false;
    const Space space = program_.buffers[static_cast<std::size_t>(region.buffer)].space;
    return space == Space::kThread || space == Space::kLane;
}

void Machine::operation(Fiber& f, const Instr& in)
{
    const OpRecord& record = program_.ops[static_cast<std::size_t>(in.extra)];
    ++f.pc;  // before anything may block
    if (f.mask.none())
        return;
    switch (ir::info(record.op).cls) {
    case OpClass::kCopy: case OpClass::kFill: case OpClass::kScan: tileOperation(f, in, record); break;
    case OpClass::kProduct:
        if (record.op == OpId::kDp4a)
            dp4a(f, in, record);
        else if (record.op == OpId::kMma)
            mmaOp(f, in, record);
        else if (record.op == OpId::kWgmma)
            wgmmaOp(f, in, record);
        else
            tileOperation(f, in, record);
        break;
    case OpClass::kReduce:
        if (record.op == OpId::kAnyOf || record.op == OpId::kAllOf)
            anyAllOp(f, in, record);
        else
            tileOperation(f, in, record);
        return;
    case OpClass::kReducer:
        if (record.op == OpId::kReducerUpdate)
            reducerUpdate(f, in, record);
        else
            tileOperation(f, in, record);
        break;
    case OpClass::kAtomic:
        if (record.tile)
            tileOperation(f, in, record);
        else
            atomicOp(f, in, record);
        return;  // whether it changed anything, it knows itself
    case OpClass::kMemory: memoryOp(f, in, record); break;
    case OpClass::kThread: threadQuery(f, in, record); return;
    case OpClass::kWarp: warpOp(f, in, record); return;
    case OpClass::kBarrier: barrierOp(f, in, record); break;
    case OpClass::kAsync: asyncOp(f, in, record); return;  // asynchronous operations are done where they start
    case OpClass::kDebug:
        if (record.op == OpId::kPrint)
            printOp(f, in, record);
        else
            assertOp(f, in, record);
        break;
    case OpClass::kRandom: randomOp(f, in, record); break;
    case OpClass::kMath: case OpClass::kAnnotation: case OpClass::kExtern: return;
    }
    noteChange(f);
}

// Once for the fiber; once for every thread where operands are threads' own or differ between them.
void Machine::tileOperation(Fiber& f, const Instr& in, const OpRecord& record)
{
    if (record.op == OpId::kCopyCluster) {
        clusterCopy(f, in, record);
        return;
    }
    bool each = false;
    for (const OperandRecord& operand : record.operands) {
        each |= spaceIsPrivate(operand.region);
        for (const int min : operand.region.mins)
            each |= !slot(f, min).uniform;
    }
    const auto one = [&](int lane) {
        switch (record.op) {
        case OpId::kTranspose: transposeOp(f, in, record, lane); break;
        case OpId::kIm2col: im2colOp(f, in, record, lane); break;
        case OpId::kGemm: case OpId::kWgmmaGemm: case OpId::kGemmSp: gemmOp(f, in, record, lane); break;
        case OpId::kFill: case OpId::kClear: fillOp(f, in, record, lane); break;
        case OpId::kCumSum: case OpId::kCumMax: scanOp(f, in, record, lane); break;
        case OpId::kReducerInit: case OpId::kFinalizeReducer: reducerOp(f, in, record, lane); break;
        case OpId::kAtomicAdd: case OpId::kAtomicMax: case OpId::kAtomicMin: case OpId::kAtomicOr: atomicTile(f, in, record, lane); break;
        default:
            if (ir::info(record.op).cls == OpClass::kReduce)
                reduceOp(f, in, record, lane);
            else
                copyOp(f, in, record, lane);
        }
    };
    if (!each) {
        one(f.mask.first(f.n));
        noteChange(f);
        return;
    }
    for (int lane = 0; lane < f.n && !failed_; ++lane)
        if (f.mask.on(lane))
            one(lane);
    noteChange(f);
}

void Machine::threadQuery(Fiber& f, const Instr& in, const OpRecord& record)
{
    if (in.dst < 0)
        return;
    Slot& dst = slot(f, in.dst);
    if (record.op == OpId::kBlockRank) {
        Lane lane{};
        lane.i = f.block->rank;
        dst.setUniform(lane);
        return;
    }
    const std::int64_t first = record.at(0).present() ? scalarOf(f, record.at(0).slot, 32) : 32;
    const std::int64_t size = record.op == OpId::kShuffleElect ? first : std::max<std::int64_t>(1, first);
    const std::int64_t group = std::max<std::int64_t>(1, scalarOf(f, record.at(1).slot, 4));
    Lane* out = dst.prepare(static_cast<std::size_t>(f.n));
    dst.uniform = false;
    dst.width = 1;
    for (int lane = 0; lane < f.n; ++lane) {
        const std::int64_t thread = f.threads[static_cast<std::size_t>(lane)];
        switch (record.op) {
        case OpId::kLaneIdx: out[lane].i = thread % size; break;
        case OpId::kWarpIdx: case OpId::kWarpIdxSync: out[lane].i = thread / size; break;
        case OpId::kWarpGroupIdx: out[lane].i = thread / (size * group); break;
        default: out[lane].i = size <= 0 ? thread == 0 : thread % size == 0; break;
        }
    }
    makeUniformIfEqual(f, dst);
}

void Machine::memoryOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    switch (record.op) {
    case OpId::kLdg: case OpId::kLds: case OpId::kLdgReadOnly: wideLoad(f, in, record); return;
    case OpId::kStg: case OpId::kSts: wideStore(f, in, record); return;
    case OpId::kLdMatrix: case OpId::kStMatrix: matrixMove(f, in, record); return;
    case OpId::kTmaLoad: bulkLoad(f, in, record); return;
    case OpId::kTmaStore: bulkStore(f, in, record); return;
    case OpId::kCpAsync: cpAsync(f, in, record); return;
    default: break;
    }
    if (in.dst < 0)
        return;
    takeAddress(f, in, record);
}

// ldg128 and the like: `width` words of 32 bits from the element's address on. __ldg: the element itself.
void Machine::wideLoad(Fiber& f, const Instr& in, const OpRecord& record)
{
    if (in.dst < 0)
        return;
    const int width = std::max<int>(1, in.type.lanes);
    Slot& dst = slot(f, in.dst);
    std::vector<Lane> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(f.n), Lane{});
    tellWide(f, in, record.at(0).region, Touch::Kind::kRead, in.type.bits() * width / 8, record.op == OpId::kLdg ? record.at(1).slot : -1);
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        TileView src;
        if (!view(f, record.at(0).region, lane, false, src, in.where.range))
            return;
        bool run = isInside(src);
        if (record.op == OpId::kLdg && record.at(1).present()) {
            const Slot& p = slot(f, record.at(1).slot);
            run &= p.lanes[p.uniform ? 0 : static_cast<std::size_t>(lane)].i != 0;
        }
        if (!run)
            continue;
        const std::int64_t first = src.base * src.type.bits() / in.type.bits();
        if (src.base * src.type.bits() % in.type.bits() != 0) {
            error(Code::kOutOfBounds, in.where.range, "the address of this wide load is not aligned to its words");
            return;
        }
        const std::int64_t bytes = src.info->space == Space::kGlobal
                                       ? globals_[static_cast<std::size_t>(src.info->storage)].size
                                       : -1;
        if (bytes >= 0 && (first + width) * in.type.bits() > bytes * 8) {
            error(Code::kOutOfBounds, in.where.range,
                  fmt::format("this wide load reaches beyond the end of {}", src.info->node->name));
            return;
        }
        for (int c = 0; c < width; ++c)
            out[static_cast<std::size_t>(c) * static_cast<std::size_t>(f.n) + static_cast<std::size_t>(lane)] =
                loadElement(in.type.element(), src.bytes, first + c);
    }
    dst.lanes = std::move(out);
    dst.uniform = false;
    dst.width = width;
    if (f.n == 1)
        dst.uniform = true;
}

void Machine::wideStore(Fiber& f, const Instr& in, const OpRecord& record)
{
    const Slot& value = slot(f, record.at(1).slot);
    const DType type = record.at(1).type;
    const int width = std::max<int>(1, type.lanes);
    tellWide(f, in, record.at(0).region, Touch::Kind::kWrite, type.bits() * width / 8, record.op == OpId::kStg ? record.at(2).slot : -1);
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        TileView dst;
        if (!view(f, record.at(0).region, lane, true, dst, in.where.range))
            return;
        bool run = isInside(dst);
        if (record.op == OpId::kStg && record.at(2).present()) {
            const Slot& p = slot(f, record.at(2).slot);
            run &= p.lanes[p.uniform ? 0 : static_cast<std::size_t>(lane)].i != 0;
        }
        if (!run)
            continue;
        const std::int64_t first = dst.base * dst.type.bits() / type.bits();
        const std::int64_t bytes = dst.info->space == Space::kGlobal
                                       ? globals_[static_cast<std::size_t>(dst.info->storage)].size
                                       : -1;
        if (dst.base * dst.type.bits() % type.bits() != 0 ||
            (bytes >= 0 && (first + width) * type.bits() > bytes * 8)) {
            error(Code::kOutOfBounds, in.where.range,
                  fmt::format("this wide store is not aligned, or reaches beyond the end of {}", dst.info->node->name));
            return;
        }
        for (int c = 0; c < width; ++c) {
            const Lane v = value.component(value.width == width ? c : 0, f.n)[value.uniform ? 0 : lane];
            storeElement(type.element(), dst.bytes, first + c, v);
            if (dst.valid)
                std::fill(dst.valid + firstByte(type.element(), first + c), dst.valid + endByte(type.element(), first + c),
                          std::uint8_t{1});
        }
    }
}

// C += the dot product of four neighbouring int8 of A and of B.
void Machine::dp4a(Fiber& f, const Instr& in, const OpRecord& record)
{
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        TileView a;
        TileView b;
        TileView c;
        if (!view(f, record.at(0).region, lane, false, a, in.where.range) ||
            !view(f, record.at(1).region, lane, false, b, in.where.range) ||
            !view(f, record.at(2).region, lane, true, c, in.where.range))
            return;
        Lane sum = loadElement(c.type, c.bytes, c.base);
        for (int k = 0; k < 4; ++k)
            sum.i += loadElement(a.type, a.bytes, a.base + k).i * loadElement(b.type, b.bytes, b.base + k).i;
        wrapLanes(c.type, &sum, 1);
        storeElement(c.type, c.bytes, c.base, sum);
    }
}

void Machine::randomOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    Block& block = *f.block;
    block.random.resize(static_cast<std::size_t>(std::max(threadCount_, 1)));
    const auto value = [&](std::size_t operand, int lane, std::int64_t otherwise) {
        const OperandRecord& o = record.at(operand);
        if (!o.present())
            return otherwise;
        const Slot& s = slot(f, o.slot);
        return s.lanes[s.uniform ? 0 : static_cast<std::size_t>(lane)].i;
    };
    const bool normal = record.attrs->contains("dist") && std::get_if<std::string>(&record.attrs->at("dist")) &&
                        *std::get_if<std::string>(&record.attrs->at("dist")) == "normal";
    std::vector<Lane> out(static_cast<std::size_t>(f.n), Lane{});
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        const int thread = f.threads[static_cast<std::size_t>(lane)];
        ir::RandomCounter& random = block.random[static_cast<std::size_t>(thread)];
        if (record.op == OpId::kRngInit) {
            const std::int64_t sequence = value(1, lane, block.linear * threadCount_ + thread);
            random.start(value(0, lane, 0), sequence, value(2, lane, 0));
            continue;
        }
        if (!random.started) {
            error(Code::kUninitialized, in.where.range, "random numbers are asked for before T.rng_init");
            return;
        }
        Lane& result = out[static_cast<std::size_t>(lane)];
        if (record.op == OpId::kRngRand)
            result.i = random.bits();
        else
            result.f = normal ? random.normal() : random.uniform();
    }
    if (in.dst < 0)
        return;
    if (in.type.isFloating())
        roundLanes(in.type, out.data(), out.size());
    Slot& dst = slot(f, in.dst);
    dst.lanes = std::move(out);
    dst.uniform = f.n == 1;
    dst.width = 1;
}

}  // namespace tw::interp
