// Instructions, told to observers that charge time.
#include "core/interp/machine.h"

namespace tw::interp {

namespace {

// Bit w: a thread of warp w is among the active ones.
std::uint32_t stepWarps(const Fiber& f)
{
    std::uint32_t warps = 0;
    const int first = f.threads.front(), last = f.threads.back();
    if (f.mask.all && last - first == f.n - 1) {
        for (int w = first / 32; w <= last / 32 && w < 32; ++w)
            warps |= 1U << static_cast<unsigned>(w);
        return warps;
    }
    for (int lane = 0; lane < f.n; ++lane)
        if (f.mask.on(lane) && f.threads[static_cast<std::size_t>(lane)] < 1024)
            warps |= 1U << static_cast<unsigned>(f.threads[static_cast<std::size_t>(lane)] / 32);
    return warps;
}

}  // namespace

// Control and what only arranges vectors is left out.
void Machine::tellStep(Fiber& f, const Instr& in)
{
    if (f.free || f.threads.empty() || f.mask.none())
        return;
    Step step;
    step.dst = in.dst;
    switch (in.op) {
    case Op::kElement: case Op::kCast:
        step.kind = Step::Kind::kArithmetic;
        step.from = {in.a, in.b, in.c};
        break;
    case Op::kMove: case Op::kRamp: case Op::kBroadcast: case Op::kLane: case Op::kReinterpret:
        step.kind = Step::Kind::kMove;
        step.from = {in.a, in.b, -1};
        break;
    case Op::kPack: {
        const std::vector<int>& lanes = program_.lists[static_cast<std::size_t>(in.extra)];
        step.kind = Step::Kind::kMove;
        for (std::size_t k = 0; k < lanes.size() && k < 3; ++k)
            step.from[k] = lanes[lanes.size() - 1 - k];
        break;
    }
    case Op::kZero: step.kind = Step::Kind::kMove; break;
    case Op::kLoad: case Op::kStore:
        step.kind = Step::Kind::kAccess;
        step.from[0] = in.op == Op::kStore ? in.a : -1;
        break;
    case Op::kFor: {  // the counter's slot may have held something else before
        const ForRecord& loop = program_.fors[static_cast<std::size_t>(in.extra)];
        step.kind = Step::Kind::kMove;
        step.from[0] = loop.begin;
        step.dst = loop.var;
        break;
    }
    case Op::kForNext: case Op::kWhileNext:
        if (!in.heavy)
            return;
        step.kind = Step::Kind::kLoopEnd;
        break;
    case Op::kRecord:
        step.kind = Step::Kind::kRecord;
        step.number = in.extra;
        break;
    case Op::kOp: {
        const OpRecord& record = program_.ops[static_cast<std::size_t>(in.extra)];
        step.kind = Step::Kind::kOperation;
        step.op = record.op;
        step.attrs = record.attrs;
        for (std::size_t k = 0; k < record.operands.size() && k < 3; ++k)
            step.from[k] = record.operands[k].slot;
        break;
    }
    default: return;
    }
    step.effort = in.effort;
    step.site = static_cast<int>(&in - program_.code.data());
    step.where = &in.where;
    step.block = static_cast<int>(f.block->linear);
    step.warps = stepWarps(f);
    step.type = in.type;
    options_.observer->steps(step);
}

}  // namespace tw::interp
