#include "profiler/analysis/work.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "profiler/analysis/element_cost.h"
#include "profiler/analysis/least_bytes.h"
#include "profiler/analysis/operation_name.h"

namespace tw::profile_analysis {
namespace {

using ir::Expr;
using ir::MemoryScope;
using ir::OpClass;

bool isThreadOwn(MemoryScope s) { return s == MemoryScope::kLocal || s == MemoryScope::kVar; }

class Counter final : public analysis::Walk {
public:
    Counter(const ir::Function& function, const Values& values) : values_(values), least_(function, values) {}
    using Walk::visit;

    Work take()
    {
        work_.least = least_.total();
        return std::move(work_);
    }

protected:
    void enter(const ir::Stmt& s) override
    {
        if (const auto* l = ir::as<ir::Launch>(s))
            enterLaunch(*l);
        else if (!launch())
            return;
        else if (const auto* loop = ir::as<ir::For>(s))
            enterLoop(*loop);
        else if (const auto* op = ir::as<ir::OpStmt>(s))
            tileOperation(*op);
        else if (const auto* store = ir::as<ir::Store>(s))
            element(s, store->value, store);
        else if (const auto* bind = ir::as<ir::Bind>(s))
            element(s, bind->value, nullptr);
    }

    void leave(const ir::Stmt& s) override
    {
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::ForKind::kPipelined && launch())
            pipelined_.pop_back();
    }

private:
    LaunchWork& current() { return work_.launches.back(); }

    double sum(const Domain& domain, const std::vector<Clip>& clips = {})
    {
        const Sum s = sumOver(domain, clips, values_);
        work_.isExact = work_.isExact && s.exact;
        return s.value;
    }

    void enterLaunch(const ir::Launch& l)
    {
        LaunchWork launch;
        for (const Expr& extent : l.grid) {
            const auto n = valueOf(extent, values_);
            work_.isExact = work_.isExact && n;
            launch.grid.push_back(n.value_or(1));
            launch.blocks *= launch.grid.back();
        }
        launch.threads = l.threads[0] * l.threads[1] * l.threads[2];
        launch.where = l.where.range;
        work_.launches.push_back(std::move(launch));
        index_.clear();
        pipelined_.clear();
    }

    void enterLoop(const ir::For& loop)
    {
        if (loop.loop == ir::ForKind::kParallel && !parallelNest())
            operation(loop.where, [&] { return nestName(loop); }, OpClass::kMemory);
        if (loop.loop != ir::ForKind::kPipelined)
            return;
        Domain around = domain(false);
        LoopWork made{loop.where.range, static_cast<int>(ir::intAttr(loop.attrs, "num_stages", 0)), 0, sum(around)};
        addAxes(loop, around);
        made.trips = sum(around);
        pipelined_.push_back(static_cast<int>(current().loops.size()));
        current().loops.push_back(made);
    }

    // Everything around the statement. `byThreads`: every thread of the block comes here for itself.
    Domain domain(bool byThreads)
    {
        Domain d;
        const ir::Launch& l = *launch();
        for (std::size_t i = 0; i < l.blockVars.size(); ++i)
            d.binders.push_back({l.blockVars[i], ir::intImm(0, l.blockVars[i]->dtype), l.grid[i], {}, true});
        if (byThreads)
            for (std::size_t i = 0; i < 3; ++i)
                d.binders.push_back({l.threadVars[i], ir::intImm(0, l.threadVars[i]->dtype), ir::intImm(l.threads[i], l.threadVars[i]->dtype), {}, true});
        for (const ir::For* loop : loops())
            addAxes(*loop, d);
        for (const analysis::Guard& g : guards())
            if (const Expr condition = expand(g.condition); byThreads || !isOfThreads(condition))
                d.conditions.push_back({condition, g.holds});
        return d;
    }

    // What a block does is not what its single threads decide.
    bool isOfThreads(const Expr& condition) const
    {
        return std::any_of(launch()->threadVars.begin(), launch()->threadVars.end(), [&](const ir::Var& v) { return ir::mentions(condition, v.get()); });
    }

    void addAxes(const ir::For& loop, Domain& d)
    {
        for (const ir::Axis& axis : loop.axes)
            d.binders.push_back({axis.var, expand(axis.begin), expand(axis.end), expand(axis.step), true});
        if (!loop.persistent)
            return;
        // The blocks share the iterations out.
        for (Binder& b : d.binders)
            b.counts = b.counts && !ir::mentions(loop.persistent->index, b.var.get());
    }

