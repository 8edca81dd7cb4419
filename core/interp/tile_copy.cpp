#include <cstring>
#include <fmt/format.h>

#include "core/interp/tile_walk.h"
#include "core/ir/call.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::OpId;

namespace {

std::vector<TileAxis> longAxes(const TileView& v)
{
    std::vector<TileAxis> axes;
    for (const TileAxis& a : v.axes)
        if (a.extent != 1)
            axes.push_back(a);
    return axes;
}

int depthOf(Space space)
{
    switch (space) {
    case Space::kFragment: case Space::kThread: case Space::kLane: return 2;
    case Space::kShared: return 1;
    default: return 0;
    }
}

}  // namespace

PairAxes pairAxes(const TileView& a, const TileView& b, bool aDecides)
{
    PairAxes out;
    std::vector<TileAxis> x = longAxes(a);
    std::vector<TileAxis> y = longAxes(b);
    // An axis may have shrunk to 1 on one side only: it is then one more leading axis of 1 there.
    if (x.size() != y.size()) {
        const std::size_t n = std::min(x.size(), y.size());
        out.fits = false;
        for (auto* side : {&x, &y})
            if (side->size() > n)
                side->erase(side->begin(), side->end() - static_cast<std::ptrdiff_t>(n));
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
        PairAxis axis{aDecides ? x[k].extent : y[k].extent, x[k], y[k]};
        axis.a.high = std::min(axis.a.high, axis.extent);
        axis.b.high = std::min(axis.b.high, axis.extent);
        out.axes.push_back(axis);
    }
    return out;
}

void Machine::copyTile(TileView& src, TileView& dst, const SourceRange& where)
{
    const bool srcDecides = depthOf(src.info->space) >= depthOf(dst.info->space);
    const PairAxes pair = pairAxes(src, dst, srcDecides);
    for (const TileAxis& a : src.axes)
        if (a.extent == 0)
            return;
    for (const TileAxis& a : dst.axes)
        if (a.extent == 0)
            return;
    if (!pair.fits) {
        error(Code::kShapeMismatch, where, "the two sides of this copy have different numbers of axes at run time");
        return;
    }
    const bool sameType = src.type.scalar == dst.type.scalar;
    const bool wholeBytes = src.type.bits() % 8 == 0;
    const bool mustBeWritten = depthOf(dst.info->space) == 0 && options_.checkUninitialized;
    std::vector<Lane>& lanes = scratch_[0];
    forEachRow(src, dst, pair.axes, [&](std::int64_t extent, const Row& from, const Row& to) {
        if (to.high <= to.low || failed_)
            return;
        const auto count = static_cast<std::size_t>(extent);
        if (src.valid)
            for (std::int64_t k = std::max(from.low, to.low); k < std::min(from.high, to.high); ++k) {
                const bool ok = isValid(src, from.base + k * from.stride);
                if (!ok && mustBeWritten) {
                    reportUninitialized(*src.info, where);
                    return;
                }
                if (dst.valid)
                    dst.valid[firstByte(dst.type, to.base + k * to.stride)] = ok ? 1 : 0;
            }
        const bool whole = from.low == 0 && from.high >= extent && to.low == 0 && to.high >= extent;
        if (sameType && wholeBytes && whole && from.stride == 1 && to.stride == 1) {
            const auto size = static_cast<std::size_t>(src.type.bits() / 8);
            std::memmove(dst.bytes + to.base * static_cast<std::int64_t>(size),
                         src.bytes + from.base * static_cast<std::int64_t>(size), count * size);
            if (dst.valid && !src.valid)
                std::memset(dst.valid + to.base * static_cast<std::int64_t>(size), 1, count * size);
            return;
        }
        lanes.assign(count, src.safe);
        if (from.high > from.low)
            loadRow(src.type, src.bytes, from.base + from.low * from.stride, from.stride, lanes.data() + from.low,
                    static_cast<std::size_t>(from.high - from.low));
        if (!sameType) {
            const bool inexact = options_.perturb && src.type.isFloating() && dst.type.isFloating() && dst.type.bits() < 64;
            if (inexact)
                scratch_[1] = lanes;
            castLanes(src.type, dst.type, lanes.data(), lanes.data(), count);
            if (inexact)
                perturbLanes(dst.type, scratch_[1].data(), lanes.data(), count, false);
        }
        storeRow(dst.type, dst.bytes, to.base + to.low * to.stride, to.stride, lanes.data() + to.low,
                 static_cast<std::size_t>(to.high - to.low));
        if (dst.valid)
            for (std::int64_t k = to.low; k < to.high; ++k)
                if (!src.valid || k < from.low || k >= from.high)
                    setValid(dst, to.base + k * to.stride);
    });
}

