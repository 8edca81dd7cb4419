#include "profiler/analysis/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/support/check.h"
#include "core/target/pipes.h"

namespace tw::profile_analysis {
namespace {

constexpr double kMeetingClocks = 60;       // of an iteration in which the threads of a block meet: the barrier and the loop around it
constexpr double kClocksBetween = 2.2;      // from one instruction of a warp to its next, where no other warp is there to issue
constexpr double kElementInstructions = 1.6;  // of an element-wise step: addresses, conversions, predicates along with it
constexpr double kSpecialInstructions = 3;    // around a special function: scaling, ranges, Newton's step of a division
constexpr double kReduceClocks = 250;       // shuffles and a meeting in shared memory
constexpr double kProductInstructions = 20; // of a warp around a group of wgmma: descriptors, fences, waits
constexpr double kRoundInstructions = 8;    // of a float32 fragment's element on its way to tf32
constexpr double kScalarFragments = 3;      // times the instructions and passes of ldmatrix, where words are loaded one by one
constexpr double kBlockClocks = 150;        // of a multiprocessor to begin and end a block; measured on an H200: kernels of very short blocks run 12 a microsecond
constexpr double kBytesAhead = 64;          // that a thread's loop of loads has in flight: four of 16 bytes
constexpr double kRegistersOfProducts = 224;  // of a thread that accumulators may take before they spill
constexpr double kOverlap = 4;              // see the header, 4.

enum Unit { kTensor, kSpecial, kFma, kIssue, kShared, kL2, kBlock, kUnits };
constexpr std::array<const char*, kUnits> kUnitNames = {"tensor", "special functions", "FP32", "issue", "shared memory", "L2", "block starts"};

using Clocks = std::array<double, kUnits>;

double longest(const Clocks& c) { return *std::max_element(c.begin(), c.end()); }
int slowest(const Clocks& c) { return static_cast<int>(std::max_element(c.begin(), c.end()) - c.begin()); }

// Two things that go on beside each other take a little longer than the longer one.
double together(double a, double b) { return std::pow(std::pow(a, kOverlap) + std::pow(b, kOverlap), 1 / kOverlap); }

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

struct Hardware {
    const target::Target& target;
    const target::Rates& rates;
    const target::Pipes& pipes;
};

class LaunchEstimate {
public:
    LaunchEstimate(const LaunchWork& work, const LaunchFacts& facts, Hardware hardware, double leastBytes)
        : work_(work), facts_(facts), target_(hardware.target), rates_(hardware.rates), pipes_(hardware.pipes), leastBytes_(leastBytes),
          blocks_(std::max<double>(1, static_cast<double>(work.blocks))), warps_(std::max(1.0, static_cast<double>(work.threads) / target_.warpSize))
    {
        const bool multiplies = std::ranges::any_of(work.operations, [&](const OperationWork& op) { return isOnTensorCores(op); });
        clockMHz_ = multiplies ? std::min(pipes_.productMHz, rates_.clockMHz) : rates_.clockMHz;
    }

    LaunchModel run()
    {
        model_.occupancy = target::occupancyOf(target_, {work_.threads, facts_.registers, facts_.sharedBytes});
        const double slots = static_cast<double>(resident()) * target_.multiprocessors;
        model_.waves = blocks_ / slots;
        model_.tailShare = 1 - model_.waves / std::ceil(model_.waves);
        chargeMemory(slots);
        for (const OperationWork& op : work_.operations)
            costs_.push_back(costOf(op));
        chain();
        finish(slots);
        return std::move(model_);
    }

private:
    // Of one execution by one block with the multiprocessor to itself.
    struct Cost {
        Clocks units{};
        double alone = 0;  // clocks until it is done, without the latency of global memory
        double issue = 0;  // of these, what its warps spend issuing
    };

    [[nodiscard]] int resident() const { return std::max(1, model_.occupancy.blocks); }

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
        if (leastBytes_ > 0 && once > leastBytes_) {  // a block that reads an element again finds it in a cache
            perWave *= leastBytes_ / once;
            once = leastBytes_;
        }
        const bool fits = once <= static_cast<double>(rates_.l2Bytes) / 2;
        model_.dram.read = fits ? once : std::clamp(perWave * std::ceil(model_.waves), once, std::max(once, model_.l2.read));
        model_.dram.written = model_.l2.written;
        const double missed = model_.l2.read > 0 ? std::min(1.0, model_.dram.read / model_.l2.read) : 1;
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

