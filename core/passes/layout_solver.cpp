#include "core/passes/layout_solver.h"

#include <set>

#include <fmt/format.h>

#include "core/analysis/walk.h"
#include "core/ir/call.h"
#include "core/layout/shared.h"
#include "core/passes/lower_bulk_copy.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::BufferNode;
using layout::Fragment;

constexpr I kAccessBits = 128;       // the widest access of a thread
constexpr I kWarp = 32;
constexpr I kSmallTile = 1024;       // elements that every thread may hold for itself

I elementsOf(const BufferNode& buffer)
{
    I n = 1;
    for (const I extent : shapeOf(buffer))
        n *= extent;
    return n;
}

bool isProduct(ir::OpId op) { return op == ir::OpId::kGemm || op == ir::OpId::kWgmmaGemm || op == ir::OpId::kGemmSp; }
bool isReduction(ir::OpId op)
{
    return ir::info(op).cls == ir::OpClass::kReduce && op != ir::OpId::kAnyOf && op != ir::OpId::kAllOf;
}

class Solver final : public analysis::Walk {
public:
    Solver(const ir::Function& function, const ir::Launch& launch, PassContext& context)
        : launch_(launch), context_(context), groups_(threadGroups(function))
    {
    }

    LayoutSolution solve()
    {
        visitLaunch();
        for (const LayoutSite& site : sites_)
            solution_.groups[site.stmt] = site.group;
        seedProducts();
        for (const BufferNode* buffer : outside_)
            if (!solution_.fragments.contains(buffer) && elementsOf(*buffer) <= kSmallTile)
                give(buffer, layout::replicated(shapeOf(*buffer), groupOf(buffer).count), "every thread reads it outside of loops");
        handOn();
        while (const BufferNode* next = largestOpen()) {
            give(next, openLayout(*next), reductionOf(next) ? "its rows are reduced" : "no operation demands another");
            handOn();
        }
        settleNests();
        settleShared();
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
        const auto* op = ir::as<ir::OpStmt>(s);
        if (!op || parallelNest())
            return;
        if (op->call.op == ir::OpId::kAnnotateLayout)
            annotated(*op);
        if (op->call.op == ir::OpId::kTmaCopy)
            wishOfBulkCopy(op->call);
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
        if (load && isSpread(load->buffer) && !parallelNest()) {
            outside_.push_back(load->buffer.get());
            touch(load->buffer, {0, threadCount(launch_), true});
        }
    }

private:
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
    }
    const ThreadGroup& groupOf(const BufferNode* buffer) const { return bufferGroups_.at(buffer); }

    void give(const BufferNode* buffer, Fragment f, std::string why)
    {
        f.firstThread = groupOf(buffer).first;
        solution_.reasons.push_back({buffer->name, std::move(why), f.registers(), f.copies()});
        solution_.fragments.emplace(buffer, std::move(f));
    }

    void annotated(const ir::OpStmt& op)
    {
        const auto* target = std::get_if<ir::Region>(&op.call.operands[0]);
        const auto* map = std::get_if<Ref<const ir::LayoutMap>>(&op.call.operands[1]);
        if (!target || !map)
            return;
        if (target->buffer->scope == ir::MemoryScope::kShared)
            solution_.shared[target->buffer.get()] = *map;
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
        solution_.reasons.push_back({target->buffer->name, "T.annotate_layout", f->registers(), f->copies()});
        bufferGroups_.try_emplace(target->buffer.get(), ThreadGroup{f->firstThread, f->threads, true});
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
        return site.group.first % 128 == 0 && isFree("A") && isFree("B");
    }

    void seedOperand(const LayoutSite& site, const ProductPlan& plan, const std::string& operand)
    {
        const ir::Region* region = ir::regionOperand(*site.call, operand);
        if (!region || !region->buffer)
            return;
        const std::optional<Fragment> demand = operand == "C" ? std::optional(plan.c) : operand == "A" ? plan.a.fragment : plan.b.fragment;
        const bool known = solution_.fragments.contains(region->buffer.get());
        if (isSpread(region->buffer) && ir::isWhole(*region) && !known && demand)
            give(region->buffer.get(), *demand, fmt::format("operand {} of T.{}: {}", operand, ir::info(site.call->op).name, plan.reason));
        const ProductOperandPlan& operandPlan = operand == "A" ? plan.a : plan.b;
        if (region->buffer->scope == ir::MemoryScope::kShared && operand != "C")
            wish(region->buffer.get(), operandPlan);
    }

    // Of two products that read one tile the pickier one decides: panels before swizzled rows, narrow panels before wide ones.
    void wish(const BufferNode* buffer, const ProductOperandPlan& plan)
    {
        const auto [known, fresh] = wishes_.emplace(buffer, plan);
        ProductOperandPlan& best = known->second;
        const bool panels = plan.shared == SharedLayout::kPanels;
        if (!fresh && (plan.shared > best.shared || (panels && best.shared == plan.shared && plan.panelBytes < best.panelBytes)))
            best = plan;
    }

    // Bulk copies know panels and plain rows, nothing else.
    void wishOfBulkCopy(const ir::OpCall& call)
    {
        for (const char* side : {"src", "dst"}) {
            const ir::Buffer& buffer = ir::regionOperand(call, side)->buffer;
            if (buffer->scope != ir::MemoryScope::kShared)
                continue;
            const I bytes = bulkPanelBytes(*buffer);
            if (bytes == 0)
                plain_.insert(buffer.get());
            ProductOperandPlan plan;
            plan.shared = SharedLayout::kPanels;
            plan.panelBytes = bytes;
            if (bytes != 0)
                wish(buffer.get(), plan);
        }
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
            give(access.buffer.get(), layout::select(*loop, *from), "the loop that touches it");
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
        give(dst.buffer.get(), result, fmt::format("the result of reducing {}", src.buffer->name));
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
            if (!solution_.fragments.contains(buffer) && (!best || elementsOf(*buffer) > elementsOf(*best)))
                best = buffer;
        return best;
    }

    const ir::OpCall* reductionOf(const BufferNode* buffer) const
    {
        for (const LayoutSite& site : sites_)
            if (site.call && isReduction(site.call->op) && ir::regionOperand(*site.call, "src")->buffer.get() == buffer)
                return site.call;
        return nullptr;
    }

    Fragment openLayout(const BufferNode& buffer) const
    {
        const auto shape = shapeOf(buffer);
        const I threads = groupOf(&buffer).count;
        const I vector = std::max<I>(1, kAccessBits / partnerBits(buffer));
        const ir::OpCall* reduction = reductionOf(&buffer);
        if (!reduction || threads % kWarp != 0)
            return layout::dealt(shape, threads, vector);
        const int axis = reducedAxis(*reduction);
        const I extent = shape[static_cast<std::size_t>(axis)], rows = elementsOf(buffer) / std::max<I>(extent, 1);
        // A warp a row where there are rows for all warps, else as many warps as there are for each row.
        I lanes = kWarp;
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
        }
    }

    void settleShared()
    {
        for (const BufferNode* buffer : shared_) {
            if (solution_.shared.contains(buffer))
                continue;
            const auto isBase = [&](const BufferNode* view) { return analysis::storageOf(view) == buffer; };
            const bool viewed = std::any_of(views_.begin(), views_.end(), isBase);
            const auto wish = wishes_.find(buffer);
            const auto shape = shapeOf(*buffer);
            const int bits = buffer->dtype.bits() * buffer->dtype.lanes;
            solution_.shared[buffer] = wish == wishes_.end() || viewed || plain_.contains(buffer) ? layout::rowMajor(shape) : bestLayout(wish->second, shape, bits);
        }
        for (const BufferNode* view : views_)
            if (!solution_.shared.contains(view))
                solution_.shared[view] = layout::rowMajor(shapeOf(*view));
    }

    const ir::Launch& launch_;
    PassContext& context_;
    std::unordered_map<const ir::StmtNode*, ThreadGroup> groups_;
    std::vector<LayoutSite> sites_;
    std::vector<const BufferNode*> spread_, shared_, views_, outside_;
    std::unordered_map<const BufferNode*, ProductOperandPlan> wishes_;  // of products, for shared memory
    std::set<const BufferNode*> plain_;                                 // that bulk copies want in rows as they are
    std::unordered_map<const BufferNode*, ThreadGroup> bufferGroups_;
    LayoutSolution solution_;
};

}  // namespace

