// Parallel loops: iterations as lanes. Where the body needs to know the thread (its locals differ, or it changes them), lane
// k of a round is thread k; otherwise the lanes are iterations and nothing else.
#include <cstring>

#include "core/interp/machine.h"

namespace tw::interp {

bool Machine::needsThreads(Fiber& f, const ParallelRecord& record)
{
    if (record.threadBound)
        return true;
    if (f.n == 1)
        return false;
    for (const int index : record.outerSlots)
        if (!slot(f, index).uniform)
            return true;
    for (const int index : record.outerLocals) {
        const auto bytes = static_cast<std::size_t>(program_.threads[static_cast<std::size_t>(index)].bytes);
        const std::uint8_t* memory = f.block->threads[static_cast<std::size_t>(index)].bytes.data();
        const std::uint8_t* first = memory + static_cast<std::size_t>(f.threads[0]) * bytes;
        for (const int thread : f.threads)
            if (std::memcmp(first, memory + static_cast<std::size_t>(thread) * bytes, bytes) != 0)
                return true;
    }
    return false;
}

void Machine::enterParallel(Fiber& f, const Instr& in)
{
    const ParallelRecord& record = program_.parallels[static_cast<std::size_t>(in.extra)];
    Frame frame;
    frame.kind = Frame::Kind::kParallel;
    const auto lane = static_cast<std::size_t>(std::max(0, f.mask.first(f.n)));
    frame.end = 1;
    for (std::size_t k = 0; k < record.vars.size(); ++k) {
        const Slot& begin = slot(f, record.begins[k]);
        const Slot& end = slot(f, record.ends[k]);
        frame.begins.push_back(begin.lanes[begin.uniform ? 0 : lane].i);
        frame.extents.push_back(std::max<std::int64_t>(0, end.lanes[end.uniform ? 0 : lane].i - frame.begins.back()));
        frame.end *= frame.extents.back();
    }
    if (frame.end == 0 || f.mask.none()) {
        f.pc = in.target;
        return;
    }
    frame.saved = f.mask;
    frame.savedLanes = f.n;
    frame.savedFree = f.free;
    frame.savedReturned = std::move(f.returned);
    f.returned.clear();
    frame.threadBound = needsThreads(f, record);
    f.free = !frame.threadBound;
    ++f.parallelDepth;
    f.frames.push_back(std::move(frame));
    startChunk(f, record);
    ++f.pc;
}

void Machine::startChunk(Fiber& f, const ParallelRecord& record)
{
    Frame& frame = f.frames.back();
    frame.off.clear();
    frame.left.clear();
    const std::int64_t rest = frame.end - frame.current;
    std::vector<std::uint8_t> on;
    if (f.free) {
        f.n = static_cast<int>(std::min<std::int64_t>(kFreeLanes, rest));
        f.mask = Mask::full(f.n);
    } else {
        on.assign(static_cast<std::size_t>(f.n), 0);
        std::int64_t given = 0;
        for (int lane = 0; lane < f.n && given < rest; ++lane)
            if (frame.saved.on(lane)) {
                on[static_cast<std::size_t>(lane)] = 1;
                ++given;
            }
        f.mask = Mask::of(on);
    }
    const std::size_t axes = record.vars.size();
    std::vector<std::int64_t> at(axes);
    std::int64_t linear = frame.current;
    for (std::size_t k = axes; k-- > 0; linear /= frame.extents[k])
        at[k] = linear % frame.extents[k];
    std::vector<Lane*> out(axes);
    for (std::size_t k = 0; k < axes; ++k) {
        Slot& var = slot(f, record.vars[k]);
        out[k] = var.prepare(static_cast<std::size_t>(f.n));
        var.uniform = false;
        var.width = 1;
    }
    for (int lane = 0; lane < f.n; ++lane) {
        const bool runs = f.mask.on(lane);
        for (std::size_t k = 0; k < axes; ++k)
            out[k][lane].i = frame.begins[k] + (runs ? at[k] : 0);
        if (!runs)
            continue;
        for (std::size_t k = axes; k-- > 0;) {
            if (++at[k] < frame.extents[k])
                break;
            at[k] = 0;
        }
    }
    frame.current += f.mask.count;
}

void Machine::nextParallel(Fiber& f, const Instr& in)
{
    Frame& frame = f.frames.back();
    if (frame.current < frame.end) {
        startChunk(f, program_.parallels[static_cast<std::size_t>(in.extra)]);
        f.pc = in.target;
        return;
    }
    f.n = frame.savedLanes;
    f.free = frame.savedFree;
    f.mask = std::move(frame.saved);
    f.returned = std::move(frame.savedReturned);
    f.frames.pop_back();
    --f.parallelDepth;
    ++f.pc;
}

}  // namespace tw::interp
