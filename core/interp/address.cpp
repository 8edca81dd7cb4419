#include "core/interp/address.h"

#include <fmt/format.h>

#include "core/interp/machine.h"

namespace tw::interp {

using ir::OpId;

// The memory that an address of this thread's cluster leads to; an error where there is none.
bool Machine::follow(Fiber& f, std::int64_t address, Reached& out, const SourceRange& where)
{
    if (isSharedAddress(address)) {
        const auto rank = static_cast<std::size_t>((address >> kRankBit) & 0xFFF);
        const auto storage = static_cast<std::size_t>((address >> kSharedStorageBit) & 0xFFFF);
        const std::size_t blocks = f.block->cluster ? f.block->cluster->blocks.size() : 1;
        if (rank < blocks && storage < f.block->shared.size()) {
            Block& owner = f.block->cluster ? *f.block->cluster->blocks[rank] : *f.block;
            Memory& memory = owner.shared[storage];
            out = {memory.bytes.data(), memory.valid.data(), static_cast<std::int64_t>(memory.bytes.size()),
                   sharedAddressOf(static_cast<int>(rank), static_cast<int>(storage)), owner.linear, static_cast<int>(storage)};
            return true;
        }
    }
    const std::int64_t storage = (address >> 40) - 1;
    if (storage < 0 || storage >= static_cast<std::int64_t>(globals_.size())) {
        error(Code::kOutOfBounds, where, fmt::format("{} is the address of no tensor and of no shared buffer", address));
        return false;
    }
    GlobalStorage& g = globals_[static_cast<std::size_t>(storage)];
    out = {g.bytes, g.valid.empty() ? nullptr : g.valid.data(), g.size, addressOf(static_cast<std::size_t>(storage)), -1, static_cast<int>(storage)};
    return true;
}

// make_tensor: the storage is found from the address, lane by lane where lanes differ.
bool Machine::locateAddress(Fiber& f, const BufferInfo& info, Places& places, const SourceRange& where)
{
    const Slot& address = slot(f, info.addressSlot);
    if (!address.uniform && places.uniform) {
        places.offsets.resize(static_cast<std::size_t>(f.n), places.offsets[0]);
        if (!places.on.empty())
            places.on.resize(static_cast<std::size_t>(f.n), places.on[0]);
        places.uniform = false;
        if (!f.mask.all && places.on.empty())
            places.on = f.mask.bits;
    }
    const int bits = info.type.bits() * std::max<int>(1, info.type.lanes);
    Reached memory;
    std::optional<Reached> first;
    places.origins.assign(places.offsets.size(), 0);
    for (std::size_t lane = 0; lane < places.offsets.size(); ++lane) {
        if (!places.active(lane))
            continue;
        const std::int64_t at = address.lanes[address.uniform ? 0 : lane].i;
        if ((lane == 0 || !address.uniform || !first) && !follow(f, at, memory, where))
            return false;
        places.offsets[lane] += (at - memory.origin) * 8 / bits;
        if (places.offsets[lane] < 0 || (places.offsets[lane] + 1) * bits > memory.size * 8) {
            error(Code::kOutOfBounds, where,
                  fmt::format("element {} of {} is outside the memory that its address points to", places.offsets[lane], info.node->name));
            return false;
        }
        if (!first)
            first = memory;
        if (memory.origin != first->origin && places.bases.empty()) {
            places.bases.assign(places.offsets.size(), first->bytes);
            places.valids.assign(places.offsets.size(), first->valid);
        }
        if (!places.bases.empty()) {
            places.bases[lane] = memory.bytes;
            places.valids[lane] = memory.valid;
        }
        places.origins[lane] = memory.origin;
    }
    places.bytes = first ? first->bytes : nullptr;
    places.valid = first ? first->valid : nullptr;
    return true;
}

// The address of a region's first element, of this block or of another one of the cluster.
void Machine::takeAddress(Fiber& f, const Instr& in, const OpRecord& record)
{
    Slot& dst = slot(f, in.dst);
    if (record.at(0).region.buffer < 0) {
        dst = slot(f, record.at(0).slot);
        return;
    }
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(record.at(0).region.buffer)];
    Places places;
    if (!locate(f, record.at(0).region.buffer, record.at(0).region.mins, places, in.where.range))
        return;
    const std::int64_t bits = info.type.bits() * std::max<int>(1, info.type.lanes);
    const Slot* rank = record.op == OpId::kRemoteAddress ? &slot(f, record.at(1).slot) : nullptr;
    if (rank && !rank->uniform && places.uniform) {
        places.offsets.resize(static_cast<std::size_t>(f.n), places.offsets[0]);
        places.origins.resize(places.origins.empty() ? 0 : places.offsets.size(), places.origins.empty() ? 0 : places.origins[0]);
        places.uniform = false;
    }
    std::vector<Lane> out(places.offsets.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
        std::int64_t start = 0;
        switch (info.space) {
        case Space::kGlobal: start = addressOf(static_cast<std::size_t>(info.storage)); break;
        case Space::kShared: start = sharedAddressOf(f.block->rank, info.storage); break;
        case Space::kAddress: start = places.origins[k]; break;
        default: start = opaqueAddressOf(info.storage); break;
        }
        out[k].i = start + places.offsets[k] * bits / 8;
        if (rank && (!rank->uniform ? f.mask.on(static_cast<int>(k)) : true) && !moveToRank(f, rank->lanes[rank->uniform ? 0 : k].i, out[k].i, in.where.range))
            return;
    }
    dst.lanes = std::move(out);
    dst.uniform = places.uniform;
    dst.width = 1;
}

// The same place in the shared memory of block `rank` of the cluster.
bool Machine::moveToRank(Fiber& f, std::int64_t rank, std::int64_t& address, const SourceRange& where)
{
    const auto blocks = static_cast<std::int64_t>(f.block->cluster ? f.block->cluster->blocks.size() : 1);
    if (!isSharedAddress(address)) {
        error(Code::kScopeIllegal, where, "only shared memory has an address in another block of the cluster");
        return false;
    }
    if (rank < 0 || rank >= blocks) {
        error(Code::kOutOfBounds, where, fmt::format("block {} of a cluster of {} blocks: their numbers are 0 to {}", rank, blocks, blocks - 1));
        return false;
    }
    const std::int64_t place = address & ((std::int64_t{1} << kRankBit) - 1);
    address = sharedAddressOf(static_cast<int>(rank), 0) | place;
    return true;
}

}  // namespace tw::interp
