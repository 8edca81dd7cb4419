// Rules about accesses to memory and branches, from what the simulator counted.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "profiler/analysis/findings.h"
#include "profiler/analysis/record.h"

namespace tw::profile_analysis {
namespace {

using capture::Finding;

// Sites of one operation, buffer and direction together.
std::vector<sim::SiteCost> byOperation(const Evidence& e)
{
    std::vector<sim::SiteCost> out;
    if (!e.simulated)
        return out;
    for (const sim::SiteCost& s : e.simulated->sites) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const sim::SiteCost& o) {
            return o.op == s.op && o.buffer == s.buffer && o.shared == s.shared && o.writes == s.writes && (s.op != 0 || o.where == s.where);
        });
        if (same == out.end()) {
            out.push_back(s);
            continue;
        }
        same->requests += s.requests;
        same->bytes += s.bytes;
        same->wavefronts += s.wavefronts;
        same->idealWavefronts += s.idealWavefronts;
        same->sectors += s.sectors;
        same->idealSectors += s.idealSectors;
        same->ways = std::max(same->ways, s.ways);
    }
    return out;
}

Finding at(const Evidence& e, const char* code, const sim::SiteCost& s)
{
    Finding f = findingAt(e, code, s.where, s.op);
    f.origin = capture::Origin::kSimulated;
    return f;
}

double timeShare(const Evidence& e, const sim::SiteCost& s)
{
    const capture::Operation* op = operationOf(e, s.op);
    return op ? op->timeShare : 0;
}

// One operation with `rest` of the bytes that it moves at a level.
std::function<void(OperationWork&)> scaled(std::uint32_t op, Bytes OperationWork::* level, double rest)
{
    return [=](OperationWork& o) {
        if (o.op != op)
            return;
        (o.*level).read *= rest;
        (o.*level).written *= rest;
    };
}

std::string nameOf(const Evidence& e, const sim::SiteCost& s)
{
    const capture::Operation* op = operationOf(e, s.op);
    return op ? op->name : s.buffer;
}

}  // namespace

Findings bankConflicts(const Evidence& e)
{
    constexpr double kWorth = 1.1;
    Findings out;
    for (const sim::SiteCost& s : byOperation(e)) {
        const double ratio = s.idealWavefronts > 0 ? static_cast<double>(s.wavefronts) / static_cast<double>(s.idealWavefronts) : 1;
        if (!s.shared || ratio < kWorth)
            continue;
        Finding f = at(e, "bank-conflicts", s);
        f.value = static_cast<double>(s.wavefronts - s.idealWavefronts);
        f.unit = "count";
        f.gain = gainOfWork(e, scaled(s.op, &OperationWork::shared, 1 / ratio), gainOf(timeShare(e, s), 1 / ratio));
        f.reason = fmt::format("{} {} {} in {:.1f} times the passes over the banks that it needs ({} more, up to {} lanes on one bank)", nameOf(e, s),
                               s.writes ? "writes" : "reads", s.buffer, ratio, s.wavefronts - s.idealWavefronts, s.ways);
        out.push_back(std::move(f));
    }
    return out;
}

Findings countedConflicts(const Evidence& e)
{
    constexpr double kWorth = 0.1, kPassBytes = 128;
    Findings out;
    for (std::size_t i = 0; i < e.capture.launches.size(); ++i) {
        const auto launch = static_cast<int>(i);
        const capture::Metric* counted = findMetric(e.capture, capture::metric::kSharedConflicts, launch);
        const capture::Metric *read = findMetric(e.capture, capture::metric::kSharedRead, launch), *written = findMetric(e.capture, capture::metric::kSharedWrite, launch);
        const double passes = ((read ? read->value : 0) + (written ? written->value : 0)) / kPassBytes;
        if (!counted || counted->origin != capture::Origin::kMeasured || passes <= 0 || counted->value < kWorth * passes)
            continue;
        // Who waits for shared memory most stands for it.
        const capture::Operation* worst = nullptr;
        double most = 0, all = 0;
        for (const capture::Operation& op : e.capture.operations)
            for (const auto& [reason, share] : op.stalls) {
                if (!reason.starts_with("short_scoreboard") && !reason.starts_with("mio_throttle"))
                    continue;
                all += share * op.timeShare;
                if (share * op.timeShare > most) {
                    most = share * op.timeShare;
                    worst = &op;
                }
            }
        const SourceRange place = e.work && i < e.work->launches.size() ? e.work->launches[i].where : SourceRange{};
        Finding f = findingAt(e, "bank-conflicts", worst ? worst->where : place, worst ? worst->id : 0);
        f.value = counted->value;
        f.unit = "count";
        f.origin = counted->origin;
        f.gain = gainOf(all, passes / (passes + counted->value));
        f.reason = fmt::format("{:.3g} extra passes over shared memory beside the {:.3g} that its bytes need{}; --device sim says which access they belong to",
                               counted->value, passes, worst ? fmt::format(", most waited for in {}", worst->name) : "");
        out.push_back(std::move(f));
    }
    return out;
}

