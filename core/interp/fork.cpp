// Fibers that split and meet again.
//
// Threads that disagree about a branch with synchronisation or tile operations in it become two fibers. They meet at the
// branch's end, so that a tile operation after it runs once for all of them. If waiting there would stop everything (one role
// waits for what the other does further down), the one that waits goes on alone: releaseOneJoin.
#include <algorithm>

#include "core/interp/machine.h"
#include "core/support/check.h"

namespace tw::interp {

namespace {

void compressBytes(std::vector<std::uint8_t>& bits, const std::vector<int>& lanes)
{
    if (bits.empty())
        return;
    for (std::size_t k = 0; k < lanes.size(); ++k)
        bits[k] = bits[static_cast<std::size_t>(lanes[k])];
    bits.resize(lanes.size());
}

void compressLanes(std::vector<Lane>& values, const std::vector<int>& lanes)
{
    if (values.empty())
        return;
    for (std::size_t k = 0; k < lanes.size(); ++k)
        values[k] = values[static_cast<std::size_t>(lanes[k])];
    values.resize(lanes.size());
}

Mask compressMask(const Mask& mask, const std::vector<int>& lanes)
{
    if (mask.all)
        return Mask::full(static_cast<int>(lanes.size()));
    std::vector<std::uint8_t> bits;
    for (const int lane : lanes)
        bits.push_back(mask.on(lane) ? 1 : 0);
    return Mask::of(std::move(bits));
}

// Which fiber, and which of its lanes, every lane of the merged fiber comes from.
struct Origin {
    bool second = false;
    std::size_t lane = 0;
};

std::vector<std::uint8_t> mergeBytes(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                                     const std::vector<Origin>& origins)
{
    if (a.empty() && b.empty())
        return {};
    std::vector<std::uint8_t> out;
    for (const Origin& o : origins) {
        const std::vector<std::uint8_t>& from = o.second ? b : a;
        out.push_back(from.empty() ? 0 : from[o.lane]);
    }
    return out;
}

std::vector<Lane> mergeLanes(const std::vector<Lane>& a, const std::vector<Lane>& b, const std::vector<Origin>& origins)
{
    if (a.empty() || b.empty())
        return a;
    std::vector<Lane> out;
    for (const Origin& o : origins)
        out.push_back((o.second ? b : a)[o.lane]);
    return out;
}

Mask mergeMask(const Mask& a, const Mask& b, const std::vector<Origin>& origins)
{
    std::vector<std::uint8_t> bits;
    for (const Origin& o : origins)
        bits.push_back((o.second ? b : a).on(static_cast<int>(o.lane)) ? 1 : 0);
    return Mask::of(std::move(bits));
}

void mergeSlot(Slot& a, const Slot& b, int na, int nb, const std::vector<Origin>& origins)
{
    const auto width = static_cast<std::size_t>(a.width);
    if (a.width != b.width || a.lanes.empty() || b.lanes.empty())
        return;  // something that is not alive here
    if (a.uniform && b.uniform) {
        bool same = true;
        for (std::size_t c = 0; c < width; ++c)
            same &= a.lanes[c].i == b.lanes[c].i;
        if (same)
            return;
    }
    if ((!a.uniform && a.lanes.size() < width * static_cast<std::size_t>(na)) ||
        (!b.uniform && b.lanes.size() < width * static_cast<std::size_t>(nb)))
        return;
    std::vector<Lane> out;
    out.reserve(width * origins.size());
    for (std::size_t c = 0; c < width; ++c)
        for (const Origin& o : origins) {
            const Slot& from = o.second ? b : a;
            out.push_back(from.component(static_cast<int>(c), o.second ? nb : na)[from.uniform ? 0 : o.lane]);
        }
    a.lanes = std::move(out);
    a.uniform = false;
}

}  // namespace

// Keeps the listed lanes (ascending) of a fiber.
void Machine::compress(Fiber& f, const std::vector<int>& lanes)
{
    const int n = static_cast<int>(lanes.size());
    for (Slot& s : f.slots) {
        const auto width = static_cast<std::size_t>(s.width);
        if (s.uniform || s.lanes.size() < width * static_cast<std::size_t>(f.n))
            continue;
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t k = 0; k < lanes.size(); ++k)
                s.lanes[c * lanes.size() + k] =
                    s.lanes[c * static_cast<std::size_t>(f.n) + static_cast<std::size_t>(lanes[k])];
        if (n == 1)
            s.uniform = true;
    }
    for (Frame& frame : f.frames) {
        frame.saved = compressMask(frame.saved, lanes);
        if (frame.otherwise.count > 0)
            frame.otherwise = compressMask(frame.otherwise, lanes);
        compressBytes(frame.off, lanes);
        compressBytes(frame.left, lanes);
        compressLanes(frame.ends, lanes);
        compressLanes(frame.steps, lanes);
    }
    f.mask = compressMask(f.mask, lanes);
    compressBytes(f.returned, lanes);
    std::vector<int> threads;
    for (const int lane : lanes)
        threads.push_back(f.threads[static_cast<std::size_t>(lane)]);
    f.threads = std::move(threads);
    f.n = n;
    for (Slot& s : f.slots)
        makeUniformIfEqual(f, s);
}