    template <class Name>
    OperationWork& operation(const ir::Provenance& where, Name&& name, OpClass kind)
    {
        work_.isExact = work_.isExact && !insideWhile();
        const auto key = where.op ? std::pair<std::uint32_t, std::uint32_t>{where.op, 0} : std::pair{0U, where.range.begin};
        const auto [found, isNew] = index_.try_emplace(key, current().operations.size());
        if (isNew) {
            OperationWork made;
            made.op = where.op;
            made.name = name();
            made.where = where.range;
            made.kind = kind;
            made.loop = pipelined_.empty() ? -1 : pipelined_.back();
            made.executions = sum(domain(false));
            current().operations.push_back(std::move(made));
        }
        return current().operations[found->second];
    }

    std::vector<Clip> clipsOf(const ir::Region& r)
    {
        std::vector<Clip> clips;
        for (std::size_t i = 0; i < r.mins.size(); ++i)
            clips.push_back({expand(r.mins[i]), expand(r.extents[i]), expand(r.buffer->shape[i])});
        return clips;
    }

    static double bytesOf(ir::DType type, double elements) { return elements * type.bits() * type.lanes / 8.0; }

    // Charges one region; gives its elements.
    double chargeRegion(OperationWork& op, const ir::Region& region, analysis::Effect effect, const Domain& d)
    {
        const std::vector<Clip> clips = clipsOf(region);
        const double elements = sum(d, clips), bytes = bytesOf(region.buffer->dtype, elements);
        const MemoryScope scope = region.buffer->scope;
        if (scope == MemoryScope::kGlobal)
            least_.add(*region.buffer, d, clips, effect, bytes);
        Bytes* level = scope == MemoryScope::kGlobal ? &op.global : scope == MemoryScope::kShared ? &op.shared : nullptr;
        if (scope == MemoryScope::kGlobal && effect.reads)
            noteBlockAxes(op, region);
        if (level) {
            level->read += effect.reads ? bytes : 0;
            level->written += effect.writes ? bytes : 0;
        }
        return elements;
    }

    void noteBlockAxes(OperationWork& op, const ir::Region& region)
    {
        for (const Expr& min : region.mins) {
            const Expr e = expand(min);
            for (std::size_t i = 0; i < launch()->blockVars.size(); ++i)
                op.blockAxes |= ir::mentions(e, launch()->blockVars[i].get()) ? 1U << i : 0;
        }
    }

    void tileOperation(const ir::OpStmt& s)
    {
        const ir::OpInfo& info = ir::info(s.call.op);
        if (info.cls == OpClass::kAnnotation || info.cls == OpClass::kDebug)
            return;
        OperationWork& op = operation(s.where, [&] { return operationName(s.call); }, info.cls);
        const bool isElement = std::all_of(s.call.operands.begin(), s.call.operands.end(), [](const ir::Operand& o) {
            const auto* r = std::get_if<ir::Region>(&o);
            return !r || !r->buffer || ir::isPoint(*r);
        });
        const Domain d = domain(isElement && !parallelNest() && info.cls == OpClass::kAtomic);
        double most = 0;
        const ir::Region *from = nullptr, *to = nullptr;
        for (std::size_t i = 0; i < s.call.operands.size(); ++i) {
            const auto* region = std::get_if<ir::Region>(&s.call.operands[i]);
            if (!region || !region->buffer || info.operands[std::min(i, info.operands.size() - 1)].role == ir::Role::kBarrier)
                continue;
            const analysis::Effect effect = analysis::effectOf(s.call, i);
            most = std::max(most, chargeRegion(op, *region, effect, d));
            (effect.writes ? to : from) = region;
        }
        if (info.cls == OpClass::kProduct)
            return product(op, s.call, d);
        const bool isFloating = to && to->buffer->dtype.isFloating();
        if (info.cls == OpClass::kReduce || info.cls == OpClass::kScan || info.cls == OpClass::kAtomic || info.cls == OpClass::kReducer)
            op.flops += isFloating ? most : 0;
        op.isLoad = info.cls == OpClass::kCopy && from && to && from->buffer->scope == MemoryScope::kGlobal && to->buffer->scope == MemoryScope::kShared;
        op.elements += op.isLoad ? 0 : most;
    }

