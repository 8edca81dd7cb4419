// Asynchronous copies of one thread: cp.async, and the bulk tensor copies of TMA.
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "core/interp/combine.h"
#include "core/interp/machine.h"
#include "core/interp/matrix_ops.h"
#include "core/ir/call.h"

namespace tw::interp {

namespace {

// Calls f(position, element, inside) for the elements of a box in row-major order; `element` is the index in the tensor.
template <class F>
void forEachElement(const TileView& box, F&& f)
{
    std::int64_t total = 1;
    for (const TileAxis& a : box.axes)
        total *= a.extent;
    std::vector<std::int64_t> at(box.axes.size(), 0);
    for (std::int64_t position = 0; position < total; ++position) {
        std::int64_t element = box.base;
        bool inside = true;
        for (std::size_t k = 0; k < at.size(); ++k) {
            element += at[k] * box.axes[k].stride;
            inside &= at[k] >= box.axes[k].low && at[k] < box.axes[k].high;
        }
        f(position, element, inside);
        for (std::size_t k = at.size(); k-- > 0 && ++at[k] == box.axes[k].extent;)
            at[k] = 0;
    }
}

std::int64_t elementsOf(const TileView& box)
{
    std::int64_t total = 1;
    for (const TileAxis& a : box.axes)
        total *= a.extent;
    return total;
}

void markBytes(std::uint8_t* valid, std::int64_t from, std::int64_t size)
{
    if (valid)
        std::memset(valid + from, 1, static_cast<std::size_t>(size));
}

// Where the TMA unit may begin in shared memory, and end.
bool isBulkPlace(std::int64_t start, std::int64_t bytes, std::int64_t room)
{
    return start % 128 == 0 && start + bytes <= room;
}

std::string badBulkPlace(const char* what, const char* direction, std::int64_t bytes, std::int64_t start, const BufferInfo& info)
{
    return fmt::format("a bulk {} of {} bytes {} byte {} of {}: it has to begin at a multiple of 128 and end inside", what, bytes, direction, start,
                       info.node->name);
}

// The words of 16 bytes, of shared memory, that one thread's bulk copy touches.
void touchWords(Touch& touch, std::int64_t start, std::int64_t bytes, std::int64_t swizzle, int thread)
{
    touch.width = 16;
    for (std::int64_t k = 0; k < bytes; k += 16)
        touch.at.push_back(swizzledAddress(start + k, swizzle));
    touch.act.threads.assign(touch.at.size(), thread);
}

// The blocks of the cluster that a load goes to: this one, or those in the mask.
std::vector<Block*> targetsOf(Block* own, std::int64_t mask)
{
    if (mask == 0 || !own->cluster)
        return {own};
    std::vector<Block*> targets;
    for (Block* block : own->cluster->blocks)
        if (((mask >> block->rank) & 1) != 0)
            targets.push_back(block);
    return targets;
}

// "add", "max", …, of a store that combines.
std::optional<ir::Combiner> combinerOf(const OpRecord& record)
{
    const auto found = record.attrs->find("reduce");
    const auto* name = found == record.attrs->end() ? nullptr : std::get_if<std::string>(&found->second);
    return name && !name->empty() ? ir::parseCombiner(*name == "add" ? "sum" : *name) : std::nullopt;
}

}  // namespace

void Machine::cpAsync(Fiber& f, const Instr& in, const OpRecord& record)
{
    const std::int64_t count = ir::intAttr(*record.attrs, "count", 1);
    struct Copy {
        int thread;
        TileView src, dst;
        bool run;
    };
    std::vector<Copy> copies;
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane))
            continue;
        Copy& copy = copies.emplace_back();
        copy.thread = f.threads[static_cast<std::size_t>(lane)];
        if (!view(f, record.at(1).region, lane, false, copy.src, in.where.range) ||
            !view(f, record.at(0).region, lane, true, copy.dst, in.where.range))
            return;
        copy.run = true;
        if (record.at(2).present()) {
            const Slot& p = slot(f, record.at(2).slot);
            copy.run = p.lanes[p.uniform ? 0 : static_cast<std::size_t>(lane)].i != 0;
        }
        copy.run &= isInside(copy.src);
    }
    const auto tell = [&](bool read) {
        const RegionRecord& region = record.at(read ? 1 : 0).region;
        const BufferInfo& info = program_.buffers[static_cast<std::size_t>(region.buffer)];
        if (!isObserved(info))
            return;
        std::set<std::int64_t> origins;  // one, but for address buffers
        for (const Copy& copy : copies)
            origins.insert(read ? copy.src.origin : copy.dst.origin);
        for (const std::int64_t origin : origins) {
            Touch& t = startTouch(f, in, info, read ? Touch::Kind::kRead : Touch::Kind::kWrite, Engine::kCpAsync);
            if (info.space == Space::kAddress && !aim(f, t, origin))
                return;
            t.width = static_cast<int>(info.type.storageBytes(count));
            for (const Copy& copy : copies) {
                const TileView& side = read ? copy.src : copy.dst;
                if ((read && !copy.run) || side.origin != origin)
                    continue;
                t.act.threads.push_back(copy.thread);
                t.at.push_back(firstByte(info.type, side.base));
            }
            options_.observer->touches(t);
        }
    };
    tell(true);
    tell(false);
    for (const Copy& copy : copies) {
        const TileView& dst = copy.dst;
        const std::int64_t size = dst.type.storageBytes(count);
        const std::int64_t to = firstByte(dst.type, dst.base);
        if (copy.run)
            std::memmove(dst.bytes + to, copy.src.bytes + firstByte(copy.src.type, copy.src.base), static_cast<std::size_t>(size));
        else
            std::memset(dst.bytes + to, 0, static_cast<std::size_t>(size));
        markBytes(dst.valid, to, size);
    }
    if (record.at(0).region.buffer >= 0)
        tellWritten(program_.buffers[static_cast<std::size_t>(record.at(0).region.buffer)]);
}

