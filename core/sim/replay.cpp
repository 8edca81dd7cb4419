#include "core/sim/replay.h"

#include <deque>
#include <utility>

#include "core/sim/unit.h"

namespace tw::sim {

using interp::Engine;

namespace {

constexpr double kQueue = 64;      // passes that the path to shared memory and caches takes before it holds up its warps
constexpr double kStoreQueue = 512;  // the same of stores on their way
constexpr double kSlack = 32;      // clocks that a warp may run ahead of the others: units keep their order in slices
constexpr double kTurn = 8;        // before the end of a wgmma, when the warp group asks for its next one
constexpr double kLaunchGap = 140;  // between the starts of blocks on one multiprocessor (16 of 128 threads a multiprocessor on an H200: 138)

// Copies or products of a warp: those since the last commit, and the groups before.
struct Groups {
    double pending = 0;
    std::deque<double> ends;

    void commit() { ends.push_back(std::exchange(pending, 0)); }
    double wait(std::size_t left)
    {
        double until = 0;
        for (; ends.size() > left; ends.pop_front())
            until = std::max(until, ends.front());
        return until;
    }
    [[nodiscard]] double all() const
    {
        double end = pending;
        for (const double e : ends)
            end = std::max(end, e);
        return end;
    }
};

struct Warp {
    const std::vector<TraceOp>* ops = nullptr;
    std::size_t next = 0, block = 0, scheduler = 0;
    double now = 0;   // when it can issue
    double last = 0;  // when the latest of its instructions begins
    double tensor = 0;  // when its quarter's tensor core is done with its products
    bool isBlocked = false;
    std::vector<double> done;  // of each operation: when its result is there
    std::vector<double> begun = std::vector<double>(kWindow);
    Groups copies, products, stores;
    std::vector<Mark> marks;
};

struct Phase {
    int arrived = 0;
    double ready = 0;
    std::vector<Warp*> waiting;
};

class Multiprocessor {
public:
    Multiprocessor(const BlockTrace& trace, const Hardware& h)
        : trace_(trace), h_(h), issue_(schedulers()), tensor_(schedulers()), special_(schedulers()), lanes_(schedulers()),
          narrow_(schedulers()),
          phases_(static_cast<std::size_t>(h.resident), std::vector<Phase>(trace.phases.size()))
    {
        const double perClock = h.rates.clockMHz * 1e6 * h.multiprocessors;
        l2Rate_ = std::min(h.rates.l2BytesPerClock, h.pipes.l2Bytes / h.multiprocessors);
        dramRate_ = h.rates.dramBytesPerSecond * h.rates.dramShare / perClock;
        latency_ = (h.rates.l2Ns + (h.rates.dramNs - h.rates.l2Ns) * h.missShare) * h.rates.clockMHz / 1000;
        for (std::size_t b = 0; b < phases_.size(); ++b)
            for (std::size_t w = 0; w < trace.warps.size(); ++w) {
                Warp warp;
                warp.ops = &trace.warps[w];
                warp.block = b;
                warp.scheduler = (b * trace.warps.size() + w) % schedulers();
                warp.now = warp.last = kLaunchGap * static_cast<double>(b);
                warp.done.resize(warp.ops->size());
                warps_.push_back(std::move(warp));
            }
    }

    Replayed run()
    {
        Replayed out;
        while (Warp* warp = earliest()) {
            const double until = second_ + kSlack;
            while (!warp->isBlocked && warp->next < warp->ops->size() && warp->now <= until)
                step(*warp);
        }
        // One in the middle speaks for all: the first is served first.
        const std::size_t shown = static_cast<std::size_t>(h_.resident) / 2;
        const double begin = kLaunchGap * static_cast<double>(shown);
        for (std::size_t w = 0; w < trace_.warps.size(); ++w) {
            Warp& warp = warps_[shown * trace_.warps.size() + w];
            out.isStuck = out.isStuck || warp.next < warp.ops->size();
            for (Mark& mark : warp.marks)
                mark.clock -= begin;
            out.warps.push_back({std::move(warp.marks), std::max(warp.now, warp.last) - begin});
            out.clocks = std::max(out.clocks, out.warps.back().end);
        }
        double all = out.clocks + begin;
        for (const Warp& warp : warps_)
            all = std::max({all, warp.now, warp.last});
        const auto share = [&](const std::vector<Unit>& units) {
            double sum = 0;
            for (const Unit& u : units)
                sum += u.total();
            return all > 0 ? sum / static_cast<double>(units.size()) / all : 0;
        };
        out.tensorShare = share(tensor_);
        out.issueShare = share(issue_);
        out.sharedShare = all > 0 ? shared_.total() / all : 0;
        out.l2Share = all > 0 ? l2_.total() / all : 0;
        return out;
    }

private:
    [[nodiscard]] std::size_t schedulers() const { return static_cast<std::size_t>(std::max(1.0, h_.rates.schedulers)); }

