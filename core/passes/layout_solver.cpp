#include "core/passes/layout_solver.h"

#include <set>

#include <fmt/format.h>

#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/ir/shape.h"
#include "core/layout/reshape.h"
#include "core/layout/shared.h"
#include "core/passes/hardware.h"
#include "core/passes/layout_demands.h"
#include "core/passes/shared_layouts.h"
#include "core/passes/shared_wishes.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::BufferNode;
using layout::Fragment;

constexpr I kSmallTile = 1024;       // elements that every thread may hold for itself

bool isProduct(ir::OpId op) { return op == ir::OpId::kGemm || op == ir::OpId::kWgmmaGemm || op == ir::OpId::kGemmSp; }
bool isReduction(ir::OpId op)
{
    return ir::info(op).cls == ir::OpClass::kReduce && op != ir::OpId::kAnyOf && op != ir::OpId::kAllOf;
}

class Solver final : public analysis::Walk {
public:
    Solver(const ir::Function& function, const ir::Launch& launch, PassContext& context)
        : launch_(launch), context_(context), groups_(threadGroups(function)), warpGroups_(allowsWarpGroups(function))
    {
    }

    LayoutSolution solve()
    {
        visitLaunch();
        for (const LayoutSite& site : sites_)
            solution_.groups[site.stmt] = site.group;
        seedProducts();
        for (const BufferNode* buffer : outside_)
            if (!solution_.fragments.contains(buffer) && ir::elementsOnChip(*buffer) <= kSmallTile)
                give(buffer, layout::replicated(shapeOf(*buffer), groupOf(buffer).count), "every thread reads it outside of loops", {});
        handOn();
        while (const BufferNode* next = largestOpen()) {
            const LayoutSite* reduction = reductionOf(next);
            give(next, openLayout(*next), reduction ? "its rows are reduced" : "no operation demands another", reduction ? reduction->stmt->where : ir::Provenance{});
            handOn();
        }
        settleNests();
        settleShared();
        explainFragments(sites_, solution_);
        return std::move(solution_);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::ForKind::kParallel && !parallelNest()) {
            LayoutSite site{s.get(), groups_.at(s.get()), describe(*loop, launch_.threadVars), nullptr};
            for (const NestAccess& access : site.nest->accesses)
                touch(access.buffer, site.group);
            sites_.push_back(std::move(site));
        }
        if (const auto* allocate = ir::as<ir::Allocate>(s); allocate && allocate->buffer->scope == ir::MemoryScope::kShared)
            (allocate->buffer->viewOf ? views_ : shared_).push_back(allocate->buffer.get());
        else if (allocate && isSpread(allocate->buffer))
            aliases_[analysis::storageOf(allocate->buffer.get())].push_back(allocate->buffer.get());
        if (const auto* store = ir::as<ir::Store>(s); store && !parallelNest())
            elsewhere_.insert(store->buffer.get());
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && op->call.op != ir::OpId::kAnnotateLayout && !isReduction(op->call.op))
            noteRegions(op->call);
        if (!op || parallelNest())
            return;
        if (op->call.op == ir::OpId::kAnnotateLayout)
            annotated(*op);
        if (op->call.op == ir::OpId::kTmaCopy)
            for (const char* side : {"src", "dst"})
                if (const ir::Buffer& buffer = ir::regionOperand(op->call, side)->buffer; buffer->scope == ir::MemoryScope::kShared)
                    wishes_.addBulkCopy(buffer.get(), s->where);
        if (!isProduct(op->call.op) && !isReduction(op->call.op))
            return;
        for (const ir::Operand& operand : op->call.operands)
            if (const auto* region = std::get_if<ir::Region>(&operand); region && region->buffer)
                touch(region->buffer, groups_.at(s.get()));
        sites_.push_back({s.get(), groups_.at(s.get()), std::nullopt, &op->call});
    }
    void enterExpr(const ir::Expr& e) override
    {
        const auto* load = ir::as<ir::Load>(e);
        if (const auto* call = ir::as<ir::Call>(e))
            noteRegions(call->call);
        if (load && !parallelNest())
            elsewhere_.insert(load->buffer.get());
        if (load && isSpread(load->buffer) && !parallelNest()) {
            outside_.push_back(load->buffer.get());
            touch(load->buffer, {0, threadCount(launch_), true});
        }
    }