// Into this block's memory, or at the same place into that of every block in the mask; the bytes arrive on the barrier there.
void Machine::bulkLoad(Fiber& f, const Instr& in, const OpRecord& record)
{
    const std::int64_t swizzle = ir::intAttr(*record.attrs, "swizzle", 0);
    const std::vector<Block*> targets = targetsOf(f.block, ir::intAttr(*record.attrs, "cluster_mask", 0));
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(record.at(1).region.buffer)];
    if (info.space != Space::kShared) {
        error(Code::kScopeIllegal, in.where.range, fmt::format("{} is not in this block's shared memory", info.node->name));
        return;
    }
    for (int lane = 0; lane < f.n && !failed_; ++lane) {
        if (!f.mask.on(lane))
            continue;
        for (Block* target : targets) {
            TileView src;
            TileView dst;
            Wait place;
            if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
                !view(f, record.at(1).region, lane, true, dst, in.where.range, target))
                return;
            BarrierState* barrier = barrierAt(f, record.at(2).region, lane, in.where.range, &place, target);
            if (!barrier)
                return;
            const std::int64_t size = src.type.bits() / 8;
            const std::int64_t start = dst.base * dst.type.bits() / 8;
            const std::int64_t bytes = elementsOf(src) * size;
            const auto room = static_cast<std::int64_t>(target->shared[static_cast<std::size_t>(info.storage)].bytes.size());
            if (size == 0 || !isBulkPlace(start, bytes, room)) {
                error(Code::kOutOfBounds, in.where.range, badBulkPlace("load", "to", bytes, start, info));
                return;
            }
            const Meeting meeting = barrierMeeting(*target, place.storage, place.element);
            if (isObserved(info)) {
                Touch& t = startTouch(f, in, info, Touch::Kind::kWrite, Engine::kBulkLoad);
                t.owner = static_cast<int>(target->linear);
                t.bytes = dst.bytes;
                t.completes = meeting;
                touchWords(t, start, bytes, swizzle, f.threads[static_cast<std::size_t>(lane)]);
                options_.observer->touches(t);
            }
            forEachElement(src, [&](std::int64_t position, std::int64_t element, bool inside) {
                const std::int64_t to = swizzledAddress(start + position * size, swizzle);
                if (inside)
                    std::memcpy(dst.bytes + to, src.bytes + element * size, static_cast<std::size_t>(size));
                else
                    std::memset(dst.bytes + to, 0, static_cast<std::size_t>(size));
                markBytes(dst.valid, to, size);
            });
            tellWritten(info);
            barrier->bytes -= bytes;
            completePhase(*barrier, meeting);
        }
    }
}