    // The warp that is furthest behind; second_ is when the next one would go on.
    Warp* earliest()
    {
        Warp* first = nullptr;
        second_ = 1e300;
        for (Warp& w : warps_) {
            if (w.isBlocked || w.next >= w.ops->size())
                continue;
            if (!first || w.now < first->now) {
                second_ = first ? first->now : second_;
                first = &w;
            } else {
                second_ = std::min(second_, w.now);
            }
        }
        return first;
    }

    void step(Warp& w)
    {
        const std::size_t index = w.next;
        const TraceOp& op = (*w.ops)[index];
        double& begun = w.begun[index % kWindow];
        w.now = std::max(w.now, begun);
        w.now = op.issue > 0 ? issue_[w.scheduler].reserve(w.now, op.issue) : w.now;
        double start = w.now;
        for (const std::uint32_t from : op.from)
            start = from > 0 ? std::max(start, w.done[from - 1]) : start;
        begun = start;
        w.last = std::max(w.last, start);
        w.done[index] = start;
        if (!synchronize(w, op))
            return;
        work(w, op, start, w.done[index]);
        ++w.next;
    }

    void work(Warp& w, const TraceOp& op, double start, double& done)
    {
        const target::Pipes& p = h_.pipes;
        switch (op.kind) {
        case TraceKind::kArithmetic: done = op.issue > 0 ? lanes_[w.scheduler].reserve(start, op.work) - op.work + p.arithmetic : start; break;
        case TraceKind::kNarrow: done = narrow_[w.scheduler].reserve(start, op.work) - op.work + p.arithmetic; break;
        case TraceKind::kSpecial: done = special_[w.scheduler].reserve(start, op.work) - op.work + p.special + (op.issue - 1) * p.arithmetic; break;
        case TraceKind::kLong:
            w.now = done = std::max(start + p.longSpecial, special_[w.scheduler].reserve(start, op.work));
            break;
        case TraceKind::kShared: done = pass(w, start, op.work) + p.shared; break;
        case TraceKind::kLoad: done = transfer(pass(w, start, op.work), op.bytes); break;
        case TraceKind::kStore:
            done = stores_.reserve(l2_.reserve(pass(w, start, op.work), op.bytes / l2Rate_), op.bytes / p.storeBytes);
            w.now += std::max(0.0, done - start - op.bytes / p.storeBytes - kStoreQueue);
            (void)dram_.reserve(start, op.bytes / dramRate_);
            break;
        case TraceKind::kCopy: w.copies.pending = std::max(w.copies.pending, transfer(pass(w, start, op.work), op.bytes)); break;
        case TraceKind::kBulkStore:
            w.now += p.bulkInstructions;
            w.stores.pending = std::max(w.stores.pending, l2_.reserve(w.now, op.bytes / l2Rate_) + p.bulk);
            break;
        case TraceKind::kBulkLoad:
            w.now += p.bulkInstructions;
            arrive(w.block, op.number, transfer(w.now, op.bytes) + p.bulk);
            break;
        case TraceKind::kMma: done = tensor_[w.scheduler].reserve(start, op.work) + std::max(0.0, p.mma - op.work); break;
        case TraceKind::kWgmma: {
            // The next one is issued as this one ends, its descriptors before: warp groups take turns.
            const double begin = std::max(start, w.tensor);
            w.tensor = std::max(tensor_[w.scheduler].reserve(begin, op.work), shared_.reserve(begin, op.bytes / h_.rates.sharedBytesPerClock));
            w.now = std::max(w.now, w.tensor - kTurn - p.descriptor);
            done = w.tensor + p.wgmma;
            w.products.pending = std::max(w.products.pending, done);
            break;
        }
        default: break;
        }
    }