Findings uncoalescedAccess(const Evidence& e)
{
    constexpr double kGood = 0.75;
    Findings out;
    for (const sim::SiteCost& s : byOperation(e)) {
        if (s.shared || s.efficiency() >= kGood)
            continue;
        Finding f = at(e, "uncoalesced", s);
        f.value = 100 * s.efficiency();
        f.unit = "%";
        f.gain = gainOfWork(e, scaled(s.op, &OperationWork::global, s.efficiency()), gainOf(timeShare(e, s), s.efficiency()));
        f.reason = fmt::format("{} {} {} with {:.0f} % of each 32-byte sector in use; neighbouring lanes should take neighbouring elements", nameOf(e, s),
                               s.writes ? "writes" : "reads", s.buffer, f.value);
        out.push_back(std::move(f));
    }
    return out;
}

Findings narrowAccess(const Evidence& e)
{
    constexpr double kNarrow = 4, kShare = 0.05, kMostBytes = 16;
    constexpr std::int64_t kFew = 10;
    Findings out;
    const std::vector<sim::SiteCost> sites = byOperation(e);
    for (const sim::SiteCost& s : sites) {
        std::int64_t all = 0;  // an index or a bound beside the operation's own data is no matter
        for (const sim::SiteCost& other : sites)
            all += other.op == s.op && !other.shared ? other.bytes : 0;
        if (s.shared || s.requests == 0 || s.bytes * kFew < all || s.efficiency() < 0.75 || timeShare(e, s) < kShare)
            continue;
        const double each = static_cast<double>(s.bytes) / static_cast<double>(s.requests) / e.target.warpSize;
        if (each > kNarrow)
            continue;
        Finding f = at(e, "narrow-access", s);
        f.value = each;
        f.unit = "bytes";
        f.reason = fmt::format("{} {} {} {:.1f} bytes a lane at a time where {:.0f} fit one instruction; is the row aligned to 16 bytes, and does each "
                               "thread own neighbouring elements?", nameOf(e, s), s.writes ? "writes" : "reads", s.buffer, each, kMostBytes);
        out.push_back(std::move(f));
    }
    return out;
}

Findings divergence(const Evidence& e)
{
    constexpr double kWorth = 0.1;
    constexpr std::int64_t kSeldom = 32;
    Findings out;
    if (!e.simulated)
        return out;
    std::map<int, sim::BranchCost> lines;  // one of a line's branches stands for all
    for (const sim::BranchCost& b : e.simulated->branches) {
        sim::BranchCost& line = lines.try_emplace(lineOf(e.capture.files, b.where), sim::BranchCost{b.where}).first->second;
        line.warps += b.warps;
        line.divergent += b.divergent;
    }
    for (const auto& [line, b] : lines) {
        const double share = b.warps > 0 ? static_cast<double>(b.divergent) / static_cast<double>(b.warps) : 0;
        if (share < kWorth || b.divergent < kSeldom)
            continue;
        Finding f = findingAt(e, "divergence", b.where, 0);
        f.value = 100 * share;
        f.unit = "%";
        f.origin = capture::Origin::kSimulated;
        f.reason = fmt::format("lanes of a warp disagree in {:.0f} % of {} branches here, so that both sides run one after the other", f.value, b.warps);
        out.push_back(std::move(f));
    }
    return out;
}

}  // namespace tw::profile_analysis