void Machine::bulkStore(Fiber& f, const Instr& in, const OpRecord& record)
{
    const std::int64_t swizzle = ir::intAttr(*record.attrs, "swizzle", 0);
    const std::optional<ir::Combiner> how = combinerOf(record);
    const BufferInfo& from = program_.buffers[static_cast<std::size_t>(record.at(0).region.buffer)];
    const BufferInfo& to = program_.buffers[static_cast<std::size_t>(record.at(1).region.buffer)];
    if (from.space != Space::kShared) {
        error(Code::kScopeIllegal, in.where.range, fmt::format("{} is not in this block's shared memory", from.node->name));
        return;
    }
    for (int lane = 0; lane < f.n && !failed_; ++lane) {
        if (!f.mask.on(lane))
            continue;
        TileView src;
        TileView dst;
        if (!view(f, record.at(0).region, lane, false, src, in.where.range) ||
            !view(f, record.at(1).region, lane, true, dst, in.where.range))
            return;
        const std::int64_t size = dst.type.bits() / 8;
        const std::int64_t start = src.base * src.type.bits() / 8;
        const std::int64_t bytes = elementsOf(dst) * size;
        if (!isBulkPlace(start, bytes, program_.shared[static_cast<std::size_t>(from.storage)].bytes)) {
            error(Code::kOutOfBounds, in.where.range, badBulkPlace("store", "from", bytes, start, from));
            return;
        }
        std::vector<std::int64_t> written;
        bool unwritten = false;
        forEachElement(dst, [&](std::int64_t position, std::int64_t element, bool inside) {
            if (!inside)
                return;
            const std::int64_t at = swizzledAddress(start + position * size, swizzle);
            unwritten |= src.valid && options_.checkUninitialized && src.valid[at] == 0;
            written.push_back(element * size);
        });
        if (unwritten) {
            reportUninitialized(from, in.where.range);
            return;
        }
        const int thread = f.threads[static_cast<std::size_t>(lane)];
        if (isObserved(from)) {
            Touch& t = startTouch(f, in, from, Touch::Kind::kRead, Engine::kBulkStore);
            touchWords(t, start, bytes, swizzle, thread);
            options_.observer->touches(t);
        }
        if (isObserved(to)) {
            Touch& t = startTouch(f, in, to, how ? Touch::Kind::kAtomic : Touch::Kind::kWrite, Engine::kBulkStore);
            if (to.space == Space::kAddress && !aim(f, t, dst.origin))
                return;
            t.width = static_cast<int>(size);
            t.at = std::move(written);
            t.act.threads.assign(t.at.size(), thread);
            options_.observer->touches(t);
        }
        forEachElement(dst, [&](std::int64_t position, std::int64_t element, bool inside) {
            if (!inside)
                return;
            const std::int64_t at = swizzledAddress(start + position * size, swizzle) / size;
            Lane value = loadElement(dst.type, src.bytes, at);
            if (how) {
                value = combine(*how, dst.type, loadElement(dst.type, dst.bytes, element), value);
                dst.type.isFloating() ? roundLanes(dst.type, &value, 1) : wrapLanes(dst.type, &value, 1);
            }
            storeElement(dst.type, dst.bytes, element, value);
            if (dst.valid)
                markBytes(dst.valid, element * size, size);
        });
        tellWritten(to);
    }
}

}  // namespace tw::interp
