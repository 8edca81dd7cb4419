#include "profiler/analysis/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/support/check.h"

namespace tw::profile_analysis {
namespace {

constexpr double kMeetingClocks = 40;  // of an iteration in which the threads of a block meet

enum Unit { kTensor, kSpecial, kFma, kIssue, kShared, kL2, kUnits };
constexpr std::array<const char*, kUnits> kUnitNames = {"tensor", "special functions", "FP32", "issue", "shared memory", "L2"};

using Clocks = std::array<double, kUnits>;

double longest(const Clocks& c) { return *std::max_element(c.begin(), c.end()); }
int slowest(const Clocks& c) { return static_cast<int>(std::max_element(c.begin(), c.end()) - c.begin()); }

double tensorPerClock(const target::Rates& r, ir::DType type)
{
    using F = ir::Family;
    if (type.family() == F::kFloat8)
        return r.tensorF8;
    if ((type.isInteger() && type.bits() <= 8))
        return r.tensorI8;
    if (type.family() == F::kTFloat || (type.family() == F::kFloat && type.bits() == 32))
        return r.tensorTf32;
    return type.bits() == 16 ? r.tensorF16 : 0;
}

class LaunchEstimate {
public:
    LaunchEstimate(const LaunchWork& work, const LaunchFacts& facts, const target::Target& target, const target::Rates& rates)
        : work_(work), facts_(facts), target_(target), rates_(rates), blocks_(std::max<double>(1, static_cast<double>(work.blocks)))
    {
    }

    LaunchModel run()
    {
        model_.registersKnown = facts_.registers > 0;
        model_.occupancy = target::occupancyOf(target_, {work_.threads, facts_.registers, facts_.sharedBytes});
        const double slots = static_cast<double>(std::max(1, model_.occupancy.blocks)) * target_.multiprocessors;
        model_.waves = blocks_ / slots;
        model_.tailShare = 1 - model_.waves / std::ceil(model_.waves);
        chargeMemory(slots);
        for (const OperationWork& op : work_.operations)
            clocks_.push_back(clocksOf(op));
        chain();
        finish(slots);
        return std::move(model_);
    }

private:
    // Bytes of DRAM, see the header.
    void chargeMemory(double slots)
    {
        double once = 0, perWave = 0;
        for (const OperationWork& op : work_.operations) {
            model_.l2.read += op.global.read;
            model_.l2.written += op.global.written;
            model_.shared.read += op.shared.read;
            model_.shared.written += op.shared.written;
            const double eachBlock = op.global.read / blocks_;
            once += eachBlock * distinct(op.blockAxes, blocks_);
            perWave += eachBlock * distinct(op.blockAxes, std::min(blocks_, slots));
        }
        const bool fits = once <= static_cast<double>(rates_.l2Bytes) / 2;
        model_.dram.read = fits ? once : std::clamp(perWave * std::ceil(model_.waves), once, std::max(once, model_.l2.read));
        model_.dram.written = model_.l2.written;
        const double missed = model_.l2.read > 0 ? model_.dram.read / model_.l2.read : 1;
        latency_ = (rates_.l2Ns + (rates_.dramNs - rates_.l2Ns) * missed) * clocksPerNs();
    }

    // How many of `count` neighbouring blocks (x fastest) differ in the axes of `mask`.
    double distinct(unsigned mask, double count) const
    {
        double n = 1, left = count;
        for (std::size_t i = 0; i < work_.grid.size(); ++i) {
            const auto extent = static_cast<double>(work_.grid[i]);
            if (mask & (1U << i))
                n *= std::clamp(left, 1.0, extent);
            left /= std::max(1.0, extent);
        }
        return std::min(n, count);
    }

    double clocksPerNs() const { return rates_.clockMHz / 1000; }

    // Of one execution by one block with the multiprocessor to itself.
    Clocks clocksOf(const OperationWork& op) const
    {
        Clocks c{};
        const double each = op.executions > 0 ? 1 / op.executions : 0;
        const auto found = facts_.products.find(op.op);
        const ProductUnit unit = found == facts_.products.end() ? ProductUnit::kFma : found->second;
        double rate = tensorPerClock(rates_, op.tensorType) * rates_.tensorShare;
        if (unit == ProductUnit::kMma)
            rate *= rates_.mmaShare;
        const bool onTensor = unit != ProductUnit::kFma && rate > 0;
        c[kTensor] = onTensor ? op.tensorFlops * each / rate : 0;
        c[kFma] = (op.flops + (onTensor ? 0 : op.tensorFlops / 2)) * each / rates_.fmaPerClock;
        c[kSpecial] = op.special * each / rates_.specialPerClock;
        const double wide = (op.global.both() + op.shared.both()) / 16;  // instructions of 16 bytes a thread
        c[kIssue] = (op.elements + (op.isLoad ? op.global.read / 16 : wide)) * each / target_.warpSize / rates_.schedulers;
        c[kShared] = op.shared.both() * each / rates_.sharedBytesPerClock;
        c[kL2] = op.global.both() * each / rates_.l2BytesPerClock;
        return c;
    }

    // One block alone, and what each operation adds to it.
    void chain()
    {
        alone_.assign(work_.operations.size(), 0);
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            const double each = op.executions / blocks_;
            const bool waits = op.global.read > 0 && !(op.isLoad && op.loop >= 0);
            if (!(op.isLoad && op.loop >= 0))
                alone_[i] = each * (longest(clocks_[i]) + (waits ? latency_ : 0));
        }
        for (std::size_t l = 0; l < work_.loops.size(); ++l)
            pipeline(static_cast<int>(l));
        for (const double a : alone_)
            block_ += a;
    }