void Machine::copyOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView src;
    TileView dst;
    if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
        !view(f, record.at(1).region, lane, true, dst, in.where.range))
        return;
    copyTile(src, dst, in.where.range);
    if (failed_ || record.op != OpId::kTmaCopy || !record.at(2).present())
        return;
    // A bulk load announces its bytes and, here, has brought them at once. Bytes that the program announced itself are
    // taken off.
    Wait place;
    BarrierState* barrier = barrierAt(f, record.at(2).region, lane, in.where.range, &place);
    if (!barrier || barrier->bytes == 0)
        return;
    std::int64_t elements = 1;
    for (const TileAxis& a : dst.axes)
        elements *= a.extent;
    barrier->bytes -= std::min(barrier->bytes, dst.type.storageBytes(elements));
    completePhase(*barrier, barrierMeeting(*f.block, place.storage, place.element));
}

// Into another block's shared memory, or one load for several blocks of the cluster.
void Machine::clusterCopy(Fiber& f, const Instr& in, const OpRecord& record)
{
    Block& self = *f.block;
    const int lane = std::max(0, f.mask.first(f.n));
    TileView src;
    TileView dst;
    const std::int64_t mask = ir::intAttr(*record.attrs, "cluster_mask", 0);
    if (record.at(2).present()) {
        const std::int64_t rank = scalarOf(f, record.at(2).slot, 0);
        if (!self.cluster || rank < 0 || rank >= static_cast<std::int64_t>(self.cluster->blocks.size())) {
            error(Code::kOutOfBounds, in.where.range, fmt::format("the cluster has no block {}", rank));
            return;
        }
        Block* other = self.cluster->blocks[static_cast<std::size_t>(rank)];
        if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
            !view(f, record.at(1).region, lane, true, dst, in.where.range, other))
            return;
        copyTile(src, dst, in.where.range);
        if (failed_ || !record.at(3).present())
            return;
        Wait place;
        BarrierState* barrier = barrierAt(f, record.at(3).region, lane, in.where.range, &place, other);
        if (!barrier)
            return;
        if (barrier->bytes > 0)
            barrier->bytes = 0;
        else
            --barrier->pending;
        completePhase(*barrier, barrierMeeting(*other, place.storage, place.element));
        return;
    }
    const bool member = ((mask >> self.rank) & 1) != 0;
    if (!self.cluster || !member) {
        copyOp(f, in, record, lane);
        return;
    }
    Block* leader = nullptr;
    for (Block* block : self.cluster->blocks)
        if (!leader && ((mask >> block->rank) & 1) != 0)
            leader = block;
    const std::int64_t issued = ++self.multicasts[record.id];
    if (leader != &self) {  // the leader's load brings this block's tile, too
        if (leader->multicasts[record.id] < issued)
            f.wait = {.kind = Wait::Kind::kMulticast, .generation = issued, .storage = record.id, .element = leader->rank,
                      .where = in.where.range};
        return;
    }
    for (Block* block : self.cluster->blocks) {
        if (((mask >> block->rank) & 1) == 0)
            continue;
        if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
            !view(f, record.at(1).region, lane, true, dst, in.where.range, block))
            return;
        copyTile(src, dst, in.where.range);
    }
}