    double clocksPerNs() const { return clockMHz_ / 1000; }
    double l2BytesPerClock() const { return std::min(rates_.l2BytesPerClock, pipes_.l2Bytes / target_.multiprocessors); }
    ProductUnit unitOf(const OperationWork& op) const
    {
        const auto found = facts_.products.find(op.op);
        return found == facts_.products.end() ? ProductUnit::kFma : found->second;
    }
    bool isOnTensorCores(const OperationWork& op) const
    {
        return op.tensorFlops > 0 && unitOf(op) != ProductUnit::kFma && tensorPerClock(rates_, op.tensorType) > 0;
    }
    static bool isRounded(const OperationWork& op) { return op.tensorType.family() == ir::Family::kFloat && op.tensorType.bits() == 32; }
    // What `instructions` of all warps together take.
    double issuing(double instructions) const { return instructions / warps_ * std::max(warps_ / rates_.schedulers, kClocksBetween); }

    Cost costOf(const OperationWork& op) const
    {
        Cost c;
        const double each = op.executions > 0 ? 1 / op.executions : 0;
        const double accesses = (op.global.both() + op.shared.both()) * each / (16 * target_.warpSize);  // of 16 bytes a thread
        const double global = op.global.both() * each, shared = op.shared.both() * each;
        double instructions = 0;
        if (isOnTensorCores(op)) {
            product(op, each, c, instructions);
        } else if (op.isLoad) {
            instructions = op.global.read * each / (16 * target_.warpSize) * (1 + pipes_.copyInstructions);
            c.units[kShared] = 2 * op.global.read * each / rates_.sharedBytesPerClock;  // through the first-level cache, and into shared memory
        } else {
            c.units[kFma] = (op.flops + op.tensorFlops) / 2 * each / rates_.fmaPerClock;
            c.units[kSpecial] = op.special * each / rates_.specialPerClock;
            c.units[kShared] = (shared + global) / rates_.sharedBytesPerClock;
            instructions = (kElementInstructions * op.elements + kSpecialInstructions * op.special + op.tensorFlops / 2) * each / target_.warpSize +
                           accesses * (1 + pipes_.copyInstructions);
        }
        c.units[kL2] += global / l2BytesPerClock();
        c.units[kIssue] = instructions / rates_.schedulers;
        c.issue = issuing(instructions);
        const bool isHidden = isOnTensorCores(op) && unitOf(op) == ProductUnit::kMma && !isRounded(op);  // behind the products
        c.alone += std::max(isHidden ? 0 : c.issue, longest(c.units)) + (op.kind == ir::OpClass::kReduce ? kReduceClocks : 0);
        return c;
    }

    // Products of a tile: `alone` is what they wait for results.
    void product(const OperationWork& op, double each, Cost& c, double& instructions) const
    {
        const double bytes = std::max(1.0, op.tensorType.bits() / 8.0), flops = op.tensorFlops * each, read = op.shared.read * each;
        // A tile whose operands are square, of `side` rows and `depth` steps: what its flops and bytes leave open.
        const double side = read > 0 ? flops * bytes / read : 1, depth = read > 0 ? read / bytes / 2 / side : 1;
        const bool spills = op.accumulatorBytes > 4 * kRegistersOfProducts * static_cast<double>(work_.threads);
        c.units[kL2] = spills ? 2 * op.accumulatorBytes / l2BytesPerClock() : 0;
        const double rate = tensorPerClock(rates_, op.tensorType);
        if (unitOf(op) == ProductUnit::kWgmma) {
            c.units[kTensor] = flops / rate;
            c.units[kShared] = read / 2 * (1 + side / 64) / rates_.sharedBytesPerClock;  // every 64 rows read all of B
            c.alone = pipes_.wgmma;
            instructions = kProductInstructions * warps_;
            return;
        }
        const double step = 256.0 / op.tensorType.bits();  // of m16n8: 16 for 16 bits
        const double scalar = facts_.wordLoads.contains(op.op) ? kScalarFragments : 1;
        const double loaded = read * std::sqrt(warps_) * scalar;  // warps side by side read the same rows
        c.units[kTensor] = flops / (rate * rates_.mmaShare);
        c.units[kShared] = loaded / rates_.sharedBytesPerClock;
        c.alone = pipes_.shared + depth / step * pipes_.mma + c.units[kTensor] * (std::max(1.0, rates_.schedulers / warps_) - 1);
        instructions = flops / (2 * 16 * 8 * step) + 3 * loaded / 512;
        if (isRounded(op))
            instructions += kRoundInstructions * loaded / bytes / target_.warpSize;
    }