    // What orders warps and engines. False: the warp waits, and comes here again.
    bool synchronize(Warp& w, const TraceOp& op)
    {
        switch (op.kind) {
        case TraceKind::kCommit:
            if (Groups* g = groups(w, op.engine))
                g->commit();
            break;
        case TraceKind::kWait:
            if (Groups* g = groups(w, op.engine))
                w.now = std::max({w.now, w.last, g->wait(static_cast<std::size_t>(std::max(0, op.number)))});
            break;
        case TraceKind::kArrive: arrive(w.block, op.number, std::max(w.now, w.last)); break;
        case TraceKind::kArriveCopies: arrive(w.block, op.number, std::max({w.now, w.last, w.copies.all()})); break;
        case TraceKind::kFence: w.now = std::max(w.now, w.last) + h_.pipes.proxyFence; break;
        case TraceKind::kMark:
            w.now = std::max(w.now, w.last);
            w.marks.push_back({op.number, w.now});
            break;
        case TraceKind::kAwait: {
            Phase& phase = phases_[w.block][static_cast<std::size_t>(op.number)];
            const TracePhase& traced = trace_.phases[static_cast<std::size_t>(op.number)];
            if (phase.arrived < traced.arrivals) {
                phase.waiting.push_back(&w);
                w.isBlocked = true;
                return false;
            }
            const bool isTransaction = traced.kind != interp::Meeting::Kind::kBlock && traced.kind != interp::Meeting::Kind::kNamed;
            w.now = std::max(w.now, phase.ready) + (isTransaction ? h_.pipes.transactionBarrier : h_.pipes.blockBarrier);
            break;
        }
        default: break;
        }
        return true;
    }

    static Groups* groups(Warp& w, Engine engine)
    {
        switch (engine) {
        case Engine::kCpAsync: return &w.copies;
        case Engine::kWgmma: return &w.products;
        case Engine::kBulkStore: return &w.stores;
        default: return nullptr;
        }
    }

    // Through the path to shared memory and the first-level cache: a long queue holds the warp up; waiting for operands does not.
    double pass(Warp& w, double start, double passes)
    {
        const double end = shared_.reserve(start, passes);
        w.now += std::max(0.0, end - start - passes - kQueue);
        return end;
    }

    // When bytes that are asked for now are there.
    double transfer(double from, double bytes)
    {
        double end = l2_.reserve(from, bytes / l2Rate_);
        if (h_.missShare > 0)
            end = std::max(end, dram_.reserve(from, bytes * h_.missShare / dramRate_));
        return end + latency_;
    }

    void arrive(std::size_t block, int number, double at)
    {
        if (number < 0)
            return;
        Phase& phase = phases_[block][static_cast<std::size_t>(number)];
        ++phase.arrived;
        phase.ready = std::max(phase.ready, at);
        if (phase.arrived < trace_.phases[static_cast<std::size_t>(number)].arrivals)
            return;
        for (Warp* w : phase.waiting) {
            w->isBlocked = false;
            w->now = std::max(w->now, phase.ready);
        }
        phase.waiting.clear();
    }

    const BlockTrace& trace_;
    const Hardware& h_;
    double l2Rate_ = 1, dramRate_ = 1, latency_ = 0, second_ = 0;
    std::vector<Unit> issue_, tensor_, special_, lanes_, narrow_;
    Unit shared_, l2_, dram_, stores_;
    std::vector<std::vector<Phase>> phases_;  // by block
    std::vector<Warp> warps_;
};

}  // namespace

Replayed replay(const BlockTrace& trace, const Hardware& hardware)
{
    return Multiprocessor(trace, hardware).run();
}

}  // namespace tw::sim
