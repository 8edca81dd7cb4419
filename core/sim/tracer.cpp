#include "core/sim/tracer.h"

#include <algorithm>

#include "core/ir/call.h"
#include "core/layout/mma.h"
#include "core/sim/counters.h"

namespace tw::sim {

using interp::Act;
using interp::Effort;
using interp::Engine;
using interp::Meeting;
using interp::Step;
using interp::Touch;
using ir::OpId;

namespace {

// The special function's own one and three that keep denormal numbers: compare, scale, scale back (SASS of exp2, log2, rsqrt without
// flushing; tests/data/attention.twr counts them). A division: reciprocal, four fused steps, a check and its branch (there, too).
constexpr float kSpecialInstructions = 4, kLongInstructions = 11;
constexpr float kLoopInstructions = 4;  // of an iteration: counting, comparing, branching

std::vector<int> warpsOf(const Act& act)
{
    std::vector<int> warps;
    for (const int t : act.threads)
        if (warps.empty() || warps.back() != t / 32)
            warps.push_back(t / 32);
    return warps;
}

}  // namespace

Tracer::Tracer(const target::Rates& rates, const target::Pipes& pipes, std::vector<std::int64_t> blocks, std::size_t most)
    : rates_(rates), pipes_(pipes), blocks_(std::move(blocks)), most_(most)
{
    if (blocks_.empty())
        blocks_.push_back(0);
}

void Tracer::launchBegins(const interp::LaunchShape& shape)
{
    launch_ = shape.launch;
    threads_ = shape.threads;
    running_.clear();
    vectors_.clear();
}

void Tracer::blockBegins(int block, int /*cluster*/, int /*rank*/)
{
    if (std::ranges::find(blocks_, block) == blocks_.end() || threads_ > 1024)
        return;
    Running& r = running_[block];
    r.trace.launch = launch_;
    r.trace.block = block;
    r.trace.warps.resize(static_cast<std::size_t>(threads_ + 31) / 32);
    r.values.resize(r.trace.warps.size());
}

void Tracer::blockEnds(int block)
{
    const auto found = running_.find(block);
    if (found == running_.end())
        return;
    done_.push_back(std::move(found->second.trace));
    running_.erase(found);
}

Tracer::Running* Tracer::running(int block)
{
    const auto found = running_.find(block);
    return found == running_.end() ? nullptr : &found->second;
}

// Null where the block has done more than is kept.
TraceOp* Tracer::push(Running& r, int warp, TraceKind kind)
{
    if (r.operations >= most_) {
        r.trace.isCut = true;
        return nullptr;
    }
    ++r.operations;
    std::vector<TraceOp>& ops = r.trace.warps[static_cast<std::size_t>(warp)];
    TraceOp& op = ops.emplace_back();
    op.kind = kind;
    made_[static_cast<std::size_t>(warp)] = static_cast<std::uint32_t>(ops.size());
    return &op;
}

std::uint32_t& Tracer::slotOf(Running& r, int warp, int slot)
{
    std::vector<std::uint32_t>& slots = r.values[static_cast<std::size_t>(warp)].slots;
    if (slots.size() <= static_cast<std::size_t>(slot))
        slots.resize(static_cast<std::size_t>(slot) + 64);
    return slots[static_cast<std::size_t>(slot)];
}

// The latest four: those before them are done sooner.
void Tracer::needs(TraceOp& op, std::uint32_t maker)
{
    if (maker == 0 || std::ranges::find(op.from, maker) != op.from.end())
        return;
    const auto least = std::ranges::min_element(op.from);
    *least = std::max(*least, maker);
}

void Tracer::needsSlots(Running& r, int warp, TraceOp& op)
{
    for (const int slot : current_.from)
        if (slot >= 0)
            needs(op, slotOf(r, warp, slot));
}

template <class F>
void Tracer::eachWarp(F&& f)
{
    for (int w = 0; w < 32; ++w)
        if (((current_.warps >> static_cast<unsigned>(w)) & 1U) != 0)
            f(w);
}

void Tracer::steps(const Step& step)
{
    Running* r = running(step.block);
    current_ = step;
    if (!r)
        return;
    made_.fill(0);
    eachWarp([&](int warp) {
        switch (step.kind) {
        case Step::Kind::kArithmetic: arithmetic(*r, warp); break;
        case Step::Kind::kMove: {
            TraceOp all;
            needsSlots(*r, warp, all);
            slotOf(*r, warp, step.dst) = *std::ranges::max_element(all.from);
            break;
        }
        case Step::Kind::kAccess:
            if (step.dst >= 0)
                slotOf(*r, warp, step.dst) = 0;
            break;
        case Step::Kind::kOperation: operation(*r, warp); break;
        case Step::Kind::kLoopEnd:
            if (TraceOp* op = push(*r, warp, TraceKind::kArithmetic))
                op->issue = kLoopInstructions;
            break;
        case Step::Kind::kRecord:
            if (TraceOp* op = push(*r, warp, TraceKind::kMark)) {
                op->number = static_cast<std::int32_t>(step.number);
                op->issue = 0;
            }
            break;
        }
    });
}

void Tracer::arithmetic(Running& r, int warp)
{
    TraceOp made;
    needsSlots(r, warp, made);
    std::uint32_t& dst = slotOf(r, warp, current_.dst);
    dst = 0;
    if (std::ranges::all_of(made.from, [](std::uint32_t m) { return m == 0; }))
        return;
    TraceOp* op = push(r, warp, TraceKind::kArithmetic);
    if (!op)
        return;
    dst = made_[static_cast<std::size_t>(warp)];
    op->from = made.from;
    const auto lanes = static_cast<float>(std::max<int>(1, current_.type.lanes));
    const int bits = current_.type.bits();
    op->issue = lanes * (bits == 16 ? 0.5F : bits == 64 && current_.type.isFloating() ? 2.0F : 1.0F);
    const auto clocksOf = [&](double perClock) { return static_cast<float>(32 * rates_.schedulers / perClock); };
    op->work = op->issue * clocksOf(rates_.fmaPerClock);
    if (current_.effort == Effort::kSpecial || current_.effort == Effort::kLong) {
        const bool isLong = current_.effort == Effort::kLong;
        op->kind = isLong ? TraceKind::kLong : TraceKind::kSpecial;
        op->work = lanes * clocksOf(rates_.specialPerClock);
        op->issue = lanes * (isLong ? kLongInstructions : kSpecialInstructions);
    } else if (current_.effort == Effort::kNarrow) {
        op->kind = TraceKind::kNarrow;
        op->work = op->issue * clocksOf(pipes_.narrow);
    } else if (current_.effort == Effort::kMultiply) {
        op->takesAdd = true;
    } else if (current_.type.isFloating()) {
        for (const std::uint32_t from : op->from) {
            TraceOp& product = r.trace.warps[static_cast<std::size_t>(warp)][from == 0 ? 0 : from - 1];
            if (from == 0 || !product.takesAdd)
                continue;
            product.takesAdd = false;  // one fused instruction
            op->issue = op->work = 0;
            break;
        }
    }
}

void Tracer::product(Running& r, int warp, TraceKind kind)
{
    const auto shape = current_.attrs->find("shape"), type = current_.attrs->find("type");
    const auto* text = shape == current_.attrs->end() ? nullptr : std::get_if<std::string>(&shape->second);
    const auto* name = type == current_.attrs->end() ? nullptr : std::get_if<std::string>(&type->second);
    const auto dtype = name ? ir::parseDType(*name) : std::nullopt;
    const auto mma = text && dtype ? layout::parseMma(*text, dtype->bits()) : std::nullopt;
    TraceOp* op = mma ? push(r, warp, kind) : nullptr;
    if (!op)
        return;
    const bool isGroup = kind == TraceKind::kWgmma;
    const bool isTf32 = dtype->family() == ir::Family::kTFloat || (dtype->isFloating() && dtype->bits() == 32);
    const double rate = target::tensorPerClock(rates_, isTf32 ? 32 : dtype->bits(), dtype->isInteger()) * (isGroup ? 1 : rates_.mmaShare);
    const double flops = 2.0 * static_cast<double>(mma->m * mma->n * mma->k) / (isGroup ? 4 : 1);
    op->issue = isGroup ? static_cast<float>(1 + pipes_.descriptor) : 1.0F;
    op->work = static_cast<float>(rate > 0 ? flops * rates_.schedulers / rate : flops / 2 / 32);
}

void Tracer::operation(Running& r, int warp)
{
    if (current_.dst >= 0)
        slotOf(r, warp, current_.dst) = 0;
    switch (current_.op) {
    case OpId::kMma: product(r, warp, TraceKind::kMma); return;
    case OpId::kWgmma: product(r, warp, TraceKind::kWgmma); return;
    case OpId::kLdMatrix: case OpId::kStMatrix: (void)push(r, warp, TraceKind::kShared); return;
    case OpId::kCpAsync:
        if (TraceOp* op = push(r, warp, TraceKind::kCopy))
            op->issue = static_cast<float>(1 + pipes_.copyInstructions);
        return;
    default: break;
    }
    if (ir::info(current_.op).cls != ir::OpClass::kWarp)
        return;
    TraceOp* op = push(r, warp, TraceKind::kShared);
    if (!op)
        return;
    needsSlots(r, warp, *op);
    op->work = 1;
    if (current_.dst >= 0)
        slotOf(r, warp, current_.dst) = made_[static_cast<std::size_t>(warp)];
}

void Tracer::uses(const interp::RegisterUse& use)
{
    Running* r = running(use.act.block);
    if (!r || use.act.block != current_.block)
        return;
    int before = -1;
    for (std::size_t k = 0; k < use.at.size(); ++k) {
        const int warp = use.act.threads[k] / 32;
        if (warp == before)
            continue;
        before = warp;
        std::vector<std::uint32_t>& words = r->values[static_cast<std::size_t>(warp)].words[use.storage];
        const auto first = static_cast<std::size_t>(use.at[k] / 4), last = static_cast<std::size_t>((use.at[k] + std::max<std::int64_t>(use.bytes, 1) - 1) / 4);
        if (words.size() <= last)
            words.resize(last + 16);
        const std::uint32_t made = made_[static_cast<std::size_t>(warp)];
        TraceOp* op = made == 0 ? nullptr : &r->trace.warps[static_cast<std::size_t>(warp)][made - 1];
        const bool isProduct = op && op->kind == TraceKind::kMma;  // wgmmas add to one accumulator without a wait between them
        for (std::size_t w = first; w <= last; ++w) {
            if (current_.kind == Step::Kind::kAccess && !use.writes && current_.dst >= 0)
                slotOf(*r, warp, current_.dst) = std::max(slotOf(*r, warp, current_.dst), words[w]);
            if (op && (!use.writes || isProduct))
                needs(*op, words[w]);
            if (use.writes)
                words[w] = op ? made : current_.from[0] >= 0 ? slotOf(*r, warp, current_.from[0]) : 0;
        }
    }
}

int Tracer::openPhase(Running& r, const Meeting& meeting)
{
    Progress& p = r.barriers[{meeting.kind, meeting.index}];
    if (p.open < 0) {
        p.open = static_cast<int>(r.trace.phases.size());
        r.trace.phases.push_back({meeting.kind, 0});
    }
    return p.open;
}

// A warp's threads arrive together.
void Tracer::arrive(const Meeting& meeting, const Act& act, TraceKind kind)
{
    Running* r = running(act.block);
    if (!r || meeting.kind == Meeting::Kind::kWarp)
        return;
    const bool isOwn = meeting.block == act.block || meeting.kind == Meeting::Kind::kCluster || meeting.kind == Meeting::Kind::kGrid;
    for (const int warp : warpsOf(act)) {
        const int phase = isOwn ? openPhase(*r, meeting) : -1;
        const std::vector<TraceOp>& ops = r->trace.warps[static_cast<std::size_t>(warp)];
        if (!ops.empty() && ops.back().kind == kind && ops.back().number == phase)
            continue;
        TraceOp* op = push(*r, warp, kind);
        if (!op)
            continue;
        op->number = phase;
        if (isOwn)
            ++r->trace.phases[static_cast<std::size_t>(phase)].arrivals;
    }
}

void Tracer::completes(const Meeting& meeting)
{
    for (auto& [block, r] : running_) {
        const bool isWide = meeting.kind == Meeting::Kind::kCluster || meeting.kind == Meeting::Kind::kGrid;
        if (meeting.kind == Meeting::Kind::kWarp || (!isWide && block != meeting.block))
            continue;
        (void)openPhase(r, meeting);
        Progress& p = r.barriers[{meeting.kind, meeting.index}];
        p.last = p.open;
        p.open = -1;
    }
}

void Tracer::acquire(const Meeting& meeting, const Act& act)
{
    Running* r = running(act.block);
    if (!r || meeting.kind == Meeting::Kind::kWarp)
        return;
    const Progress p = r->barriers[{meeting.kind, meeting.index}];
    for (const int warp : warpsOf(act))
        if (TraceOp* op = p.last < 0 ? nullptr : push(*r, warp, TraceKind::kAwait))
            op->number = p.last;
}

void Tracer::group(TraceKind kind, Engine engine, std::int64_t number, const Act& act)
{
    Running* r = running(act.block);
    for (const int warp : r ? warpsOf(act) : std::vector<int>())
        if (TraceOp* op = push(*r, warp, kind)) {
            op->engine = engine;
            op->number = static_cast<std::int32_t>(number);
        }
}

void Tracer::fences(const Act& act)
{
    Running* r = running(act.block);
    for (const int warp : r ? warpsOf(act) : std::vector<int>())
        (void)push(*r, warp, TraceKind::kFence);
}

}  // namespace tw::sim
