// Rules about pipelines: who waits for whom, and how far loads run ahead.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "profiler/analysis/findings.h"
#include "profiler/analysis/record.h"

namespace tw::profile_analysis {
namespace {

namespace metric = capture::metric;
using capture::Finding;

constexpr double kWorth = 1.01;  // gains below are noise of the model

// num_stages one or two higher, whichever the model likes better; none if neither helps, fits, or can be written.
capture::Edit deeper(const Evidence& e, const LoopWork& loop)
{
    capture::Edit best;
    if (!e.literal || !e.gainOf)
        return best;
    const auto literal = e.literal(loop.where, "num_stages", loop.stages);
    if (!literal)
        return best;
    const std::int64_t first = std::max<std::int64_t>(2, literal->value + 1);
    for (std::int64_t stages = first; stages < first + 2; ++stages) {
        const std::vector<FixIt> change = {{literal->range, fmt::format("{}", stages)}};
        const double gain = e.gainOf(change).value_or(0);
        if (gain > std::max(kWorth, best.modelledGain))
            best = {fmt::format("num_stages {} → {}", literal->value, stages), change, gain};
    }
    return best;
}

// Share of the consumers' time in which they wait, and what they wait for most.
struct Waiting {
    double share = 0;
    std::uint32_t op = 0;
    capture::Origin origin{};
};

// The work that a wait holds up: the first behind it that is not the start of a copy, or the first of all.
std::uint32_t heldUp(const capture::Timeline& t, std::size_t wait)
{
    std::uint32_t first = 0;
    for (std::size_t i = wait + 1; i < t.spans.size() && t.spans[i].track == t.spans[wait].track && t.spans[i].event != "wait"; ++i) {
        if (t.spans[i].event != "issue")
            return t.spans[i].op;
        first = first == 0 ? t.spans[i].op : first;
    }
    return first;
}

Waiting waitingOf(const capture::Timeline& t)
{
    double all = 0, waits = 0;
    std::map<std::uint32_t, double> byOp;
    for (std::size_t i = 0; i < t.spans.size(); ++i) {
        const capture::Span& s = t.spans[i];
        const std::string& role = t.tracks[static_cast<std::size_t>(s.track)].role;
        if (!role.starts_with("consumer") && role != "block")
            continue;
        const double ns = s.endNs - s.startNs;
        all += ns;
        if (s.event == "wait") {
            waits += ns;
            byOp[s.op != 0 ? s.op : heldUp(t, i)] += ns;
        }
    }
    Waiting w{all > 0 ? waits / all : 0, 0, t.origin};
    double most = 0;
    for (const auto& [op, ns] : byOp)
        if (ns > most) {
            most = ns;
            w.op = op;
        }
    return w;
}

// Stall reasons that stand for waiting for data or for other warps.
bool isWait(const std::string& reason)
{
    for (const char* part : {"long_scoreboard", "barrier", "membar", "wait_group", "gmma", "long scoreboard"})
        if (reason.find(part) != std::string::npos)
            return true;
    return false;
}

Waiting waitingOf(const std::vector<capture::Operation>& operations)
{
    Waiting w;
    double most = 0;
    for (const capture::Operation& op : operations) {
        double share = 0;
        for (const auto& [reason, s] : op.stalls)
            share += isWait(reason) ? s : 0;
        w.share += share * op.timeShare;
        if (share * op.timeShare > most) {
            most = share * op.timeShare;
            w.op = op.id;
            w.origin = op.origin;
        }
    }
    return w;
}

// The pipelined loop around an operation, else the first one.
const LoopWork* loopOf(const Evidence& e, std::uint32_t op)
{
    if (!e.work)
        return nullptr;
    for (const LaunchWork& l : e.work->launches)
        for (const OperationWork& o : l.operations)
            if (o.op == op && o.loop >= 0)
                return &l.loops[static_cast<std::size_t>(o.loop)];
    for (const LaunchWork& l : e.work->launches)
        if (!l.loops.empty())
            return &l.loops.front();
    return nullptr;
}

}  // namespace

Findings consumerWaits(const Evidence& e)
{
    constexpr double kBusy = 70, kWaits = 0.15;
    const capture::Metric* pipe = findMetric(e.capture, metric::kTensorPipe, 0);
    if (!pipe)
        pipe = findMetric(e.capture, metric::kTensorPipe);
    if (!pipe || pipe->value <= 0 || pipe->value >= kBusy)
        return {};
    Waiting w;
    for (const capture::Timeline& t : e.capture.timelines)
        if (w.share == 0 && t.origin != capture::Origin::kModelled)
            w = waitingOf(t);
    if (w.share == 0)
        w = waitingOf(e.capture.operations);
    if (w.share < kWaits)
        return {};
    Finding f = findingAt(e, "consumer-waits", {}, w.op);
    const capture::Operation* op = operationOf(e, w.op);
    f.value = 100 * w.share;
    f.unit = "%";
    f.origin = w.origin;
    f.gain = gainOf(w.share, 0);
    f.reason = fmt::format("tensor pipe {:.0f} %: its warps wait {:.0f} % of the time{}", pipe->value, f.value, op ? fmt::format(" at {}", op->name) : "");
    if (const LoopWork* loop = loopOf(e, w.op)) {
        f.edit = deeper(e, *loop);
        if (f.edit.isPossible()) {
            f.gain = f.edit.modelledGain;
            f.reason += fmt::format("; {} fits in shared memory, modelled gain {:.2f}×", f.edit.label, f.gain);
        }
    }
    return {f};
}

Findings shallowPipelines(const Evidence& e)
{
    Findings out;
    for (std::size_t i = 0; e.work && e.model && i < e.model->launches.size(); ++i) {
        const LaunchModel& m = e.model->launches[i];
        for (std::size_t k = 0; k < m.loops.size(); ++k) {
            const LoopModel& loop = m.loops[k];
            const LoopWork& work = e.work->launches[i].loops[k];
            if (loop.transferNs <= 0 || loop.trips < 2 || loop.hidesLatency())
                continue;
            const capture::Edit edit = deeper(e, work);
            const bool matters = m.bound == "latency";
            if (!edit.isPossible() && !(matters && loop.depth == 1))
                continue;
            Finding f = findingAt(e, loop.depth == 1 ? "no-pipelining" : "shallow-pipeline", work.where, 0);
            f.value = loop.latencyNs;
            f.unit = "ns";
            f.origin = capture::Origin::kModelled;
            f.reason = loop.depth == 1 ? fmt::format("each iteration waits for its own loads: {:.0f} ns of latency beside {:.0f} ns of work", loop.latencyNs, loop.computeNs)
                                       : fmt::format("loads run {} iteration{} ahead, which hides {:.0f} of {:.0f} ns of latency", loop.depth - 1,
                                                     loop.depth == 2 ? "" : "s", loop.computeNs * (loop.depth - 1), loop.latencyNs);
            if (edit.isPossible()) {
                f.gain = edit.modelledGain;
                f.reason += fmt::format("; {} fits in shared memory, modelled gain {:.2f}×", edit.label, f.gain);
            }
            f.edit = edit;
            out.push_back(std::move(f));
        }
    }
    return out;
}

Findings heavyMeetings(const Evidence& e)
{
    constexpr double kHeavy = 0.25, kStalled = 0.2;
    Findings out;
    for (const capture::Operation& op : e.capture.operations) {
        const auto barrier = std::find_if(op.stalls.begin(), op.stalls.end(), [](const auto& s) { return s.first.starts_with("barrier"); });
        if (barrier == op.stalls.end() || barrier->second * op.timeShare < kStalled || waitsForProducts(e, op, barrier->first))
            continue;
        Finding f = findingAt(e, "sync-heavy", op.where, op.id);
        f.value = 100 * barrier->second * op.timeShare;
        f.unit = "%";
        f.origin = op.origin;
        f.gain = gainOf(barrier->second * op.timeShare, 0.5);
        f.reason = fmt::format("{:.0f} % of all samples wait at a barrier of {}", f.value, op.name);
        out.push_back(std::move(f));
    }
    for (std::size_t i = 0; e.work && e.model && i < e.model->launches.size(); ++i)
        for (std::size_t k = 0; k < e.model->launches[i].loops.size(); ++k) {
            const LoopModel& loop = e.model->launches[i].loops[k];
            const double iteration = std::max({loop.computeNs, loop.transferNs, loop.depth > 1 ? loop.latencyNs / (loop.depth - 1) : loop.latencyNs});
            // Where blocks keep a unit busy, the meetings of one are hidden behind the others.
            if (e.model->launches[i].bound != "latency" || loop.trips < 2 || loop.transferNs <= 0 || loop.meetingNs < kHeavy * iteration)
                continue;
            Finding f = findingAt(e, "sync-heavy", e.work->launches[i].loops[k].where, 0);
            f.value = 100 * loop.meetingNs / iteration;
            f.unit = "%";
            f.origin = capture::Origin::kModelled;
            f.gain = gainOf(f.value / 100, 0.5);
            f.reason = fmt::format("the threads meet every {:.0f} ns, which is {:.0f} % of an iteration; a deeper tile (block_K) meets less often", iteration, f.value);
            out.push_back(std::move(f));
        }
    return out;
}

}  // namespace tw::profile_analysis
