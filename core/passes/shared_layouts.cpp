#include "core/passes/shared_layouts.h"

#include <memory>

#include <fmt/format.h>

#include "core/ir/call.h"
#include "core/passes/hardware.h"
#include "core/passes/nest_traffic.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::BufferNode;
using layout::Fragment;
using layout::RowForm;

constexpr I kAccessBytes = 16;

I widestBytes(const Nest& nest)
{
    I bytes = 1;
    for (const NestAccess& access : nest.accesses)
        if (!isSpread(access.buffer) && access.buffer->scope != ir::MemoryScope::kVar)
            bytes = std::max<I>(bytes, access.buffer->dtype.bits() * access.buffer->dtype.lanes / 8);
    return bytes;
}

// Other ways to deal a nest out: the vectors along each axis, so many lanes of a warp along the same axis and the rest along
// the next one.
std::vector<Fragment> otherDeals(const Nest& nest, const Fragment& now)
{
    std::vector<Fragment> result;
    I points = 1;
    for (const I extent : nest.extents)
        points *= extent;
    if (now.threads % kWarpSize != 0 || nest.byThread || (nest.writesPrivate && !nest.writesMemory))
        return result;
    const I widest = ir::intAttr(nest.loop->attrs, "coalesced_width", std::max<I>(1, kAccessBytes / widestBytes(nest)));
    for (int fast = static_cast<int>(nest.extents.size()) - 1; fast >= 0; --fast)
        for (I vector = widest; vector >= 1; vector /= 2)
            for (I lanes = kWarpSize; lanes >= 2; lanes /= 2) {
                auto f = points / vector < now.threads ? std::nullopt : layout::dealtInPatches(nest.extents, now.threads, {fast, vector, lanes});
                if (!f)
                    continue;
                f->firstThread = now.firstThread;
                result.push_back(std::move(*f));
            }
    return result;
}

class Chooser {
public:
    Chooser(const SharedQuestion& question, LayoutSolution& solution) : question_(question), solution_(solution) {}

    void run()
    {
        for (const BufferNode* buffer : question_.open)
            forms_[buffer] = {};
        for (const BufferNode* buffer : question_.open)
            if (isSearched(buffer))
                search(buffer);
        for (const BufferNode* buffer : question_.open)
            solution_.shared[buffer] = layout::toMap(forms_[buffer].form, shapeOf(*buffer));
    }

private:
    struct Site {
        const LayoutSite* site;
        NestTraffic traffic;
        std::vector<Fragment> deals;  // the one it has, then others as good in global memory
        bool hasDeals = false;
    };

    bool isSearched(const BufferNode* buffer)
    {
        if (buffer->shape.size() < 2 || question_.elsewhere.contains(buffer) || buffer->dtype.bits() % 8 != 0)
            return false;
        const auto nests = nestsOf(buffer);
        return !nests.empty() && std::ranges::all_of(nests, [&](Site* s) { return s->traffic.isCountable(buffer) && placesAreKnown(*s->site->nest); });
    }

    // The nests that touch a buffer.
    std::vector<Site*> nestsOf(const BufferNode* buffer)
    {
        std::vector<Site*> result;
        for (const LayoutSite& site : question_.sites) {
            const auto touches = [&](const NestAccess& a) { return a.buffer.get() == buffer; };
            if (!site.nest || std::ranges::none_of(site.nest->accesses, touches))
                continue;
            auto& own = nests_[site.stmt];
            if (!own)
                own = std::make_unique<Site>(Site{&site, NestTraffic(*site.nest), {}, false});
            result.push_back(own.get());
        }
        return result;
    }

    // Tables of the shared buffers whose layouts are somebody else's.
    bool placesAreKnown(const Nest& nest)
    {
        for (const NestAccess& access : nest.accesses) {
            const BufferNode* buffer = access.buffer.get();
            if (buffer->scope != ir::MemoryScope::kShared || forms_.contains(buffer))
                continue;
            const auto map = solution_.shared.find(buffer);
            auto table = map == solution_.shared.end() ? std::nullopt : layout::tabulate(*map->second);
            if (!table)
                return false;
            tables_[buffer] = std::move(*table);
            forms_[buffer].table = &tables_[buffer];
        }
        return true;
    }