void Machine::fillOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView dst;
    if (!view(f, record.at(0).region, lane, true, dst, in.where.range))
        return;
    Lane value{};
    if (record.op == OpId::kFill) {
        const Slot& s = slot(f, record.at(1).slot);
        value = s.lanes[s.uniform ? 0 : static_cast<std::size_t>(lane)];
    }
    const PairAxes pair = pairAxes(dst, dst, true);
    forEachRow(dst, dst, pair.axes, [&](std::int64_t, const Row& to, const Row&) {
        if (to.high <= to.low)
            return;
        const auto count = static_cast<std::size_t>(to.high - to.low);
        scratch_[0].assign(count, value);
        storeRow(dst.type, dst.bytes, to.base + to.low * to.stride, to.stride, scratch_[0].data(), count);
        if (dst.valid)
            for (std::int64_t k = to.low; k < to.high; ++k)
                setValid(dst, to.base + k * to.stride);
    });
}

// dst[…, j, i] = src[…, i, j]
void Machine::transposeOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView src;
    TileView dst;
    if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
        !view(f, record.at(1).region, lane, true, dst, in.where.range))
        return;
    if (src.axes.size() < 2 || dst.axes.size() < 2) {
        error(Code::kShapeMismatch, in.where.range, "T.transpose needs two axes");
        return;
    }
    std::swap(src.axes[src.axes.size() - 1], src.axes[src.axes.size() - 2]);
    copyTile(src, dst, in.where.range);
}

// A tile of the im2col matrix of an NHWC image (language.md d.6).
void Machine::im2colOp(Fiber& f, const Instr& in, const OpRecord& record, int lane)
{
    TileView img;
    TileView col;
    if (!view(f, record.at(0).region, lane, false, img, in.where.range) ||
        !view(f, record.at(1).region, lane, true, col, in.where.range))
        return;
    if (img.axes.size() < 4 || col.axes.size() < 2) {
        error(Code::kShapeMismatch, in.where.range, "T.im2col takes an image of four axes and a tile of two");
        return;
    }
    const std::int64_t kernel = ir::intAttr(*record.attrs, "kernel", 1);
    const std::int64_t stride = ir::intAttr(*record.attrs, "stride", 1);
    const std::int64_t dilation = ir::intAttr(*record.attrs, "dilation", 1);
    const std::int64_t pad = ir::intAttr(*record.attrs, "pad", 0);
    const std::int64_t channels = img.axes[3].extent;
    const std::int64_t height = img.axes[1].extent;
    const std::int64_t width = img.axes[2].extent;
    const std::int64_t outHeight = (height + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
    const std::int64_t outWidth = (width + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
    const TileAxis& rows = col.axes[col.axes.size() - 2];
    const TileAxis& cols = col.axes[col.axes.size() - 1];
    const std::int64_t m0 = scalarOf(f, record.at(2).slot, 0) * rows.extent;
    const std::int64_t k0 = scalarOf(f, record.at(3).slot, 0) * cols.extent;
    for (std::int64_t i = 0; i < rows.extent; ++i)
        for (std::int64_t j = 0; j < cols.extent; ++j) {
            const std::int64_t m = m0 + i;
            const std::int64_t k = k0 + j;
            const std::int64_t n = m / (outHeight * outWidth);
            const std::int64_t y = m % (outHeight * outWidth) / outWidth * stride + k / (kernel * channels) * dilation - pad;
            const std::int64_t x = m % outWidth * stride + k / channels % kernel * dilation - pad;
            const bool inside = n < img.axes[0].extent && k < kernel * kernel * channels && y >= 0 && y < height && x >= 0 &&
                                x < width;
            Lane value{};
            if (inside)
                value = loadElement(img.type, img.bytes,
                                    img.base + n * img.axes[0].stride + y * img.axes[1].stride + x * img.axes[2].stride +
                                        k % channels * img.axes[3].stride);
            castLanes(img.type, col.type, &value, &value, 1);
            const std::int64_t at = col.base + i * rows.stride + j * cols.stride;
            storeElement(col.type, col.bytes, at, value);
            setValid(col, at);
        }
}

}  // namespace tw::interp
