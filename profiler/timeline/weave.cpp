#include "profiler/timeline/weave.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tw::timeline {

namespace {

using interp::Meeting;
using sim::TraceKind;
using sim::TraceOp;

constexpr double kMostLinks = 64;  // of a chain of arithmetic: longer ones are as many instructions each
constexpr int kChunks = 4;         // of shared memory read for products, which begin with the first

// Follows the roles in an order in which they can run, and writes down what each warp does.
class Weaver {
public:
    Weaver(const std::vector<RoleWork>& roles, std::int64_t threads, const Machine& machine) : work_(roles), machine_(machine), next_(roles.size())
    {
        out_.trace.warps.resize(static_cast<std::size_t>((threads + 31) / 32));
        last_.resize(out_.trace.warps.size());
    }

    Woven run()
    {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t role = 0; role < work_.size(); ++role)
                while (next_[role] < work_[role].steps.size() && take(role, work_[role].steps[next_[role]])) {
                    ++next_[role];
                    moved = true;
                }
        }
        for (std::size_t role = 0; role < work_.size(); ++role)
            out_.isStuck = out_.isStuck || next_[role] < work_[role].steps.size();
        return std::move(out_);
    }

private:
    struct Barrier {
        std::int64_t expected = 1, arrived = 0, completed = 0;
        int open = -1, last = -1;  // phases of the trace
    };
    struct Gathering {
        std::int64_t arrived = 0;
        int phase = -1;
        std::vector<std::size_t> roles;  // that are there
    };

    TraceOp& push(int warp, TraceKind kind)
    {
        TraceOp& op = out_.trace.warps[static_cast<std::size_t>(warp)].emplace_back();
        op.kind = kind;
        return op;
    }
    int warpsEnd(const Step& s) const { return std::min(s.warp + s.warps, static_cast<int>(out_.trace.warps.size())); }

    int open(Barrier& b)
    {
        if (b.open < 0) {
            b.open = static_cast<int>(out_.trace.phases.size());
            out_.trace.phases.push_back({Meeting::Kind::kBarrier, 0});
        }
        return b.open;
    }
    void arriveAt(int warp, TraceKind kind, int phase)
    {
        push(warp, kind).number = phase;
        ++out_.trace.phases[static_cast<std::size_t>(phase)].arrivals;
    }

    // False: the role has to wait until others went on.
    bool take(std::size_t role, const Step& s)
    {
        switch (s.kind) {
        case StepKind::kInit: barriers_[s.id].expected = s.count; return true;
        case StepKind::kWait: return await(s);
        case StepKind::kMeet: return meet(role, s);
        case StepKind::kArrive: case StepKind::kArriveCopies: arrive(s); return true;
        default: break;
        }
        for (int warp = s.warp; warp < warpsEnd(s); ++warp)
            switch (s.kind) {
            case StepKind::kRecord: {
                TraceOp& op = push(warp, TraceKind::kMark);
                op.number = s.id;
                op.issue = 0;
                break;
            }
            case StepKind::kCommit: push(warp, TraceKind::kCommit).engine = s.engine; break;
            case StepKind::kWaitGroups: {
                TraceOp& op = push(warp, TraceKind::kWait);
                op.engine = s.engine;
                op.number = static_cast<std::int32_t>(s.count);
                break;
            }
            case StepKind::kFence: (void)push(warp, TraceKind::kFence); break;
            case StepKind::kBulk: {
                const int phase = open(barriers_[s.id]);
                TraceOp& op = push(warp, TraceKind::kBulkLoad);
                op.bytes = static_cast<float>(s.cost.copied);
                op.number = phase;
                ++out_.trace.phases[static_cast<std::size_t>(phase)].arrivals;
                break;
            }
            default: work(warp, s); break;
            }
        return true;
    }

    void arrive(const Step& s)
    {
        Barrier& b = barriers_[s.id];
        const TraceKind kind = s.kind == StepKind::kArriveCopies ? TraceKind::kArriveCopies : TraceKind::kArrive;
        const int phase = open(b);
        for (int warp = s.warp; warp < warpsEnd(s); ++warp)
            arriveAt(warp, kind, phase);
        b.arrived += s.count;
        if (b.arrived < b.expected)
            return;
        b.arrived -= b.expected;
        ++b.completed;
        b.last = b.open;
        b.open = -1;
    }

    bool await(const Step& s)
    {
        const Barrier& b = barriers_[s.id];
        if ((b.completed & 1) == s.count)  // the phase of this parity is still at work
            return false;
        for (int warp = s.warp; warp < warpsEnd(s) && b.completed > 0; ++warp)
            push(warp, TraceKind::kAwait).number = b.last;
        return true;
    }

    // Roles that came go on when the last one has; every one is asked again until then.
    bool meet(std::size_t role, const Step& s)
    {
        Gathering& g = gatherings_[s.id];
        if (g.phase < 0) {
            g.phase = static_cast<int>(out_.trace.phases.size());
            out_.trace.phases.push_back({Meeting::Kind::kBlock, 0});
        }
        if (std::ranges::find(g.roles, role) == g.roles.end()) {
            g.roles.push_back(role);
            g.arrived += work_[role].threads;
            for (int warp = s.warp; warp < warpsEnd(s); ++warp)
                arriveAt(warp, TraceKind::kArrive, g.phase);
        }
        if (g.arrived < s.count && g.roles.size() < work_.size())
            return false;
        for (const std::size_t other : g.roles) {
            const Step& own = work_[other].steps[next_[other]];
            for (int warp = own.warp; warp < warpsEnd(own); ++warp)
                push(warp, TraceKind::kAwait).number = g.phase;
            next_[other] += other == role ? 0 : 1;
        }
        g = {};
        return true;
    }

    // Operations of one warp that wait for what came before.
    struct Results {
        std::array<std::uint32_t, 4> ops{};
    };

    TraceOp& pushAfter(int warp, TraceKind kind, double issue, double work, const Results& before)
    {
        TraceOp& op = push(warp, kind);
        op.issue = static_cast<float>(issue);
        op.work = static_cast<float>(work);
        op.from = before.ops;
        return op;
    }
    std::uint32_t made(int warp) const { return static_cast<std::uint32_t>(out_.trace.warps[static_cast<std::size_t>(warp)].size()); }

    void work(int warp, const Step& s)
    {
        const Cost& c = s.cost;
        const double share = 1.0 / std::max(1, s.warps), passBytes = machine_.rates.sharedBytesPerClock, around = 1 + machine_.pipes.copyInstructions;
        Results& last = last_[static_cast<std::size_t>(warp)];
        if (c.reads > 0) {
            pushAfter(warp, TraceKind::kLoad, c.reads * around, c.read * share / passBytes, {}).bytes = static_cast<float>(c.read * share);
            last.ops[0] = made(warp);
        }
        products(warp, c, share);
        arithmetic(warp, c);
        if (c.copies > 0)
            pushAfter(warp, TraceKind::kCopy, c.copies * around, c.copied * share / passBytes, {}).bytes = static_cast<float>(c.copied * share);
        if (c.writes > 0)
            pushAfter(warp, TraceKind::kStore, c.writes * around, c.written * share / passBytes, last).bytes = static_cast<float>(c.written * share);
        if (c.bulkWritten > 0)
            push(warp, TraceKind::kBulkStore).bytes = static_cast<float>(c.bulkWritten * share);
        if (c.wgmmas > 0)
            pushAfter(warp, TraceKind::kWgmma, c.wgmmas * (1 + machine_.pipes.descriptor), c.wgmma * 4 * share, {}).bytes =
                static_cast<float>(c.wgmmaBytes * share);
    }

    // Shared memory and mma.sync: the products of a part need what was read for it.
    void products(int warp, const Cost& c, double share)
    {
        Results& last = last_[static_cast<std::size_t>(warp)];
        const int chunks = c.mmas > 0 && c.sharedAccesses > 0 ? kChunks : 1;
        for (int k = 0; k < chunks; ++k) {
            Results before = last;
            if (c.sharedAccesses > 0) {
                pushAfter(warp, TraceKind::kShared, c.sharedAccesses / chunks, c.shared * share / machine_.rates.sharedBytesPerClock / chunks, chunks > 1 ? Results{} : last);
                before.ops[1] = made(warp);
            }
            if (c.mmas > 0) {
                pushAfter(warp, TraceKind::kMma, c.mmas / chunks, c.mma * share * machine_.rates.schedulers / chunks, before);
                before.ops[2] = made(warp);
            }
            last = before;
        }
    }

    void arithmetic(int warp, const Cost& c)
    {
        const auto lanes = [&](double perClock) { return 32 * machine_.rates.schedulers / perClock; };
        Results& last = last_[static_cast<std::size_t>(warp)];
        if (c.special > 0) {  // with what keeps denormal numbers around each
            pushAfter(warp, TraceKind::kSpecial, 4 * c.special, c.special * lanes(machine_.rates.specialPerClock), last);
            last.ops[3] = made(warp);
        }
        const double links = std::clamp(std::round(c.chain), c.simple + c.narrow > 0 ? 1.0 : 0.0, kMostLinks);
        for (int k = 0; k < static_cast<int>(links); ++k) {
            Results after = last;
            if (c.simple > 0) {
                pushAfter(warp, TraceKind::kArithmetic, c.simple / links, c.simple / links * lanes(machine_.rates.fmaPerClock), last);
                after.ops[0] = made(warp);
            }
            if (c.narrow > 0) {
                pushAfter(warp, TraceKind::kNarrow, c.narrow / links, c.narrow / links * lanes(machine_.pipes.narrow), last);
                after.ops[1] = made(warp);
            }
            last = after;
        }
        for (int k = 0; k < static_cast<int>(c.longs); ++k)
            pushAfter(warp, TraceKind::kLong, 11, lanes(machine_.rates.specialPerClock), last);
        for (int k = 0; k < static_cast<int>(std::min(c.shuffleChain, c.shuffles)); ++k) {
            pushAfter(warp, TraceKind::kShared, c.shuffles / std::min(c.shuffleChain, c.shuffles), c.shuffles / std::min(c.shuffleChain, c.shuffles), last);
            last.ops[0] = made(warp);
        }
    }

    const std::vector<RoleWork>& work_;
    const Machine& machine_;
    std::vector<std::size_t> next_;
    std::vector<Results> last_;  // by warp
    std::map<int, Barrier> barriers_;
    std::map<int, Gathering> gatherings_;
    Woven out_;
};

}  // namespace

Woven weave(const std::vector<RoleWork>& roles, std::int64_t threads, const Machine& machine)
{
    return Weaver(roles, threads, machine).run();
}

}  // namespace tw::timeline