    // One block alone, and what each operation adds to it.
    void chain()
    {
        alone_.assign(work_.operations.size(), 0);
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            if (op.isLoad && op.loop >= 0)
                continue;
            const double each = op.executions / blocks_;
            alone_[i] = each * costs_[i].alone;
            if (op.global.read <= 0)
                continue;
            // A loop of loads has some of them in flight; a tile is asked for at once.
            const double rounds = op.global.read / blocks_ / (static_cast<double>(work_.threads) * kBytesAhead);
            alone_[i] += latency_ * (op.isLoad ? each : std::min(each, std::max(1.0, rounds)));
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
        double meeting = kMeetingClocks, compute = 0, transfer = 0, issue = 0;
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            if (op.loop != loop)
                continue;
            if (isOnTensorCores(op) && unitOf(op) == ProductUnit::kWgmma)
                meeting = kMeetingClocks + pipes_.proxyFence;
            if (op.isLoad) {
                transfer += op.executions / w.trips * (costs_[i].alone - costs_[i].issue);
                issue += op.executions / w.trips * costs_[i].issue;
            } else {
                compute += alone_[i] / trips;
            }
        }
        transfer = std::max(0.0, transfer);
        const bool loads = transfer + issue > 0;
        compute += meeting + issue;
        const double latency = loads ? latency_ : 0;
        const double waited = m.depth == 1 ? transfer + latency : std::max({compute, transfer, latency / (m.depth - 1)}) - compute;
        // A pipeline fills once; after that every further iteration waits.
        const double exposed = m.depth == 1 ? waited * trips : waited * std::max(0.0, trips - entries) + (transfer + latency) * entries;
        double asked = 0;
        for (std::size_t i = 0; i < work_.operations.size(); ++i)
            asked += work_.operations[i].loop == loop && work_.operations[i].isLoad ? work_.operations[i].global.read : 0;
        for (std::size_t i = 0; i < work_.operations.size(); ++i) {
            const OperationWork& op = work_.operations[i];
            if (op.loop == loop && op.isLoad && asked > 0)
                alone_[i] += (exposed + issue * trips) * op.global.read / asked;
        }
        block_ += meeting * trips;
        m.computeNs = compute / clocksPerNs();
        m.meetingNs = meeting / clocksPerNs();
        m.transferNs = (transfer + issue) / clocksPerNs();
        m.latencyNs = latency / clocksPerNs();
        model_.loops.resize(std::max(model_.loops.size(), static_cast<std::size_t>(loop) + 1));
        model_.loops[static_cast<std::size_t>(loop)] = m;
    }

    void finish(double slots)
    {
        Clocks total{};
        total[kBlock] = kBlockClocks;
        for (std::size_t i = 0; i < costs_.size(); ++i)
            for (std::size_t u = 0; u < kUnits; ++u)
                total[u] += costs_[i].units[u] * work_.operations[i].executions / blocks_;
        const double busiest = longest(total);
        const auto wave = [&](double blocks) { return together(block_, busiest * std::ceil(blocks / target_.multiprocessors)); };
        const double full = std::floor(blocks_ / slots), rest = blocks_ - full * slots;
        const double clocks = full * wave(slots) + (rest > 0 ? wave(rest) : 0);
        const double computeUs = clocks / clockMHz_;
        const double dramUs = model_.dram.both() / (rates_.dramBytesPerSecond * rates_.dramShare) * 1e6;
        const double ahead = facts_.depths.empty() ? 1 : *std::ranges::max_element(facts_.depths);
        model_.us = std::max(computeUs, dramUs) + std::min(computeUs, dramUs) / (resident() * std::max(1.0, ahead)) + kStartUs;
        const bool byUnit = busiest * std::ceil(std::min(blocks_, slots) / target_.multiprocessors) >= block_;
        model_.bound = dramUs >= computeUs ? "DRAM" : byUnit ? kUnitNames[static_cast<std::size_t>(slowest(total))] : "latency";
        const double room = model_.us * clockMHz_ * target_.multiprocessors;
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
            const double w = byDram ? op.global.both() : byUnit ? longest(costs_[i].units) * op.executions : alone_[i];
            weights.push_back(w);
            sum += w;
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            OperationModel m;
            m.share = sum > 0 ? weights[i] / sum : 0;
            m.us = m.share * model_.us;
            const bool isExposed = alone_[i] * blocks_ > 1.5 * longest(costs_[i].units) * work_.operations[i].executions;
            m.unit = isExposed ? "latency" : kUnitNames[static_cast<std::size_t>(slowest(costs_[i].units))];
            model_.operations.push_back(m);
        }
    }

    const LaunchWork& work_;
    const LaunchFacts& facts_;
    const target::Target& target_;
    const target::Rates& rates_;
    const target::Pipes& pipes_;
    double leastBytes_ = 0;     // of the tensors of the call
    double blocks_ = 1, warps_ = 1;  // of the launch; of a block
    double clockMHz_ = 1000;
    double latency_ = 0;        // clocks of a read from global memory
    std::vector<Cost> costs_;   // of one execution of each operation
    std::vector<double> alone_; // clocks that each operation adds to one block
    double block_ = 0;          // clocks of one block alone
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
    const target::Pipes* pipes = target::pipesOf(target);
    if (!rates || !pipes)
        return std::nullopt;
    TW_CHECK(facts.size() == work.launches.size(), "one set of facts a launch");
    Model model;
    for (std::size_t i = 0; i < work.launches.size(); ++i)
        model.launches.push_back(LaunchEstimate(work.launches[i], facts[i], {target, *rates, *pipes}, work.least.both()).run());
    return model;
}

}  // namespace tw::profile_analysis
