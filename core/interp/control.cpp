// Branches and loops. Divergence is a matter of masks, unless what follows synchronises or runs tile operations: then the
// fiber splits (fork.cpp).
#include "core/interp/machine.h"
#include "core/support/check.h"

namespace tw::interp {

Mask restrict(const Mask& a, const std::vector<std::uint8_t>& keep)
{
    std::vector<std::uint8_t> bits = keep;
    if (!a.all)
        for (std::size_t k = 0; k < bits.size(); ++k)
            bits[k] = static_cast<std::uint8_t>(bits[k] & a.bits[k]);
    return Mask::of(std::move(bits));
}

Mask without(const Mask& a, const std::vector<std::uint8_t>& drop)
{
    if (drop.empty() || a.none())  // no lanes at all (an arm nobody took) stay none: such a mask has no bits
        return a;
    std::vector<std::uint8_t> bits(drop.size());
    for (std::size_t k = 0; k < bits.size(); ++k)
        bits[k] = static_cast<std::uint8_t>(drop[k] == 0 && a.on(static_cast<int>(k)));
    return Mask::of(std::move(bits));
}

namespace {

void addLanes(std::vector<std::uint8_t>& set, const Mask& lanes, int n)
{
    set.resize(static_cast<std::size_t>(n), 0);
    for (int k = 0; k < n; ++k)
        if (lanes.on(k))
            set[static_cast<std::size_t>(k)] = 1;
}

bool isLoop(const Frame& frame) { return frame.kind != Frame::Kind::kIf; }

}  // namespace

// Saved lanes that are still there: not broken out of the innermost loop, not returned.
Mask Machine::revived(const Fiber& f, const Mask& saved) const
{
    Mask mask = without(saved, f.returned);
    for (std::size_t k = f.frames.size(); k-- > 0;)
        if (isLoop(f.frames[k]))
            return without(mask, f.frames[k].off);
    return mask;
}

void Machine::enterIf(Fiber& f, const Instr& in)
{
    const Slot& condition = slot(f, in.a);
    const Op atTarget = program_.code[static_cast<std::size_t>(in.target)].op;
    const int elsePc = atTarget == Op::kElse ? in.target + 1 : in.target;
    Frame frame;
    frame.kind = Frame::Kind::kIf;
    frame.saved = f.mask;
    bool some = false;
    bool others = false;
    if (condition.uniform) {
        some = condition.lanes[0].i != 0;
        others = !some;
    } else {
        for (int k = 0; k < f.n; ++k)
            if (f.mask.on(k))
                (condition.lanes[static_cast<std::size_t>(k)].i != 0 ? some : others) = true;
    }
    if (!some || !others) {
        f.frames.push_back(std::move(frame));
        f.pc = some ? f.pc + 1 : elsePc;
        return;
    }
    std::vector<std::uint8_t> stays(static_cast<std::size_t>(f.n));
    for (std::size_t k = 0; k < stays.size(); ++k)
        stays[k] = condition.lanes[k].i != 0 ? 1 : 0;
    if (options_.observer && launch_)
        tellBranch(f, in, stays);
    if (!in.heavy) {
        Mask then = restrict(f.mask, stays);
        frame.otherwise = without(f.mask, stays);
        f.frames.push_back(std::move(frame));
        f.mask = std::move(then);
        ++f.pc;
        return;
    }
    std::vector<std::pair<int, std::size_t>> joins;
    if (in.extra >= 0) {
        std::size_t loop = f.frames.size();
        while (loop > 0 && !isLoop(f.frames[loop - 1]))
            --loop;
        for (const int pc : program_.lists[static_cast<std::size_t>(in.extra)])
            if (pc >= 0)
                joins.emplace_back(pc, loop);
    }
    f.frames.push_back(std::move(frame));
    const int end = atTarget == Op::kElse ? program_.code[static_cast<std::size_t>(in.target)].target : in.target;
    joins.emplace_back(end, f.frames.size());
    fork(f, stays, elsePc, joins);
    ++f.pc;
}

void Machine::elsePart(Fiber& f, const Instr& in)
{
    f.mask = revived(f, f.frames.back().otherwise);
    f.pc = f.mask.none() ? in.target : f.pc + 1;
}

void Machine::endIf(Fiber& f, const Instr& in)
{
    if (!meet(f, f.pc))
        return;
    const Mask saved = std::move(f.frames.back().saved);
    f.frames.pop_back();
    f.mask = revived(f, saved);
    f.pc = f.mask.none() ? in.outer : f.pc + 1;
}

void Machine::setLoopVar(Fiber& f, const Frame& frame, const ForRecord& record)
{
    Lane lane{};
    lane.i = frame.current;
    slot(f, record.var).setUniform(lane);
}

void Machine::enterFor(Fiber& f, const Instr& in)
{
    const ForRecord& record = program_.fors[static_cast<std::size_t>(in.extra)];
    const Slot& begin = slot(f, record.begin);
    const Slot& end = slot(f, record.end);
    const Slot& step = slot(f, record.step);
    Frame frame;
    frame.kind = Frame::Kind::kFor;
    frame.saved = f.mask;
    frame.uniform = begin.uniform && end.uniform && step.uniform;
    if (frame.uniform) {
        frame.current = begin.lanes[0].i;
        frame.end = end.lanes[0].i;
        frame.step = step.lanes[0].i;
        const bool enters = frame.step >= 0 ? frame.current < frame.end : frame.current > frame.end;
        if (frame.step == 0)
            error(Code::kEndlessLoop, in.where.range, "this loop has step 0, so it never ends");
        setLoopVar(f, frame, record);
        if (record.vectorized && enters)
            vectorSteps_ = static_cast<int>(frame.end - frame.current);
        f.frames.push_back(std::move(frame));
        f.pc = enters ? f.pc + 1 : in.target;
        return;
    }
    const auto n = static_cast<std::size_t>(f.n);
    frame.ends.resize(n);
    frame.steps.resize(n);
    Slot& var = slot(f, record.var);
    Lane* at = var.prepare(n);
    var.uniform = false;
    var.width = 1;
    for (std::size_t k = 0; k < n; ++k) {
        frame.ends[k] = end.lanes[end.uniform ? 0 : k];
        frame.steps[k] = step.lanes[step.uniform ? 0 : k];
        at[k].i = begin.lanes[begin.uniform ? 0 : k].i - frame.steps[k].i;  // nextFor takes the first step
    }
    f.frames.push_back(std::move(frame));
    const int body = f.pc + 1;
    Instr next = in;
    next.outer = body;
    nextFor(f, next);
}

// To the next iteration. `outer` is the body's first instruction, `target` the loop's end.
void Machine::nextFor(Fiber& f, const Instr& in)
{
    if (in.op == Op::kForNext && !meet(f, f.pc))
        return;
    const ForRecord& record = program_.fors[static_cast<std::size_t>(in.extra)];
    Frame& frame = f.frames.back();
    frame.off = frame.left;
    f.mask = revived(f, frame.saved);
    if (f.mask.none()) {
        f.pc = in.target;
        return;
    }
    if (frame.uniform) {
        frame.current += frame.step;
        setLoopVar(f, frame, record);
        const bool goesOn = frame.step > 0 ? frame.current < frame.end : frame.current > frame.end;
        vectorStep_ = record.vectorized && goesOn ? vectorStep_ + 1 : 0;
        vectorSteps_ = vectorStep_ > 0 ? vectorSteps_ : 1;
        f.pc = goesOn ? in.outer : in.target;
        return;
    }
    Slot& var = slot(f, record.var);
    if (var.uniform) {
        const Lane same = var.lanes[0];
        std::fill_n(var.prepare(static_cast<std::size_t>(f.n)), f.n, same);
        var.uniform = false;
    }
    std::vector<std::uint8_t> stays(static_cast<std::size_t>(f.n));
    bool leaves = false;
    for (std::size_t k = 0; k < stays.size(); ++k) {
        var.lanes[k].i += frame.steps[k].i;
        const std::int64_t at = var.lanes[k].i;
        stays[k] = frame.steps[k].i > 0 ? at < frame.ends[k].i : at > frame.ends[k].i;
        leaves |= stays[k] == 0 && f.mask.on(static_cast<int>(k));
    }
    const Mask staying = restrict(f.mask, stays);
    if (staying.none()) {
        f.pc = in.target;
        return;
    }
    if (leaves && in.heavy) {
        fork(f, stays, in.target, {{in.target, f.frames.size()}});
    } else if (leaves) {
        addLanes(frame.left, without(f.mask, stays), f.n);
        frame.off = frame.left;
        f.mask = staying;
    }
    f.pc = in.outer;
}

void Machine::enterWhile(Fiber& f, const Instr&)
{
    Frame frame;
    frame.kind = Frame::Kind::kWhile;
    frame.saved = f.mask;
    frame.changes = f.changes;
    f.frames.push_back(std::move(frame));
    ++f.pc;
}

void Machine::testWhile(Fiber& f, const Instr& in)
{
    const Slot& condition = slot(f, in.a);
    if (condition.uniform) {
        f.pc = condition.lanes[0].i != 0 ? f.pc + 1 : in.target;
        return;
    }
    std::vector<std::uint8_t> stays(static_cast<std::size_t>(f.n));
    for (std::size_t k = 0; k < stays.size(); ++k)
        stays[k] = condition.lanes[k].i != 0 ? 1 : 0;
    Mask staying = restrict(f.mask, stays);
    if (staying.none()) {
        f.pc = in.target;
        return;
    }
    if (staying.count < f.mask.count) {
        if (in.heavy) {
            fork(f, stays, in.target, {{in.target, f.frames.size()}});
        } else {
            Frame& frame = f.frames.back();
            addLanes(frame.left, without(f.mask, stays), f.n);
            frame.off = frame.left;
            f.mask = std::move(staying);
        }
    }
    ++f.pc;
}

void Machine::nextWhile(Fiber& f, const Instr& in)
{
    if (!meet(f, f.pc))
        return;
    Frame& frame = f.frames.back();
    frame.off = frame.left;
    f.mask = revived(f, frame.saved);
    if (f.mask.none()) {
        f.pc = in.target;
        return;
    }
    f.pc = in.outer;
    if (f.parallelDepth > 0)
        return;
    if (f.changes == frame.changes) {
        // Nothing changed in a whole round: only somebody else can end this loop.
        f.wait = {.kind = Wait::Kind::kSpin, .generation = static_cast<std::int64_t>(changes_), .where = in.where.range};
    } else if ((++f.turns & 0xFFFF) == 0) {
        f.wait = {.kind = Wait::Kind::kTurn, .where = in.where.range};
    }
    frame.changes = f.changes;
}

void Machine::enterPersistent(Fiber& f, const Instr& in)
{
    const PersistentRecord& record = program_.persistents[static_cast<std::size_t>(in.extra)];
    Frame frame;
    frame.kind = Frame::Kind::kPersistent;
    frame.saved = f.mask;
    for (const int extent : record.extents)
        frame.extents.push_back(slot(f, extent).lanes[0].i);
    frame.step = slot(f, record.waveSize).lanes[0].i;
    const std::int64_t last = frame.extents.back();
    const std::int64_t group = std::max<std::int64_t>(1, std::min(slot(f, record.groupSize).lanes[0].i, last));
    // Walked as [ceildiv(last, group), d0, …, d(k-2), group], the last axis being outer * group + inner.
    frame.begins = {(last + group - 1) / group};
    frame.begins.insert(frame.begins.end(), frame.extents.begin(), frame.extents.end() - 1);
    frame.begins.push_back(group);
    frame.end = 1;
    for (const std::int64_t extent : frame.begins)
        frame.end *= std::max<std::int64_t>(0, extent);
    frame.current = slot(f, record.index).lanes[0].i;
    if (frame.step <= 0) {
        error(Code::kValueRange, in.where.range, "the wave size of T.Persistent must be positive");
        return;
    }
    f.frames.push_back(std::move(frame));
    Instr next = in;
    next.outer = f.pc + 1;
    advancePersistent(f, next, true);
}

void Machine::advancePersistent(Fiber& f, const Instr& in, bool first)
{
    if (!first && !meet(f, f.pc))
        return;
    const PersistentRecord& record = program_.persistents[static_cast<std::size_t>(in.extra)];
    Frame& frame = f.frames.back();
    frame.off = frame.left;
    f.mask = revived(f, frame.saved);
    if (!first)
        frame.current += frame.step;
    for (; frame.current < frame.end && !f.mask.none(); frame.current += frame.step) {
        std::vector<std::int64_t> at(frame.begins.size());
        std::int64_t rest = frame.current;
        for (std::size_t k = at.size(); k-- > 0; rest /= frame.begins[k])
            at[k] = rest % frame.begins[k];
        const std::int64_t last = at.front() * frame.begins.back() + at.back();
        if (last >= frame.extents.back())
            continue;
        for (std::size_t k = 0; k < record.vars.size(); ++k) {
            Lane lane{};
            lane.i = k + 1 == record.vars.size() ? last : at[k + 1];
            slot(f, record.vars[k]).setUniform(lane);
        }
        f.pc = in.outer;
        return;
    }
    f.pc = in.target;
}

void Machine::loopEnd(Fiber& f, const Instr& in)
{
    if (!meet(f, f.pc))
        return;
    const Mask saved = std::move(f.frames.back().saved);
    f.frames.pop_back();
    f.mask = revived(f, saved);
    f.pc = f.mask.none() ? in.outer : f.pc + 1;
}

void Machine::leaveIteration(Fiber& f, const Instr& in, bool isBreak)
{
    std::size_t loop = f.frames.size();
    while (!isLoop(f.frames[loop - 1]))
        --loop;
    Frame& frame = f.frames[loop - 1];
    addLanes(frame.off, f.mask, f.n);
    if (isBreak)
        addLanes(frame.left, f.mask, f.n);
    const Mask rest = without(without(frame.saved, f.returned), isBreak ? frame.left : frame.off);
    if (rest.none()) {  // nobody stays behind: go there at once
        f.frames.resize(loop);
        leaveGroups(f, loop, in.target);
        f.mask = Mask::of(std::vector<std::uint8_t>(static_cast<std::size_t>(f.n), 0));
        f.pc = in.target;
        return;
    }
    f.mask = Mask::of(std::vector<std::uint8_t>(static_cast<std::size_t>(f.n), 0));
    f.pc = in.outer;
}

void Machine::returnThreads(Fiber& f, const Instr& in)
{
    if (options_.observer && launch_)
        options_.observer->leaves(actOf(f, in));
    addLanes(f.returned, f.mask, f.n);
    f.block->live -= f.mask.count;
    f.mask = Mask::of(std::vector<std::uint8_t>(static_cast<std::size_t>(f.n), 0));
    f.pc = in.outer;
    noteChange(f);
    checkBlockBarrier(*f.block);
}

void Machine::endFiber(Fiber& f)
{
    int returned = 0;
    for (const std::uint8_t lane : f.returned)
        returned += lane;
    if (options_.observer && launch_)
        options_.observer->leaves(actOf(f, program_.code[static_cast<std::size_t>(f.pc)]));
    f.done = true;
    f.block->live -= f.n - returned;
    noteChange(f);
    for (const std::shared_ptr<Group>& group : f.groups)
        leaveGroup(*group);
    f.groups.clear();
    checkBlockBarrier(*f.block);
}

}  // namespace tw::interp