// Splits off the active lanes that do not stay; they continue at `leavePc`. Lanes that are not active have returned or left
// the loops around: they stay.
void Machine::fork(Fiber& f, const std::vector<std::uint8_t>& stays, int leavePc,
                   const std::vector<std::pair<int, std::size_t>>& joins)
{
    std::vector<int> staying;
    std::vector<int> leaving;
    for (int lane = 0; lane < f.n; ++lane)
        (f.mask.on(lane) && stays[static_cast<std::size_t>(lane)] == 0 ? leaving : staying).push_back(lane);
    auto other = std::make_unique<Fiber>(f);
    other->serial = nextSerial_++;
    other->pc = leavePc;
    for (const std::shared_ptr<Group>& group : f.groups)
        ++group->members;
    for (const auto& [pc, depth] : joins) {
        auto group = std::make_shared<Group>();
        group->pc = pc;
        group->depth = depth;
        group->members = 2;
        f.groups.push_back(group);
        other->groups.push_back(group);
    }
    compress(f, staying);
    compress(*other, leaving);
    f.block->fibers.push_back(std::move(other));
}

// At an instruction where fibers may meet. False: this one has to wait, or has become part of another.
bool Machine::meet(Fiber& f, int pc)
{
    while (!f.groups.empty() && f.groups.back()->pc == pc && f.groups.back()->depth == f.frames.size()) {
        const std::shared_ptr<Group> group = f.groups.back();
        if (group->members == 1) {
            f.groups.pop_back();
            continue;
        }
        group->waiting.push_back(&f);
        f.wait = {.kind = Wait::Kind::kJoin, .where = program_.code[static_cast<std::size_t>(pc)].where.range};
        if (static_cast<int>(group->waiting.size()) == group->members)
            joinWaiting(*group);
        return false;
    }
    return true;
}

// All that may come have come: they are one fiber again.
void Machine::joinWaiting(Group& group)
{
    std::vector<Fiber*> fibers = std::move(group.waiting);
    group.waiting.clear();
    Fiber& into = *fibers.front();
    for (std::size_t k = 1; k < fibers.size(); ++k) {
        merge(into, *fibers[k]);
        for (const std::shared_ptr<Group>& other : fibers[k]->groups)
            --other->members;
        fibers[k]->groups.clear();
        fibers[k]->done = true;
        fibers[k]->wait = {};
    }
    into.groups.pop_back();
    into.wait = {};
}

void Machine::leaveGroup(Group& group)
{
    --group.members;
    if (!group.waiting.empty() && static_cast<int>(group.waiting.size()) == group.members)
        joinWaiting(group);
}

// The fiber jumps to `pc` with `depth` frames open: constructs further in do not end for it.
void Machine::leaveGroups(Fiber& f, std::size_t depth, int pc)
{
    while (!f.groups.empty()) {
        const std::shared_ptr<Group> group = f.groups.back();
        const bool inside = group->depth > depth || (group->depth == depth && group->pc < pc);
        if (!inside)
            return;
        f.groups.pop_back();
        leaveGroup(*group);
    }
}

void Machine::merge(Fiber& into, Fiber& from)
{
    std::vector<Origin> origins;
    std::vector<int> threads;
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < into.threads.size() || b < from.threads.size()) {
        const bool second = a == into.threads.size() || (b < from.threads.size() && from.threads[b] < into.threads[a]);
        origins.push_back({second, second ? b : a});
        threads.push_back(second ? from.threads[b++] : into.threads[a++]);
    }
    for (std::size_t k = 0; k < into.slots.size(); ++k)
        mergeSlot(into.slots[k], from.slots[k], into.n, from.n, origins);
    TW_CHECK(into.frames.size() == from.frames.size(), "fibers meet at different depths");
    for (std::size_t k = 0; k < into.frames.size(); ++k) {
        Frame& x = into.frames[k];
        const Frame& y = from.frames[k];
        x.saved = mergeMask(x.saved, y.saved, origins);
        if (x.otherwise.count > 0 || y.otherwise.count > 0)
            x.otherwise = mergeMask(x.otherwise, y.otherwise, origins);
        x.off = mergeBytes(x.off, y.off, origins);
        x.left = mergeBytes(x.left, y.left, origins);
        x.ends = mergeLanes(x.ends, y.ends, origins);
        x.steps = mergeLanes(x.steps, y.steps, origins);
    }
    into.mask = mergeMask(into.mask, from.mask, origins);
    into.returned = mergeBytes(into.returned, from.returned, origins);
    for (std::size_t k = 0; k < into.fragments.size(); ++k)
        mergeFragment(into, from, k);
    into.threads = std::move(threads);
    into.n = static_cast<int>(into.threads.size());
    into.changes += from.changes;
}

// The copy that was written last holds; what only the other one has written is taken from there.
void Machine::mergeFragment(Fiber& into, Fiber& from, std::size_t k) const
{
    if (into.fragments[k] == from.fragments[k])
        return;
    if (from.fragmentWrites[k] > into.fragmentWrites[k]) {
        std::swap(into.fragments[k], from.fragments[k]);
        std::swap(into.fragmentWrites[k], from.fragmentWrites[k]);
    }
    Memory merged = *into.fragments[k];
    const Memory& other = *from.fragments[k];
    for (std::size_t b = 0; b < merged.bytes.size(); ++b)
        if (merged.valid[b] == 0 && other.valid[b] != 0) {
            merged.bytes[b] = other.bytes[b];
            merged.valid[b] = 1;
        }
    into.fragments[k] = std::make_shared<Memory>(std::move(merged));
}

// Everything stands still and somebody only waits to meet: it goes on alone.
bool Machine::releaseOneJoin()
{
    for (const std::unique_ptr<Block>& block : blocks_)
        for (const std::unique_ptr<Fiber>& f : block->fibers) {
            if (f->done || f->wait.kind != Wait::Kind::kJoin)
                continue;
            const std::shared_ptr<Group> group = f->groups.back();
            std::erase(group->waiting, f.get());
            f->groups.pop_back();
            f->wait = {};
            leaveGroup(*group);
            return true;
        }
    return false;
}

}  // namespace tw::interp
