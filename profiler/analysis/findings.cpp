#include "profiler/analysis/findings.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "profiler/analysis/record.h"

namespace tw::profile_analysis {
namespace {

namespace metric = capture::metric;
using capture::Finding;

constexpr std::array kRules = {consumerWaits, shallowPipelines, heavyMeetings, bankConflicts, countedConflicts, uncoalescedAccess, narrowAccess, divergence,
                               lowOccupancy,  tailWave,         smallGrid,     spills,        bandwidthBound,   extraTraffic,      stalledOperations};

SourceRange placeOfLaunch(const Evidence& e, std::size_t launch)
{
    return e.work && launch < e.work->launches.size() ? e.work->launches[launch].where : SourceRange{};
}

double percent(const Evidence& e, const char* name, std::size_t launch)
{
    const capture::Metric* m = findMetric(e.capture, name, static_cast<int>(launch));
    if (!m && e.capture.launches.size() == 1)
        m = findMetric(e.capture, name, -1);
    return m ? m->value : 0;
}

}  // namespace

const capture::Operation* operationOf(const Evidence& e, std::uint32_t id)
{
    for (const capture::Operation& op : e.capture.operations)
        if (id != 0 && op.id == id)
            return &op;
    return nullptr;
}

Finding findingAt(const Evidence& e, const char* code, const SourceRange& where, std::uint32_t op)
{
    Finding f;
    f.code = code;
    f.where = where;
    f.op = op;
    if (const capture::Operation* known = operationOf(e, op); known && !where.isKnown())
        f.where = known->where;
    f.line = lineOf(e.capture.files, f.where);
    return f;
}

double gainOf(double share, double rest)
{
    const double left = 1 - std::clamp(share, 0.0, 1.0) * (1 - std::clamp(rest, 0.0, 1.0));
    return 1 / std::max(0.01, left);
}

double gainOfWork(const Evidence& e, const std::function<void(OperationWork&)>& change, double otherwise)
{
    if (!e.work || !e.model || !e.facts || e.facts->size() != e.work->launches.size())
        return otherwise;
    Work changed = *e.work;
    for (LaunchWork& l : changed.launches)
        for (OperationWork& op : l.operations)
            change(op);
    const auto model = modelOf(changed, *e.facts, e.target);
    return model && model->us() > 0 ? std::max(1.0, e.model->us() / model->us()) : otherwise;
}

Findings findingsOf(const Evidence& evidence)
{
    Findings all;
    for (const auto rule : kRules)
        for (Finding& f : rule(evidence))
            all.push_back(std::move(f));
    std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.gain > b.gain; });
    return all;
}

Findings lowOccupancy(const Evidence& e)
{
    constexpr double kLow = 0.25, kBusy = 60;
    Findings out;
    for (std::size_t i = 0; i < e.capture.launches.size(); ++i) {
        if (e.model && i < e.model->launches.size() && e.model->launches[i].waves < 1)
            continue;  // it is the grid that lacks blocks
        const capture::Launch& l = e.capture.launches[i];
        const double busiest = std::max({percent(e, metric::kTensorPipe, i), percent(e, metric::kDramBandwidth, i), percent(e, metric::kIssueSlots, i)});
        if (l.blocksPerSm == 0 || l.occupancy >= kLow || busiest >= kBusy)
            continue;
        Finding f = findingAt(e, "low-occupancy", placeOfLaunch(e, i), 0);
        f.value = 100 * l.occupancy;
        f.unit = "%";
        f.origin = capture::Origin::kModelled;
        f.reason = fmt::format("{:.0f} % of a multiprocessor's warps are resident ({} block{}), limited by {}, and no unit is busier than {:.0f} %: "
                               "too few warps to hide latency", f.value, l.blocksPerSm, l.blocksPerSm == 1 ? "" : "s", l.limiter, busiest);
        out.push_back(std::move(f));
    }
    return out;
}

Findings tailWave(const Evidence& e)
{
    constexpr double kWorth = 0.15, kMany = 12;
    Findings out;
    if (!e.model)
        return out;
    for (std::size_t i = 0; i < e.model->launches.size(); ++i) {
        const LaunchModel& m = e.model->launches[i];
        if (m.waves <= 1 || m.waves > kMany || m.tailShare < kWorth || m.bound == "DRAM")
            continue;
        Finding f = findingAt(e, "tail-wave", placeOfLaunch(e, i), 0);
        f.value = 100 * m.tailShare;
        f.unit = "%";
        f.origin = capture::Origin::kModelled;
        f.gain = 1 / (1 - m.tailShare);
        f.reason = fmt::format("the grid fills the GPU {:.2f} times: {:.0f} % of the places for blocks stay empty in the last wave", m.waves, f.value);
        out.push_back(std::move(f));
    }
    return out;
}

Findings smallGrid(const Evidence& e)
{
    Findings out;
    for (std::size_t i = 0; e.work && i < e.work->launches.size(); ++i) {
        const std::int64_t blocks = e.work->launches[i].blocks, room = e.target.multiprocessors;
        if (!e.target.isCuda() || blocks <= 0 || blocks >= room)
            continue;
        Finding f = findingAt(e, "small-grid", placeOfLaunch(e, i), 0);
        f.value = static_cast<double>(blocks);
        f.unit = "blocks";
        f.origin = capture::Origin::kModelled;
        const double us = e.model ? e.model->launches[i].us : 0, work = us > 0 ? (us - kStartUs) / us : 0;
        f.gain = gainOf(work, f.value / static_cast<double>(room));
        f.reason = fmt::format("{} block{} for {} multiprocessors: {} of them have nothing to do", blocks, blocks == 1 ? "" : "s", room, room - blocks);
        out.push_back(std::move(f));
    }
    return out;
}

