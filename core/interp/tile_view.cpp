// Regions, ready to be walked.
#include <fmt/format.h>

#include "core/interp/machine.h"

namespace tw::interp {

bool Machine::view(Fiber& f, const RegionRecord& region, int lane, bool write, TileView& out, const SourceRange& where,
                   Block* block)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(region.buffer)];
    out = TileView{};
    out.info = &info;
    out.type = info.type.element();
    const int width = std::max<int>(1, info.type.lanes);
    out.base = info.first * width;
    for (std::size_t axis = 0; axis < region.mins.size(); ++axis) {
        const std::int64_t min = numberOf(f, {0, region.mins[axis]}, lane);
        const std::int64_t extent = std::max<std::int64_t>(0, numberOf(f, region.extents[axis], lane));
        const std::int64_t dim = numberOf(f, info.shape[axis], lane);
        TileAxis a;
        a.extent = extent;
        a.stride = numberOf(f, info.strides[axis], lane) * width;
        a.low = std::clamp<std::int64_t>(-min, 0, extent);
        a.high = std::clamp<std::int64_t>(dim - min, a.low, extent);
        if (!info.predicated && extent > 0 && (a.low > 0 || a.high < extent)) {
            reportOutside(info, axis, a.low > 0 ? min : min + extent - 1, dim, where);
            return false;
        }
        out.base += min * a.stride;
        if (extent == 1 && a.high <= a.low)
            out.inside = false;
        out.axes.push_back(a);
    }
    if (width > 1)  // vector elements are one more axis
        out.axes.push_back({width, 1, 0, width});
    if (info.safeSlot >= 0) {
        const Slot& safe = slot(f, info.safeSlot);
        out.safe = safe.lanes[safe.uniform ? 0 : static_cast<std::size_t>(lane)];
    }
    if (info.space == Space::kGlobal) {
        GlobalStorage& g = globals_[static_cast<std::size_t>(info.storage)];
        out.bytes = g.bytes;
        out.valid = g.valid.empty() ? nullptr : g.valid.data();
        return true;
    }
    if (info.space == Space::kAddress) {
        const std::int64_t at = numberOf(f, {0, info.addressSlot}, lane);
        Reached memory;
        if (!follow(f, at, memory, where))
            return false;
        out.bytes = memory.bytes;
        out.valid = memory.valid;
        out.origin = memory.origin;
        out.base += (at - memory.origin) * 8 / out.type.bits();
        std::int64_t last = out.base;
        for (const TileAxis& a : out.axes)
            last += std::max<std::int64_t>(0, a.high - 1) * a.stride;
        if (out.base < 0 || (last + 1) * out.type.bits() > memory.size * 8) {
            error(Code::kOutOfBounds, where,
                  fmt::format("this region of {} is outside the memory that its address points to", info.node->name));
            return false;
        }
        return true;
    }
    if (info.space == Space::kBarrier) {
        error(Code::kScopeIllegal, where, "a barrier array is no operand of a tile operation");
        return false;
    }
    Memory* memory = block && info.space == Space::kShared ? &block->shared[static_cast<std::size_t>(info.storage)]
                                                           : memoryOf(f, info, write);
    out.bytes = memory->bytes.data();
    out.valid = memory->valid.data();
    if (info.space == Space::kThread || info.space == Space::kLane) {
        const std::int64_t row = program_.storage(info.space, info.storage).bytes * 8 / out.type.bits();
        const bool byThread = info.space == Space::kThread;
        out.base += row * (byThread ? std::int64_t{f.threads[f.free ? 0 : static_cast<std::size_t>(lane)]} : lane);
    }
    return true;
}

}  // namespace tw::interp
