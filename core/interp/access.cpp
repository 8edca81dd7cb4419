// Loads and stores of elements.
#include <fmt/format.h>

#include "core/interp/machine.h"
#include "core/ir/number.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;

namespace {

std::string_view placeName(Space space)
{
    switch (space) {
    case Space::kGlobal: case Space::kAddress: return "global tensor";
    case Space::kShared: return "shared buffer";
    case Space::kFragment: return "fragment";
    case Space::kThread: case Space::kLane: return "local buffer";
    case Space::kBarrier: return "barrier array";
    }
    return "buffer";
}

}  // namespace

void Machine::reportOutside(const BufferInfo& info, std::size_t axis, std::int64_t index, std::int64_t extent,
                            const SourceRange& where)
{
    error(Code::kOutOfBounds, where,
          fmt::format("index {} is outside axis {} of {} {}, which has extent {}", index, axis, placeName(info.space),
                      info.node->name, extent));
}

void Machine::reportUninitialized(const BufferInfo& info, const SourceRange& where)
{
    error(Code::kUninitialized, where,
          fmt::format("{} {} is read here at an element that nothing has written before", placeName(info.space),
                      info.node->name));
}

Memory* Machine::memoryOf(Fiber& f, const BufferInfo& info, bool write)
{
    const auto k = static_cast<std::size_t>(info.storage);
    switch (info.space) {
    case Space::kShared: return &f.block->shared[k];
    case Space::kThread: return &f.block->threads[k];
    case Space::kLane: return &f.block->lanes[k];
    case Space::kFragment: {
        std::shared_ptr<Memory>& memory = f.fragments[k];
        if (write) {
            ++f.fragmentWrites[k];
            if (memory.use_count() > 1)
                memory = std::make_shared<Memory>(*memory);
        }
        return memory.get();
    }
    default: return nullptr;
    }
}

// Each lane's own row of a thread's or iteration's local memory.
void Machine::spreadRows(Fiber& f, const BufferInfo& info, Places& places)
{
    const std::int64_t row =
        program_.storage(info.space, info.storage).bytes * 8 / (info.type.bits() * std::max<int>(1, info.type.lanes));
    if (info.space == Space::kThread && (f.n == 1 || f.free)) {
        const std::int64_t shift = f.threads[0] * row;  // all threads hold the same there
        for (std::int64_t& offset : places.offsets)
            offset += shift;
        return;
    }
    if (places.uniform) {
        places.offsets.resize(static_cast<std::size_t>(f.n), places.offsets[0]);
        places.uniform = false;
    }
    for (std::size_t lane = 0; lane < places.offsets.size(); ++lane)
        places.offsets[lane] +=
            row * (info.space == Space::kLane ? static_cast<std::int64_t>(lane) : std::int64_t{f.threads[lane]});
}

bool Machine::locate(Fiber& f, int buffer, const std::vector<int>& indices, Places& places, const SourceRange& where)
{
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
    const auto n = static_cast<std::size_t>(f.n);
    places.uniform = true;
    places.outside = false;
    places.on.clear();
    places.bases.clear();
    places.valids.clear();
    places.origins.clear();
    places.offsets.assign(1, info.first);
    bool nothing = false;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        const Slot& s = slot(f, indices[axis]);
        const std::int64_t extent = numberOf(f, info.shape[axis]);
        const std::int64_t stride = numberOf(f, info.strides[axis]);
        if (s.uniform) {
            const std::int64_t index = s.lanes[0].i;
            if (index < 0 || index >= extent) {
                if (!info.predicated) {
                    reportOutside(info, axis, index, extent, where);
                    return false;
                }
                nothing = true;
            }
            for (std::int64_t& offset : places.offsets)
                offset += index * stride;
            continue;
        }
        if (places.uniform) {
            places.uniform = false;
            places.offsets.resize(n, places.offsets[0]);
        }
        bool outside = false;
        for (std::size_t lane = 0; lane < n; ++lane) {
            const std::int64_t index = s.lanes[lane].i;
            places.offsets[lane] += index * stride;
            outside |= static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(extent);
        }
        if (!outside)
            continue;
        if (places.on.empty())
            places.on.assign(n, 1);
        for (std::size_t lane = 0; lane < n; ++lane) {
            const std::int64_t index = s.lanes[lane].i;
            if (static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(extent))
                continue;
            places.on[lane] = 0;
            if (!info.predicated && f.mask.on(static_cast<int>(lane))) {
                reportOutside(info, axis, index, extent, where);
                return false;
            }
        }
        places.outside = true;
    }
    if (nothing) {
        places.on.assign(places.uniform ? 1 : n, 0);
        places.outside = true;
    }
    if (info.space == Space::kThread || info.space == Space::kLane)
        spreadRows(f, info, places);
    if (!f.mask.all && !places.uniform) {
        if (places.on.empty())
            places.on.assign(n, 1);
        for (std::size_t lane = 0; lane < n; ++lane)
            places.on[lane] = static_cast<std::uint8_t>(places.on[lane] & f.mask.bits[lane]);
    }
    if (info.space == Space::kAddress)
        return locateAddress(f, info, places, where);
    if (info.space == Space::kGlobal) {
        GlobalStorage& g = globals_[static_cast<std::size_t>(info.storage)];
        places.bytes = g.bytes;
        places.valid = g.valid.empty() ? nullptr : g.valid.data();
        return true;
    }
    return true;
}