private:
    // Operations on single elements in nests are accesses like any other.
    void noteRegions(const ir::OpCall& call)
    {
        for (const ir::Operand& operand : call.operands)
            if (const auto* region = std::get_if<ir::Region>(&operand); region && region->buffer && !(parallelNest() && ir::isPoint(*region)))
                elsewhere_.insert(region->buffer.get());
    }

    void visitLaunch()
    {
        ir::Visitor& visitor = *this;
        visitor.visit(std::make_shared<ir::Launch>(launch_));
    }

    void touch(const ir::Buffer& buffer, const ThreadGroup& group)
    {
        if (!isSpread(buffer))
            return;
        const auto [at, isNew] = bufferGroups_.try_emplace(buffer.get(), group);
        if (isNew)
            spread_.push_back(buffer.get());
        else if (group.count < at->second.count)
            at->second = group;
        // A fragment and its views are the same registers.
        for (const BufferNode* other : aliases_[analysis::storageOf(buffer.get())])
            if (bufferGroups_.try_emplace(other, group).second)
                spread_.push_back(other);
    }
    const ThreadGroup& groupOf(const BufferNode* buffer) const { return bufferGroups_.at(buffer); }

    void give(const BufferNode* buffer, Fragment f, std::string why, const ir::Provenance& demandedBy)
    {
        f.firstThread = groupOf(buffer).first;
        solution_.reasonOf[buffer] = solution_.reasons.size();
        solution_.reasons.push_back({buffer->name, std::move(why), f.registers(), f.copies(), demandedBy});
        solution_.fragments.emplace(buffer, std::move(f));
        giveToViews(buffer, demandedBy);
    }

    // The layout of a fragment is carried over to its views, and back.
    void giveToViews(const BufferNode* buffer, const ir::Provenance& demandedBy)
    {
        const Fragment& f = solution_.fragments.at(buffer);
        for (const BufferNode* other : aliases_[analysis::storageOf(buffer)]) {
            if (solution_.fragments.contains(other))
                continue;
            auto same = buffer->dtype.bits() == other->dtype.bits() ? layout::reshaped(f, shapeOf(*other)) : std::nullopt;
            if (!same) {
                context_.diagnostics.error(Code::kNotSupported, other->where.range,
                                           fmt::format("not supported: {} as a view of the registers of {}: elements of another size, or rows that its layout does not divide", other->name, buffer->name));
                same = layout::replicated(shapeOf(*other), groupOf(other).count);
            }
            same->firstThread = f.firstThread;
            solution_.reasonOf[other] = solution_.reasons.size();
            solution_.reasons.push_back({other->name, fmt::format("the same registers as {}", buffer->name), same->registers(), same->copies(), demandedBy});
            solution_.fragments.emplace(other, std::move(*same));
        }
    }

    void annotated(const ir::OpStmt& op)
    {
        const auto* target = std::get_if<ir::Region>(&op.call.operands[0]);
        const auto* map = std::get_if<Ref<const ir::LayoutMap>>(&op.call.operands[1]);
        if (!target || !map)
            return;
        if (target->buffer->scope == ir::MemoryScope::kShared) {
            solution_.shared[target->buffer.get()] = *map;
            solution_.reasons.push_back({target->buffer->name, "T.annotate_layout", 0, 1, op.where});
        }
        if (!isSpread(target->buffer))
            return;
        const auto f = layout::fromMap(**map, threadCount(launch_));
        if (!f) {
            context_.diagnostics.error(Code::kNotSupported, op.where.range,
                                       fmt::format("not supported: the layout of {} on a GPU; its thread and register must be sums of digits of the indices",
                                                   target->buffer->name));
            return;
        }
        solution_.fragments.emplace(target->buffer.get(), *f);
        solution_.reasonOf[target->buffer.get()] = solution_.reasons.size();
        solution_.reasons.push_back({target->buffer->name, "T.annotate_layout", f->registers(), f->copies(), op.where});
        touch(target->buffer, ThreadGroup{f->firstThread, f->threads, true});
        giveToViews(target->buffer.get(), op.where);
    }

    // ---- products ----

    void seedProducts()
    {
        for (const LayoutSite& site : sites_)
            if (site.call && isProduct(site.call->op))
                solution_.products.emplace(site.stmt, planProduct(*site.call, site.group.count, context_.target, mayUseWarpGroups(site)));
        // Accumulators first: an operand that is the result of another product is converted, not the other way round.
        for (const char* operand : {"C", "A", "B"})
            for (const LayoutSite& site : sites_)
                if (const auto plan = solution_.products.find(site.stmt); plan != solution_.products.end())
                    seedOperand(site, plan->second, operand);
    }

    // The operands' layouts are free, and the threads begin with a warp group.
    bool mayUseWarpGroups(const LayoutSite& site) const
    {
        const auto isFree = [&](const char* operand) {
            const BufferNode* buffer = ir::regionOperand(*site.call, operand)->buffer.get();
            const auto looksAt = [&](const BufferNode* view) { return analysis::storageOf(view) == analysis::storageOf(buffer); };
            return !solution_.shared.contains(buffer) && std::none_of(views_.begin(), views_.end(), looksAt);
        };
        return warpGroups_ && site.group.first % 128 == 0 && isFree("A") && isFree("B");
    }

    void seedOperand(const LayoutSite& site, const ProductPlan& plan, const std::string& operand)
    {
        const ir::Region* region = ir::regionOperand(*site.call, operand);
        if (!region || !region->buffer)
            return;
        const std::optional<Fragment> demand = operand == "C" ? std::optional(plan.c) : operand == "A" ? plan.a.fragment : plan.b.fragment;
        const bool known = solution_.fragments.contains(region->buffer.get());
        if (isSpread(region->buffer) && ir::isWhole(*region) && !known && demand)
            give(region->buffer.get(), *demand, fmt::format("operand {} of T.{}: {}", operand, ir::info(site.call->op).name, plan.reason), site.stmt->where);
        const ProductOperandPlan& operandPlan = operand == "A" ? plan.a : plan.b;
        if (region->buffer->scope == ir::MemoryScope::kShared && operand != "C")
            wishes_.add(region->buffer.get(), operandPlan, fmt::format("operand {} of T.{}", operand, ir::info(site.call->op).name), site.stmt->where);
    }

    // ---- handing layouts on ----

    void handOn()
    {
        for (bool changed = true; changed;) {
            changed = false;
            for (const LayoutSite& site : sites_)
                changed = (site.nest ? handOnNest(site) : isReduction(site.call->op) && handOnReduction(site)) || changed;
        }
    }

    bool handOnNest(const LayoutSite& site)
    {
        const auto loop = knownNestLayout(site);
        bool changed = false;
        if (!loop)
            return false;
        for (const NestAccess& access : site.nest->accesses) {
            if (!isSpread(access.buffer) || solution_.fragments.contains(access.buffer.get()))
                continue;
            const auto from = projection(*site.nest, access);
            if (!from || groupOf(access.buffer.get()).count != loop->threads)
                continue;
            give(access.buffer.get(), layout::select(*loop, *from), "the loop that touches it", site.stmt->where);
            changed = true;
        }
        return changed;
    }

    bool handOnReduction(const LayoutSite& site)
    {
        const ir::Region& src = *ir::regionOperand(*site.call, "src");
        const ir::Region& dst = *ir::regionOperand(*site.call, "dst");
        const auto known = solution_.fragments.find(src.buffer.get());
        if (known == solution_.fragments.end() || solution_.fragments.contains(dst.buffer.get()) || !isSpread(dst.buffer) || !ir::isWhole(src) ||
            !ir::isWhole(dst))
            return false;
        const Fragment result = reducedLayout(known->second, reducedAxis(*site.call), dst.buffer->shape.size());
        give(dst.buffer.get(), result, fmt::format("the result of reducing {}", src.buffer->name), site.stmt->where);
        return true;
    }

    // From the author, or from a fragment whose elements are the iterations. Of several the one that suits the most accesses.
    std::optional<Fragment> knownNestLayout(const LayoutSite& site) const
    {
        const Nest& nest = *site.nest;
        if (nest.loop->layout)
            return layout::fromMap(*nest.loop->layout, threadCount(launch_));
        std::optional<Fragment> best;
        int bestCost = 0;
        for (const bool write : {true, false})
            for (const NestAccess& access : nest.accesses) {
                const auto known = solution_.fragments.find(access.buffer.get());
                const auto from = access.write == write && known != solution_.fragments.end() ? projection(nest, access) : std::nullopt;
                if (!from || !isComplete(nest, *from))
                    continue;
                Fragment candidate = nestLayout(nest, known->second, *from);
                const int cost = misfits(nest, candidate);
                if (!best || cost < bestCost) {
                    best = std::move(candidate);
                    bestCost = cost;
                }
            }
        return best;
    }

    int misfits(const Nest& nest, const Fragment& loop) const
    {
        int count = 0;
        for (const NestAccess& access : nest.accesses)
            if (const auto known = solution_.fragments.find(access.buffer.get()); known != solution_.fragments.end()) {
                const Fit f = fit(nest, loop, access, known->second);
                count += f == Fit::kExact || (f == Fit::kHolds && !access.write) ? 0 : f == Fit::kMasked && access.write ? 1 : 4;
            }
        return count;
    }

    // ---- what nobody decides ----

    const BufferNode* largestOpen() const
    {
        const BufferNode* best = nullptr;
        for (const BufferNode* buffer : spread_)
            if (!solution_.fragments.contains(buffer) && (!best || ir::elementsOnChip(*buffer) > ir::elementsOnChip(*best)))
                best = buffer;
        return best;
    }

    const LayoutSite* reductionOf(const BufferNode* buffer) const
    {
        for (const LayoutSite& site : sites_)
            if (site.call && isReduction(site.call->op) && ir::regionOperand(*site.call, "src")->buffer.get() == buffer)
                return &site;
        return nullptr;
    }

    Fragment openLayout(const BufferNode& buffer) const
    {
        const auto shape = shapeOf(buffer);
        const I threads = groupOf(&buffer).count;
        const I vector = std::max<I>(1, kAccessBits / partnerBits(buffer));
        const LayoutSite* reduction = reductionOf(&buffer);
        if (!reduction || threads % kWarpSize != 0)
            return layout::dealt(shape, threads, vector);
        const int axis = reducedAxis(*reduction->call);
        const I extent = shape[static_cast<std::size_t>(axis)], rows = ir::elementsOnChip(buffer) / std::max<I>(extent, 1);
        // A warp a row where there are rows for all warps, else as many warps as there are for each row.
        I lanes = kWarpSize;
        while (lanes < threads && rows * lanes < threads && threads % (lanes * 2) == 0)
            lanes *= 2;
        while (lanes > 1 && lanes > extent)
            lanes /= 2;
        return layout::rowwise(shape, axis, threads, lanes, std::min(vector, std::max<I>(1, extent / lanes)));
    }

    // The widest type that meets the buffer in memory.
    I partnerBits(const BufferNode& buffer) const
    {
        I bits = 0;
        for (const LayoutSite& site : sites_) {
            if (!site.nest)
                continue;
            bool here = false;
            I memory = 0;
            for (const NestAccess& access : site.nest->accesses) {
                here = here || access.buffer.get() == &buffer;
                if (!isSpread(access.buffer) && access.buffer->scope != ir::MemoryScope::kVar)
                    memory = std::max<I>(memory, access.buffer->dtype.bits() * access.buffer->dtype.lanes);
            }
            bits = here ? std::max(bits, memory) : bits;
        }
        return bits > 0 ? bits : std::max<I>(buffer.dtype.bits() * buffer.dtype.lanes, 8);
    }

    void settleNests()
    {
        for (const LayoutSite& site : sites_) {
            if (!site.nest)
                continue;
            const auto known = knownNestLayout(site);
            solution_.nests.emplace(site.stmt, known ? *known : freeNestLayout(*site.nest, site.group));
            if (!known && site.group.contiguous && site.nest->constantExtents)
                freeNests_.push_back(site.stmt);
        }
    }

    void settleShared()
    {
        SharedQuestion question{sites_, {}, freeNests_, elsewhere_, context_.target.sharedBytesPerBlock};
        for (const BufferNode* buffer : shared_) {
            question.spareBytes -= ir::elementsOnChip(*buffer) * buffer->dtype.bits() * buffer->dtype.lanes / 8;
            if (solution_.shared.contains(buffer))
                continue;
            const auto isBase = [&](const BufferNode* view) { return analysis::storageOf(view) == buffer; };
            const bool viewed = std::any_of(views_.begin(), views_.end(), isBase);
            const auto wish = viewed || wishes_.isPlain(buffer) ? nullptr : wishes_.layoutOf(buffer);
            if (wish) {
                solution_.shared[buffer] = wish;
                solution_.reasons.push_back(wishes_.reasonOf(buffer));
            } else if (viewed || wishes_.isPlain(buffer)) {
                solution_.shared[buffer] = layout::rowMajor(shapeOf(*buffer));
                solution_.reasons.push_back({buffer->name, viewed ? "another buffer is a view of it" : "a bulk copy moves its rows as they are", 0, 1});
            } else {
                question.open.push_back(buffer);
            }
        }
        for (const BufferNode* view : views_)
            if (!solution_.shared.contains(view))
                solution_.shared[view] = layout::rowMajor(shapeOf(*view));
        chooseSharedLayouts(question, solution_);
    }

    const ir::Launch& launch_;
    PassContext& context_;
    std::unordered_map<const ir::StmtNode*, ThreadGroup> groups_;
    bool warpGroups_;
    std::vector<LayoutSite> sites_;
    std::vector<const BufferNode*> spread_, shared_, views_, outside_;
    std::unordered_map<const BufferNode*, std::vector<const BufferNode*>> aliases_;  // fragments by their storage
    SharedWishes wishes_;
    std::set<const BufferNode*> elsewhere_;  // that are accessed outside of nests, or not element by element
    std::vector<const ir::StmtNode*> freeNests_;
    std::unordered_map<const BufferNode*, ThreadGroup> bufferGroups_;
    LayoutSolution solution_;
};

}  // namespace

LayoutSolution solveLayouts(const ir::Function& function, const ir::Launch& launch, PassContext& context)
{
    return Solver(function, launch, context).solve();
}

}  // namespace tw::passes