    void pipeline(int loop)
    {
        const LoopWork& w = work_.loops[static_cast<std::size_t>(loop)];
        const double trips = w.trips / blocks_, entries = w.entries / blocks_;
        if (trips <= 0)
            return;
        LoopModel m;
        m.trips = w.tripsEach();
        m.depth = static_cast<std::size_t>(loop) < facts_.depths.size() ? std::max(1, facts_.depths[static_cast<std::size_t>(loop)]) : 1;
        double compute = kMeetingClocks, transfer = 0;
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            if (op.loop != loop)
                continue;
            if (op.isLoad)
                transfer += op.executions / w.trips * longest(clocks_[i]);
            else
                compute += alone_[i] / trips;
        }
        const double latency = transfer > 0 ? latency_ : 0;
        const double waited = m.depth == 1 ? transfer + latency : std::max({compute, transfer, latency / (m.depth - 1)}) - compute;
        // A pipeline fills once; after that every further iteration waits.
        const double exposed = m.depth == 1 ? waited * trips : waited * std::max(0.0, trips - entries) + (transfer + latency) * entries;
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            if (op.loop == loop && op.isLoad && transfer > 0)
                alone_[i] += exposed * (op.executions / w.trips * longest(clocks_[i])) / transfer;
        }
        block_ += kMeetingClocks * trips;
        m.computeNs = compute / clocksPerNs();
        m.meetingNs = kMeetingClocks / clocksPerNs();
        m.transferNs = transfer / clocksPerNs();
        m.latencyNs = latency / clocksPerNs();
        model_.loops.resize(std::max(model_.loops.size(), static_cast<std::size_t>(loop) + 1));
        model_.loops[static_cast<std::size_t>(loop)] = m;
    }

    void finish(double slots)
    {
        Clocks total{};
        for (std::size_t i = 0; i < clocks_.size(); ++i)
            for (int u = 0; u < kUnits; ++u)
                total[static_cast<std::size_t>(u)] += clocks_[i][static_cast<std::size_t>(u)] * work_.operations[i].executions / blocks_;
        const double busiest = longest(total);
        const auto wave = [&](double blocks) { return std::max(block_, busiest * std::ceil(blocks / target_.multiprocessors)); };
        const double full = std::floor(blocks_ / slots), rest = blocks_ - full * slots;
        const double clocks = full * wave(slots) + (rest > 0 ? wave(rest) : 0);
        const double computeUs = clocks / rates_.clockMHz;
        const double dramUs = model_.dram.both() / (rates_.dramBytesPerSecond * rates_.dramShare) * 1e6;
        model_.us = std::max(computeUs, dramUs) + kStartUs;
        const bool byUnit = busiest * std::ceil(std::min(blocks_, slots) / target_.multiprocessors) >= block_;
        model_.bound = dramUs >= computeUs ? "DRAM" : byUnit ? kUnitNames[static_cast<std::size_t>(slowest(total))] : "latency";
        const double room = model_.us * rates_.clockMHz * target_.multiprocessors;
        model_.tensorPct = 100 * total[kTensor] * blocks_ / room;
        model_.l2Pct = 100 * total[kL2] * blocks_ / room;
        model_.issuePct = 100 * total[kIssue] * blocks_ / room;
        model_.dramPct = 100 * model_.dram.both() / (rates_.dramBytesPerSecond * model_.us * 1e-6);
        model_.loops.resize(work_.loops.size());
        share(dramUs >= computeUs, byUnit);
    }

    // Bytes decide where DRAM limits the launch; where blocks keep a unit busy, what each operation needs of its own slowest unit;
    // otherwise what it adds to a block alone.
    void share(bool byDram, bool byUnit)
    {
        std::vector<double> weights;
        double sum = 0;
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            const double w = byDram ? op.global.both() : byUnit ? longest(clocks_[i]) * op.executions : alone_[i];
            weights.push_back(w);
            sum += w;
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            OperationModel m;
            m.share = sum > 0 ? weights[i] / sum : 0;
            m.us = m.share * model_.us;
            const bool isExposed = alone_[i] * blocks_ > 1.5 * longest(clocks_[i]) * work_.operations[i].executions;
            m.unit = isExposed ? "latency" : kUnitNames[static_cast<std::size_t>(slowest(clocks_[i]))];
            model_.operations.push_back(m);
        }
    }

    const LaunchWork& work_;
    const LaunchFacts& facts_;
    const target::Target& target_;
    const target::Rates& rates_;
    double blocks_ = 1;
    double latency_ = 0;          // clocks of a read from global memory
    std::vector<Clocks> clocks_;  // of one execution of each operation
    std::vector<double> alone_;   // clocks that each operation adds to one block
    double block_ = 0;            // clocks of one block alone
    LaunchModel model_;
};

}  // namespace

double Model::us() const
{
    double sum = 0;
    for (const LaunchModel& l : launches)
        sum += l.us;
    return sum;
}

double tensorPerSecond(const target::Target& target, const target::Rates& rates, ir::DType type)
{
    return tensorPerClock(rates, type) * rates.tensorShare * rates.clockMHz * 1e6 * target.multiprocessors;
}

std::optional<Model> modelOf(const Work& work, const std::vector<LaunchFacts>& facts, const target::Target& target)
{
    const target::Rates* rates = target::ratesOf(target);
    if (!rates)
        return std::nullopt;
    TW_CHECK(facts.size() == work.launches.size(), "one set of facts a launch");
    Model model;
    for (std::size_t i = 0; i < work.launches.size(); ++i)
        model.launches.push_back(LaunchEstimate(work.launches[i], facts[i], target, *rates).run());
    return model;
}

}  // namespace tw::profile_analysis