void Machine::load(Fiber& f, const Instr& in)
{
    const Access& access = program_.accesses[static_cast<std::size_t>(in.extra)];
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(access.buffer)];
    Places& p = places_;
    if (!locate(f, access.buffer, access.indices, p, in.where.range))
        return;
    if (Memory* memory = memoryOf(f, info, false)) {
        p.bytes = memory->bytes.data();
        p.valid = options_.checkUninitialized ? memory->valid.data() : nullptr;
    }
    tellAccess(f, in, info, p, Touch::Kind::kRead, nullptr);
    tellLocal(f, in, info, p, false);
    const int width = std::max<int>(1, info.type.lanes);
    const DType type = info.type.element();
    const std::size_t n = p.offsets.size();
    Slot& dst = slot(f, in.dst);
    Lane* out = dst.prepare(n * static_cast<std::size_t>(width));
    dst.uniform = p.uniform;
    dst.width = width;
    if (in.handsOn)
        unwritten_.clear();
    if (f.mask.none())
        return;
    for (int c = 0; c < width; ++c) {
        if (width > 1)
            for (std::size_t k = 0; k < n; ++k)
                p.offsets[k] = c == 0 ? p.offsets[k] * width : p.offsets[k] + 1;
        Lane* component = out + static_cast<std::size_t>(c) * n;
        if (!p.bases.empty()) {
            for (std::size_t k = 0; k < n; ++k)
                component[k] = p.active(k) ? loadElement(type, p.bytesOf(k), p.offsets[k]) : Lane{};
        } else {
            gather(type, p.bytes, p.offsets.data(), p.lanesOn(), component, n);
        }
        if (p.knowsWritten())
            for (std::size_t k = 0; k < n; ++k)
                if (p.active(k) && p.validOf(k) && p.validOf(k)[firstByte(type, p.offsets[k])] == 0) {
                    if (!in.handsOn) {
                        reportUninitialized(info, in.where.range);
                        return;
                    }
                    unwritten_.resize(n, 0);
                    unwritten_[k] = 1;
                }
        if (p.outside && info.safeSlot >= 0) {
            const Slot& safe = slot(f, info.safeSlot);
            for (std::size_t k = 0; k < n; ++k)
                if (!p.active(k))
                    component[k] = safe.lanes[safe.uniform ? 0 : k];
        }
    }
    if (info.space == Space::kThread)
        makeUniformIfEqual(f, dst);
}

void Machine::store(Fiber& f, const Instr& in)
{
    if (f.mask.none())
        return;
    const Access& access = program_.accesses[static_cast<std::size_t>(in.extra)];
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(access.buffer)];
    Places& p = places_;
    if (!locate(f, access.buffer, access.indices, p, in.where.range))
        return;
    if (Memory* memory = memoryOf(f, info, true)) {
        p.bytes = memory->bytes.data();
        p.valid = memory->valid.data();
    }
    const int width = std::max<int>(1, info.type.lanes);
    const DType type = info.type.element();
    const std::size_t n = p.offsets.size();
    const Slot& value = slot(f, in.a);
    tellAccess(f, in, info, p, Touch::Kind::kWrite, &value);
    tellLocal(f, in, info, p, true);
    bool changed = info.space != Space::kThread && info.space != Space::kLane;
    for (int c = 0; c < width; ++c) {
        if (width > 1)
            for (std::size_t k = 0; k < n; ++k)
                p.offsets[k] = c == 0 ? p.offsets[k] * width : p.offsets[k] + 1;
        const Lane* component = value.component(value.width == width ? c : 0, f.n);
        if (p.uniform && !value.uniform) {  // every lane stores to one place: the last one stays
            int last = f.n - 1;
            while (last > 0 && !f.mask.on(last))
                --last;
            component += last;
        } else if (!p.uniform && value.uniform) {
            scratch_[0].assign(n, *component);
            component = scratch_[0].data();
        }
        if (!changed)
            for (std::size_t k = 0; k < n && !changed; ++k)
                changed = p.active(k) && loadElement(type, p.bytesOf(k), p.offsets[k]).i != component[k].i;
        if (p.bases.empty()) {
            scatter(type, p.bytes, p.offsets.data(), p.lanesOn(), component, n);
        } else {
            for (std::size_t k = 0; k < n; ++k)
                if (p.active(k))
                    storeElement(type, p.bytesOf(k), p.offsets[k], component[k]);
        }
        const bool hole = in.handsOn && !unwritten_.empty();
        if (!p.knowsWritten() && !hole)
            continue;
        for (std::size_t k = 0; k < n; ++k) {
            if (!p.active(k))
                continue;
            const bool written = !hole || unwritten_[unwritten_.size() == 1 ? 0 : k] == 0;
            if (std::uint8_t* valid = p.validOf(k))
                std::fill(valid + firstByte(type, p.offsets[k]), valid + endByte(type, p.offsets[k]), written ? std::uint8_t{1} : std::uint8_t{0});
            else if (!written) {
                error(Code::kUninitialized, in.where.range, fmt::format("{} gets an element here that nothing has written before", info.node->name));
                return;
            }
        }
    }
    tellWritten(info);
    if (changed)
        noteChange(f);
}

}  // namespace tw::interp