std::vector<I> shapeOf(const BufferNode& buffer)
{
    std::vector<I> shape;
    for (const ir::Expr& extent : buffer.shape) {
        const auto* value = ir::asInt(extent);
        shape.push_back(value ? *value : 1);
    }
    return shape;
}

int reducedAxis(const ir::OpCall& call)
{
    const auto rank = static_cast<I>(ir::regionOperand(call, "src")->mins.size());
    const I dim = ir::intAttr(call.attrs, "dim", -1);
    return static_cast<int>(((dim % rank) + rank) % rank);
}

Fragment reducedLayout(const Fragment& source, int axis, std::size_t rank)
{
    std::vector<int> from;
    for (int k = 0; k < static_cast<int>(source.shape.size()); ++k)
        if (k != axis)
            from.push_back(k);
        else if (rank == source.shape.size())
            from.push_back(-1);
    if (from.empty())
        from.push_back(-1);
    return layout::select(source, from);
}

Fragment freeNestLayout(const Nest& nest, const ThreadGroup& group)
{
    Fragment f;
    I bits = 8;
    for (const NestAccess& access : nest.accesses)
        if (!isSpread(access.buffer) && access.buffer->scope != ir::MemoryScope::kVar)
            bits = std::max<I>(bits, access.buffer->dtype.bits() * access.buffer->dtype.lanes);
    const I width = ir::intAttr(nest.loop->attrs, "coalesced_width", std::max<I>(1, kAccessBits / bits));
    I points = 1;
    for (const I extent : nest.extents)
        points *= extent;
    // All threads at work come before wide accesses.
    I vector = nest.byThread ? 1 : width;
    while (vector > 1 && points / vector < group.count)
        vector /= 2;
    f = nest.writesPrivate && !nest.writesMemory ? layout::replicated(nest.extents, group.count) : layout::dealt(nest.extents, group.count, vector);
    f.firstThread = group.first;
    return f;
}

LayoutSolution solveLayouts(const ir::Function& function, const ir::Launch& launch, PassContext& context)
{
    return Solver(function, launch, context).solve();
}

}  // namespace tw::passes