    void product(OperationWork& op, const ir::OpCall& call, const Domain& d)
    {
        const ir::Region *a = ir::regionOperand(call, "A"), *c = ir::regionOperand(call, "C");
        if (call.op == ir::OpId::kDp4a) {
            op.flops += 8 * sum(d);
            return;
        }
        // Whole tiles: what lies outside of the tensors was filled with zeros and is multiplied all the same.
        std::vector<Clip> tile;
        const auto add = [&](const Expr& extent) { tile.push_back({ir::intImm(0, extent->dtype), expand(extent), expand(extent)}); };
        for (const Expr& extent : c->extents)
            add(extent);
        const bool isTransposed = ir::boolAttr(call.attrs, "transpose_A", false);
        add(a->extents[a->extents.size() - (isTransposed ? 2 : 1)]);
        const bool isSparse = call.op == ir::OpId::kGemmSp;  // A holds half of its elements
        op.tensorFlops += (isSparse ? 4 : 2) * sum(d, tile);
        op.tensorType = a->buffer->dtype;
        if (c->buffer->scope == MemoryScope::kFragment) {
            double elements = 1;
            for (const Expr& extent : c->extents)
                elements *= static_cast<double>(valueOf(expand(extent), values_).value_or(1));
            op.accumulatorBytes = bytesOf(c->buffer->dtype, elements);
        }
    }

    void element(const ir::Stmt& s, const Expr& value, const ir::Store* store)
    {
        const bool inNest = parallelNest() != nullptr;
        const bool byThreads = !inNest && (!store || store->buffer->scope != MemoryScope::kFragment);
        std::vector<ElementLoad> loads;
        const ElementCost cost = elementCost(value, loads);
        if (!inNest && !store && cost.flops == 0 && loads.empty())
            return;  // an index
        if (!inNest && store && isThreadOwn(store->buffer->scope) && cost.flops == 0 && loads.empty())
            return;  // a counter
        OperationWork& op = operation(s->where, [&] { return store ? fmt::format("store {}", store->buffer->name) : std::string("value"); }, OpClass::kMemory);
        const Domain d = domain(byThreads);
        const double times = sum(d);
        op.flops += cost.flops * times;
        op.special += cost.special * times;
        op.elements += (cost.steps + (store && isMemory(store->buffer->scope) ? 1 : 0)) * times;
        for (const ElementLoad& load : loads)
            elementAccess(op, load.load->buffer, load.load->indices, {true, false}, d, load.guards);
        if (store)
            elementAccess(op, store->buffer, store->indices, {false, true}, d, {});
    }

    void elementAccess(OperationWork& op, const ir::Buffer& buffer, const std::vector<Expr>& indices, analysis::Effect effect, Domain d,
                       const std::vector<analysis::Guard>& guards)
    {
        if (!isMemory(buffer->scope))
            return;
        for (const analysis::Guard& g : guards)
            d.conditions.push_back({expand(g.condition), g.holds});
        ir::Region region{buffer, indices, {}};
        for (const Expr& i : indices)
            region.extents.push_back(ir::intImm(1, i->dtype));
        if (effect.reads)
            onceWhereRepeated(d, region);
        (void)chargeRegion(op, region, effect, d);
    }

    // A value that the axes of the nest repeat is read once: it comes from a register or one broadcast.
    void onceWhereRepeated(Domain& d, const ir::Region& region)
    {
        for (const ir::For* loop : loops()) {
            if (loop->loop != ir::ForKind::kParallel)
                continue;
            for (const ir::Axis& axis : loop->axes) {
                const auto uses = [&](const Expr& e) { return ir::mentions(expand(e), axis.var.get()); };
                if (std::any_of(region.mins.begin(), region.mins.end(), uses))
                    continue;
                for (Binder& b : d.binders)
                    b.counts = b.counts && b.var != axis.var;
            }
        }
    }

    const Values& values_;
    LeastBytes least_;
    Work work_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> index_;
    std::vector<int> pipelined_;
};

}  // namespace

double Work::flops() const
{
    double sum = 0;
    for (const LaunchWork& l : launches)
        for (const OperationWork& op : l.operations)
            sum += op.tensorFlops + op.flops;
    return sum;
}

Work workOf(const ir::Function& tileStage, const Values& values)
{
    Counter counter(tileStage, values);
    counter.visit(tileStage.body);
    return counter.take();
}

}  // namespace tw::profile_analysis