Findings spills(const Evidence& e)
{
    Findings out;
    for (std::size_t i = 0; i < e.capture.launches.size(); ++i) {
        const capture::Launch& l = e.capture.launches[i];
        if (l.spillBytes <= 0)
            continue;
        Finding f = findingAt(e, "spills", placeOfLaunch(e, i), 0);
        f.value = static_cast<double>(l.spillBytes);
        f.unit = "bytes";
        f.origin = capture::Origin::kModelled;
        f.reason = fmt::format("{} bytes a thread go to memory and back because {} registers do not suffice; smaller tiles or more threads need fewer",
                               l.spillBytes, l.registers);
        out.push_back(std::move(f));
    }
    return out;
}

Findings bandwidthBound(const Evidence& e)
{
    constexpr double kBound = 0.85;
    Findings out;
    const target::Rates* rates = target::ratesOf(e.target);
    for (std::size_t i = 0; rates && i < e.capture.launches.size(); ++i) {
        const double pct = percent(e, metric::kDramBandwidth, i), reach = 100 * rates->dramShare;
        if (pct < kBound * reach)
            continue;
        Finding f = findingAt(e, "bandwidth-bound", placeOfLaunch(e, i), 0);
        f.value = pct;
        f.unit = "%";
        const capture::Metric* m = findMetric(e.capture, metric::kDramBandwidth, static_cast<int>(i));
        f.origin = m ? m->origin : capture::Origin::kMeasured;
        f.reason = fmt::format("DRAM works at {:.0f} % of its peak, of which a long copy reaches {:.0f} %: only moving fewer bytes makes this faster", pct, reach);
        out.push_back(std::move(f));
    }
    return out;
}

Findings extraTraffic(const Evidence& e)
{
    constexpr double kWorth = 1.3, kBusy = 40;
    const capture::Metric* least = findMetric(e.capture, metric::kMinBytes);
    double moved = 0;
    capture::Origin origin{};
    for (const capture::Metric& m : e.capture.metrics)
        if ((m.name == metric::kDramRead || m.name == metric::kDramWrite) && (moved == 0 || m.origin == origin)) {
            origin = m.origin;
            moved += m.value;
        }
    if (!least || least->value <= 0 || moved < kWorth * least->value)
        return {};
    double dramPct = 0;
    for (std::size_t i = 0; i < e.capture.launches.size(); ++i)
        dramPct = std::max(dramPct, percent(e, metric::kDramBandwidth, i));
    if (dramPct < kBusy)
        return {};
    Finding f = findingAt(e, "extra-traffic", placeOfLaunch(e, 0), 0);
    f.value = moved / least->value;
    f.unit = "times";
    f.origin = origin;
    f.gain = gainOf(dramPct / 100, least->value / moved);
    f.reason = fmt::format("DRAM moves {:.1f} times what the call's tensors hold; what a block reads again should stay on chip, blocks that share data "
                           "should run side by side (T.use_swizzle), or tiles be larger", f.value);
    return {f};
}

bool waitsForProducts(const Evidence& e, const capture::Operation& op, const std::string& reason)
{
    if (!e.facts || !(reason.starts_with("barrier") || reason.starts_with("warpgroup_arrive") || reason.starts_with("gmma")))
        return false;
    return std::ranges::any_of(*e.facts, [&](const LaunchFacts& f) {
        const auto unit = f.products.find(op.id);
        return unit != f.products.end() && unit->second == ProductUnit::kWgmma;
    });
}

namespace {

// What a warp that the sampler found with `reason` waits for. CUPTI's documentation of the stall reasons.
std::string waitText(const Evidence& e, const capture::Operation& op, const std::string& reason)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTexts = {{
        {"long_scoreboard", "memory beyond the multiprocessor"},
        {"short_scoreboard", "shared memory or special functions"},
        {"barrier", "the other warps at a barrier"},
        {"membar", "a memory fence"},
        {"wait", "the fixed latency of their last instruction"},
        {"dispatch_stall", "the dispatcher"},
        {"math_pipe_throttle", "a pipe of arithmetic that is taken"},
        {"mio_throttle", "room in the queue to shared memory and special functions"},
        {"lg_throttle", "room in the queue of global loads and stores"},
        {"branch_resolving", "a branch"},
        {"no_instructions", "their next instructions to be fetched"},
    }};
    if (waitsForProducts(e, op, reason))
        return fmt::format("its products ({})", reason);
    const auto text = std::ranges::find_if(kTexts, [&](const auto& t) { return reason.starts_with(t.first); });
    return text == kTexts.end() ? reason : fmt::format("{} ({})", text->second, reason);
}

}  // namespace

// Warps that were ready and not chosen wait for nothing; and that a wait for a barrier waits is its work: consumerWaits says whose matter.
Findings stalledOperations(const Evidence& e)
{
    constexpr double kShare = 0.1, kStalled = 0.3;
    Findings out;
    for (const capture::Operation& op : e.capture.operations) {
        const std::string* worst = nullptr;
        double most = kStalled;
        for (const auto& [reason, share] : op.stalls)
            if (share >= most && !reason.starts_with("not_selected") && !reason.starts_with("selected")) {
                most = share;
                worst = &reason;
            }
        if (op.samples <= 0 || op.timeShare < kShare || !worst || op.name.starts_with("barrier_wait"))
            continue;
        Finding f = findingAt(e, "stalled", op.where, op.id);
        f.value = 100 * most;
        f.unit = "%";
        f.origin = op.origin;
        f.reason = fmt::format("{:.0f} % of the samples are in {}, and {:.0f} % of those wait for {}", 100 * op.timeShare, op.name, f.value, waitText(e, op, *worst));
        out.push_back(std::move(f));
    }
    return out;
}

}  // namespace tw::profile_analysis
