// Accesses to memory, as the tracer charges them.
#include <algorithm>

#include "core/sim/counters.h"
#include "core/sim/tracer.h"

namespace tw::sim {

using interp::Engine;
using interp::Step;
using interp::Touch;

namespace {

constexpr double kPassBytes = 128, kSectorBytes = 32, kChunkBytes = 16;

// Distinct lines of 128 bytes.
double linesOf(std::span<const std::int64_t> at, int width)
{
    std::vector<std::int64_t> lines;
    for (const std::int64_t byte : at)
        for (std::int64_t line = byte / 128; line <= (byte + width - 1) / 128; ++line)
            lines.push_back(line);
    std::ranges::sort(lines);
    return static_cast<double>(std::ranges::unique(lines).begin() - lines.begin());
}

}  // namespace

void Tracer::touches(const Touch& touch)
{
    Running* r = running(touch.act.block);
    if (!r || touch.at.empty() || touch.act.block != current_.block)
        return;
    if (touch.engine == Engine::kBulkLoad || touch.engine == Engine::kBulkStore) {
        bulk(*r, touch);
    } else if (touch.engine == Engine::kWgmma) {
        // Chunks that the four warps read together.
        const int first = touch.act.threads.front() / 32;
        for (int warp = first; warp < first + 4; ++warp)
            if (const std::uint32_t made = made_[static_cast<std::size_t>(warp)])
                r->trace.warps[static_cast<std::size_t>(warp)][made - 1].bytes += static_cast<float>(static_cast<double>(touch.at.size()) * kChunkBytes / 4);
    } else {
        access(*r, touch);
    }
}

// The steps of a vectorized loop are one access: of a load, where it begins; of a store, where its last value is there.
void Tracer::access(Running& r, const Touch& touch)
{
    if (touch.steps <= 1) {
        charge(r, touch, touch.width, touch.at);
        return;
    }
    OpenVector& open = vectors_[touch.act.site];
    const bool loads = touch.kind == Touch::Kind::kRead;
    if (touch.step == 0)
        open.first = touch.at;
    if (touch.step == (loads ? 0 : touch.steps - 1)) {
        charge(r, touch, touch.width * touch.steps, open.first.size() == touch.act.threads.size() ? open.first : touch.at);
        open.made = made_;
        return;
    }
    for (std::size_t k = 0; loads && k < touch.act.threads.size(); ++k) {
        const int warp = touch.act.threads[k] / 32;
        if (current_.dst >= 0)
            slotOf(r, warp, current_.dst) = open.made[static_cast<std::size_t>(warp)];
    }
}

void Tracer::charge(Running& r, const Touch& touch, int width, const std::vector<std::int64_t>& at)
{
    const std::size_t together = width <= 4 ? 32 : width <= 8 ? 16 : 8;
    const std::span<const std::int64_t> all(at);
    for (std::size_t first = 0; first < at.size();) {
        std::size_t end = first + 1;
        while (end < at.size() && touch.act.threads[end] / 32 == touch.act.threads[first] / 32)
            ++end;
        const std::span<const std::int64_t> warp = all.subspan(first, end - first);
        const bool copies = touch.engine == Engine::kCpAsync;
        double passes = touch.shared || copies ? 0 : linesOf(warp, width);
        for (std::size_t k = 0; k < warp.size() && (touch.shared || copies); k += together) {
            const std::span<const std::int64_t> group = warp.subspan(k, std::min(together, warp.size() - k));
            passes += touch.shared ? passesOf(group, width) : linesOf(group, width);
        }
        const double sectors = touch.shared ? 0 : static_cast<double>(sectorsOf(warp, width));
        chargeWarp(r, touch, touch.act.threads[first] / 32, passes, sectors);
        first = end;
    }
}

// Adds to the operation that the current step made, or makes one.
void Tracer::chargeWarp(Running& r, const Touch& touch, int warp, double passes, double sectors)
{
    const bool loads = touch.kind != Touch::Kind::kWrite;
    const std::uint32_t made = made_[static_cast<std::size_t>(warp)];
    TraceOp* op = made ? &r.trace.warps[static_cast<std::size_t>(warp)][made - 1] : nullptr;
    if (!op) {
        op = push(r, warp, touch.shared ? TraceKind::kShared : loads && touch.kind == Touch::Kind::kRead ? TraceKind::kLoad : TraceKind::kStore);
        if (!op)
            return;
        needsSlots(r, warp, *op);
        op->issue = static_cast<float>(1 + (touch.shared ? 0 : pipes_.copyInstructions));
        if (loads && current_.dst >= 0)
            slotOf(r, warp, current_.dst) = made_[static_cast<std::size_t>(warp)];
    }
    const double again = touch.kind == Touch::Kind::kAtomic ? 2 : 1;  // an atomic reads and writes
    if (touch.engine == Engine::kCpAsync)  // what a group fetches is written as it comes, line by line
        op->work = std::max(op->work, static_cast<float>(passes));
    else
        op->work += static_cast<float>(again * passes);
    op->bytes += static_cast<float>(again * sectors * kSectorBytes);
}

void Tracer::bulk(Running& r, const Touch& touch)
{
    const bool loads = touch.engine == Engine::kBulkLoad;
    if (!loads && touch.shared)
        return;  // the other side of a store counts
    const int warp = touch.act.threads.front() / 32;
    const bool isOwn = loads && touch.completes.block == touch.act.block;
    TraceOp* op = push(r, warp, loads ? TraceKind::kBulkLoad : TraceKind::kBulkStore);
    if (!op)
        return;
    op->bytes = static_cast<float>(static_cast<double>(touch.at.size()) * touch.width);
    op->work = static_cast<float>(op->bytes / kPassBytes);
    op->number = -1;
    if (!isOwn)
        return;
    op->number = openPhase(r, touch.completes);
    ++r.trace.phases[static_cast<std::size_t>(op->number)].arrivals;
}

}  // namespace tw::sim