    const std::vector<Fragment>& dealsOf(Site& s)
    {
        if (std::exchange(s.hasDeals, true))
            return s.deals;
        const Fragment& now = solution_.nests.at(s.site->stmt);
        s.deals.push_back(now);
        if (std::ranges::find(question_.freeNests, s.site->stmt) == question_.freeNests.end())
            return s.deals;
        const MemoryCost had = s.traffic.cost(now, forms_, Count::kSample);
        for (Fragment& f : otherDeals(*s.site->nest, now)) {
            const MemoryCost has = s.traffic.cost(f, forms_, Count::kSample);
            if (has.sectors <= had.sectors && has.lines <= had.lines && std::ranges::find(s.deals, f) == s.deals.end())
                s.deals.push_back(std::move(f));
        }
        return s.deals;
    }

    struct Choice {
        MemoryCost cost;
        std::vector<std::size_t> deals;  // one a nest
    };
    Choice bestUnder(const RowForm& form, const BufferNode* buffer, const std::vector<Site*>& nests, Count count)
    {
        const SharedPlace before = std::exchange(forms_[buffer], SharedPlace{form, nullptr});
        Choice choice;
        for (Site* s : nests) {
            const auto& deals = dealsOf(*s);
            std::size_t best = 0;
            MemoryCost least = s->traffic.cost(deals[0], forms_, count);
            for (std::size_t k = 1; k < deals.size() && least.passes > least.best; ++k)
                if (const MemoryCost cost = s->traffic.cost(deals[k], forms_, count); cost.score() < least.score()) {
                    best = k;
                    least = cost;
                }
            choice.cost += least;
            choice.deals.push_back(best);
        }
        forms_[buffer] = before;
        return choice;
    }

    void search(const BufferNode* buffer)
    {
        const std::vector<Site*> nests = nestsOf(buffer);
        MemoryCost plain;
        for (Site* s : nests)
            plain += s->traffic.cost(solution_.nests.at(s->site->stmt), forms_, Count::kAll);
        const int bits = buffer->dtype.bits() * buffer->dtype.lanes;
        LayoutReason reason{buffer->name, "its accesses meet in no bank", 0, 1};
        reason.unit = "passes of shared memory";
        const auto candidate = [&](const RowForm& form, const MemoryCost& cost) { reason.candidates.push_back({layout::describe(form, bits), "", {}, cost.passes, false}); };
        if (plain.passes == plain.best) {
            candidate({}, plain);
            reason.candidates.front().chosen = true;
            solution_.reasons.push_back(std::move(reason));
            return;
        }
        std::size_t best = 0;
        std::vector<std::pair<RowForm, Choice>> tried;
        for (const RowForm& form : layout::rowForms(shapeOf(*buffer), bits)) {
            const I extra = extraBytes(form, *buffer);
            if (extra > 0 && extra > question_.spareBytes)  // a form that takes no more room always fits
                continue;
            tried.emplace_back(form, bestUnder(form, buffer, nests, Count::kSample));
            if (tried.back().second.cost.score() < tried[best].second.cost.score())
                best = tried.size() - 1;
        }
        for (const auto& [form, choice] : tried)
            candidate(form, choice.cost);
        reason.candidates[best].chosen = true;
        reason.why = fmt::format("{} passes for all accesses of a block, {} if no two met in a bank", tried[best].second.cost.passes, tried[best].second.cost.best);
        solution_.reasons.push_back(std::move(reason));
        forms_[buffer] = {tried[best].first, nullptr};
        for (std::size_t k = 0; k < nests.size(); ++k)
            take(*nests[k], tried[best].second.deals[k]);
    }

    void take(Site& s, std::size_t deal)
    {
        if (deal == 0)
            return;
        std::swap(s.deals[0], s.deals[deal]);
        solution_.nests.at(s.site->stmt) = s.deals[0];
    }

    static I extraBytes(const RowForm& form, const BufferNode& buffer)
    {
        I rows = 1;
        for (std::size_t k = 0; k + 1 < buffer.shape.size(); ++k)
            rows *= *ir::asInt(buffer.shape[k]);
        return form.pad * rows * buffer.dtype.bits() * buffer.dtype.lanes / 8;
    }

    const SharedQuestion& question_;
    LayoutSolution& solution_;
    SharedPlaces forms_;
    std::unordered_map<const BufferNode*, layout::Table> tables_;
    std::unordered_map<const ir::StmtNode*, std::unique_ptr<Site>> nests_;
};

}  // namespace

void chooseSharedLayouts(const SharedQuestion& question, LayoutSolution& solution) { Chooser(question, solution).run(); }

}  // namespace tw::passes
