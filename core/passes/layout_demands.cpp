#include "core/passes/layout_demands.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/ir/call.h"
#include "core/ir/shape.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::BufferNode;
using layout::Fragment;

struct Demand {
    Fragment layout;
    std::string by;
    ir::Provenance where;
};

class Demands {
public:
    explicit Demands(const LayoutSolution& solution) : solution_(solution) {}

    std::unordered_map<const BufferNode*, std::vector<Demand>> found;

    void add(const LayoutSite& site)
    {
        if (site.nest)
            return ofNest(site);
        if (const auto plan = solution_.products.find(site.stmt); plan != solution_.products.end())
            return ofProduct(site, plan->second);
        const ir::Region& src = *ir::regionOperand(*site.call, "src");
        const ir::Region& dst = *ir::regionOperand(*site.call, "dst");
        const auto known = solution_.fragments.find(src.buffer.get());
        if (known != solution_.fragments.end() && isSpread(dst.buffer) && ir::isWhole(src) && ir::isWhole(dst))
            put(dst.buffer, reducedLayout(known->second, reducedAxis(*site.call), dst.mins.size()), site, nameOf(*site.call));
    }

private:
    static std::string nameOf(const ir::OpCall& call) { return fmt::format("T.{}", ir::info(call.op).name); }

    void put(const ir::Buffer& buffer, Fragment f, const LayoutSite& site, std::string by)
    {
        f.firstThread = site.group.first;
        auto& list = found[buffer.get()];
        const auto same = [&](const Demand& d) { return d.by == by && d.layout == f; };
        if (std::ranges::none_of(list, same))
            list.push_back({layout::normalized(std::move(f)), std::move(by), site.stmt->where});
    }

    void ofProduct(const LayoutSite& site, const ProductPlan& plan)
    {
        for (const char* operand : {"A", "B", "C"}) {
            const ir::Region* region = ir::regionOperand(*site.call, operand);
            const std::optional<Fragment> wanted = operand[0] == 'C' ? std::optional(plan.c) : operand[0] == 'A' ? plan.a.fragment : plan.b.fragment;
            if (region && region->buffer && isSpread(region->buffer) && ir::isWhole(*region) && wanted)
                put(region->buffer, *wanted, site, fmt::format("operand {} of {}", operand, nameOf(*site.call)));
        }
    }

    void ofNest(const LayoutSite& site)
    {
        const auto loop = solution_.nests.find(site.stmt);
        if (loop == solution_.nests.end())
            return;
        const auto attr = site.nest->loop->attrs.find("op");
        const auto* op = attr == site.nest->loop->attrs.end() ? nullptr : std::get_if<std::string>(&attr->second);
        for (const NestAccess& access : site.nest->accesses) {
            const auto from = isSpread(access.buffer) ? projection(*site.nest, access) : std::nullopt;
            const auto held = solution_.fragments.find(access.buffer.get());
            // A copy that every thread has serves whoever reads.
            const bool everywhere = held != solution_.fragments.end() && held->second.copies() == held->second.threads;
            if (from && !(everywhere && !access.write))
                put(access.buffer, layout::select(loop->second, *from), site, op ? "T." + *op : "a loop");
        }
    }

    const LayoutSolution& solution_;
};

I tileBytes(const BufferNode& buffer) { return ir::elementsOnChip(buffer) * buffer.dtype.bits() * buffer.dtype.lanes / 8; }

LayoutCandidate candidateOf(const BufferNode& buffer, const Fragment& f, const std::vector<Demand>& demands)
{
    LayoutCandidate candidate{layout::describe(f), "", {}, 0, false};
    for (const Demand& d : demands)
        if (!sameHolders(d.layout, f)) {
            candidate.cost += 2 * tileBytes(buffer);
        } else if (candidate.wantedBy.find(d.by) == std::string::npos) {
            candidate.where = candidate.wantedBy.empty() ? d.where : candidate.where;
            candidate.wantedBy += (candidate.wantedBy.empty() ? "" : ", ") + d.by;
        }
    return candidate;
}

}  // namespace

void explainFragments(std::span<const LayoutSite> sites, LayoutSolution& solution)
{
    Demands demands(solution);
    for (const LayoutSite& site : sites)
        demands.add(site);
    for (const auto& [buffer, at] : solution.reasonOf) {
        LayoutReason& reason = solution.reasons[at];
        const Fragment& chosen = solution.fragments.at(buffer);
        const std::vector<Demand>& own = demands.found[buffer];
        reason.unit = "bytes through shared memory";
        reason.candidates.push_back(candidateOf(*buffer, chosen, own));
        reason.candidates.front().chosen = true;
        for (std::size_t k = 0; k < own.size(); ++k) {
            const auto seen = [&](const Demand& d) { return sameHolders(d.layout, own[k].layout); };
            if (!sameHolders(own[k].layout, chosen) && std::none_of(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(k), seen))
                reason.candidates.push_back(candidateOf(*buffer, own[k].layout, own));
        }
    }
}

}  // namespace tw::passes
