#include "core/passes/lower_threads.h"

#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/layout/shared.h"
#include "core/passes/cluster_copies.h"
#include "core/passes/layout_solver.h"
#include "core/passes/lower_bulk_copy.h"
#include "core/passes/lower_product.h"
#include "core/passes/lower_steps.h"
#include "core/passes/thread_tiles.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Buffer;
using ir::Expr;
using ir::OpId;
using ir::Region;
using ir::Stmt;

// The layouts that stand behind the allocations.
class Annotations final : public ir::Visitor {
public:
    std::unordered_map<const ir::BufferNode*, Ref<const ir::LayoutMap>> maps;
    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && op->call.op == OpId::kAnnotateLayout)
            maps[std::get<Region>(op->call.operands[0]).buffer.get()] = std::get<Ref<const ir::LayoutMap>>(op->call.operands[1]);
        ir::Visitor::visit(s);
    }
};

class ThreadLowerer final : public AccessLowerer {
public:
    ThreadLowerer(const ir::Function& function, PassContext& context)
        : AccessLowerer(state_, none_), context_(context), groups_(threadGroups(function)), warpGroups_(allowsWarpGroups(function))
    {
        ir::Visitor& visitor = annotations_;
        visitor.visit(function.body);
    }

    using AccessLowerer::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        switch (s->kind) {
        case ir::StmtKind::kLaunch: return launch(s);
        case ir::StmtKind::kAllocate: return allocate(s);
        case ir::StmtKind::kFor: return loop(s);
        case ir::StmtKind::kOp: return operation(s);
        default: return AccessLowerer::rewrite(s);
        }
    }

private:
    Stmt launch(const Stmt& s)
    {
        const auto& launch = static_cast<const ir::Launch&>(*s);
        launch_ = &launch;
        meetings_.emplace(launch);
        state_.threads = threadCount(launch);
        const int axes = static_cast<int>(std::count_if(launch.threads.begin(), launch.threads.end(), [](I n) { return n > 1; }));
        ir::Var flat;
        if (axes > 1) {
            flat = newVar("tid");
            state_.thread = flat;
        } else {
            state_.thread = flatThread(launch);
        }
        Stmt body = rewrite(launch.body);
        if (flat)
            body = ir::sequence({std::make_shared<ir::Bind>(flat, flatThread(launch), launch.where), body});
        auto next = std::make_shared<ir::Launch>(launch);
        for (Expr& extent : next->grid)
            extent = rewrite(extent);
        next->body = panelSize_ > 0 && next->blockVars.size() >= 2 && next->cluster.empty() ? inPanels(*next, body) : body;
        next->attrs["execution"] = std::string("simt");
        next->attrs.insert(launchAttrs_.begin(), launchAttrs_.end());
        if (!sources_.empty()) {
            ir::Attr& prelude = next->attrs.try_emplace("prelude", std::string()).first->second;
            prelude = std::get<std::string>(prelude) + sources_;
            sources_.clear();
        }
        launchAttrs_.clear();
        panelSize_ = 0;
        launch_ = nullptr;
        return next;
    }

    // T.use_swizzle: blocks walk the grid in panels of rows (columns), back and forth, so that those that run together share rows
    // and columns of the operands in L2 (compiler.md 5.7). Every block of the grid is met once, the last panel may be thinner.
    Stmt inPanels(ir::Launch& launch, Stmt body) const
    {
        const std::size_t along = panelsOfColumns_ ? 1 : 0;  // the axis that a panel spans
        const std::size_t across = 1 - along;
        const ir::Var alongVar = launch.blockVars[along], acrossVar = launch.blockVars[across];
        const ir::Var a = newVar(alongVar->name + "_raw"), c = newVar(acrossVar->name + "_raw");
        launch.blockVars[along] = a;
        launch.blockVars[across] = c;
        const auto bind = [&](const ir::Var& v, Expr value) { return std::make_shared<ir::Bind>(v, ir::cast(v->dtype, std::move(value)), launch.where); };
        const Expr width = ir::cast(ir::kInt32, launch.grid[along]), height = ir::cast(ir::kInt32, launch.grid[across]), p = ir::intImm(panelSize_);
        const ir::Var block = newVar("block"), panel = newVar("panel"), rest = newVar("rest"), rows = newVar("rows");
        const Expr turned = ir::binary(ir::BinaryOp::kEq, ir::floorMod(panel, ir::intImm(2)), ir::intImm(1));
        const Expr step = ir::floorDiv(rest, rows);
        return ir::sequence({bind(block, ir::add(ir::mul(c, width), a)), bind(panel, ir::floorDiv(block, ir::mul(p, width))),
                             bind(rest, ir::sub(block, ir::mul(panel, ir::mul(p, width)))),
                             bind(rows, ir::min(p, ir::sub(height, ir::mul(panel, p)))),
                             bind(alongVar, ir::select(turned, ir::sub(ir::sub(width, ir::intImm(1)), step), step, false)),
                             bind(acrossVar, ir::add(ir::mul(panel, p), ir::floorMod(rest, rows))), std::move(body)});
    }

    Stmt allocate(const Stmt& s)
    {
        const Buffer& buffer = static_cast<const ir::Allocate&>(*s).buffer;
        const auto map = annotations_.maps.find(buffer.get());
        if (isSpread(buffer)) {
            const auto f = map == annotations_.maps.end() ? std::nullopt : layout::fromMap(*map->second, state_.threads);
            if (!f)
                return ir::sequence({});  // nothing touches it
            if (buffer->viewOf)
                return viewOfFragment(s, *buffer, *f);
            Buffer registers = flat(*buffer, f->registers(), ir::MemoryScope::kLocal);
            state_.spread[buffer.get()] = {*f, registers};
            return std::make_shared<ir::Allocate>(registers, s->where);
        }
        if (buffer->scope == ir::MemoryScope::kShared && !buffer->address) {
            auto memory = std::make_shared<ir::BufferNode>(*flat(*buffer, sizeOf(*buffer, map), ir::MemoryScope::kShared));
            if (buffer->viewOf)
                memory->viewOf = state_.shared.at(buffer->viewOf.get()).memory;
            memory->viewOffset = buffer->viewOffset;
            memory->staticShared = buffer->staticShared;
            state_.shared[buffer.get()] = {map == annotations_.maps.end() ? layout::rowMajor(shapeOf(*buffer)) : map->second, memory};
            return std::make_shared<ir::Allocate>(memory, s->where);
        }
        return AccessLowerer::rewrite(s);
    }

    // The layout solver has carried the layout over: the same registers, maybe under another type.
    Stmt viewOfFragment(const Stmt& s, const ir::BufferNode& view, const layout::Fragment& f)
    {
        const auto base = state_.spread.find(view.viewOf.get());
        if (base == state_.spread.end() || view.viewOffset != 0 || view.dtype.bits() != view.viewOf->dtype.bits()) {
            unsupported(s, "this view of a fragment on a GPU: its elements have another size, or it begins within the fragment");
            return ir::sequence({});
        }
        const Buffer own = static_cast<const ir::Allocate&>(*s).buffer;
        if (view.dtype == view.viewOf->dtype) {
            state_.spread[own.get()] = {f, base->second.registers};
            return ir::sequence({});
        }
        auto registers = std::make_shared<ir::BufferNode>(*flat(view, f.registers(), ir::MemoryScope::kLocal));
        registers->viewOf = base->second.registers;
        state_.spread[own.get()] = {f, registers};
        return std::make_shared<ir::Allocate>(registers, s->where);
    }

    I sizeOf(const ir::BufferNode& buffer, const std::unordered_map<const ir::BufferNode*, Ref<const ir::LayoutMap>>::const_iterator& map) const
    {
        I size = 1;
        for (const I extent : shapeOf(buffer))
            size *= extent;
        return map == annotations_.maps.end() ? size : std::max<I>(layout::physicalSize(*map->second), 1);
    }

    static Buffer flat(const ir::BufferNode& like, I elements, ir::MemoryScope scope)
    {
        auto buffer = std::make_shared<ir::BufferNode>();
        buffer->name = like.name;
        buffer->dtype = like.dtype;
        buffer->shape = {ir::intImm(elements)};
        buffer->scope = scope;
        buffer->where = like.where;
        return buffer;
    }

    Stmt loop(const Stmt& s)
    {
        const auto& loop = static_cast<const ir::For&>(*s);
        if (!launch_)
            return AccessLowerer::rewrite(s);
        if (loop.loop == ir::ForKind::kParallel)
            return lowerNest(loop, state_, launch_->threadVars, context_.diagnostics);
        const Stmt inner = AccessLowerer::rewrite(s);
        auto next = std::make_shared<ir::For>(static_cast<const ir::For&>(*inner));
        if (loop.loop == ir::ForKind::kPipelined || loop.loop == ir::ForKind::kPersistent)
            next->loop = ir::ForKind::kSerial;
        if (loop.loop == ir::ForKind::kVectorized)
            next->loop = ir::ForKind::kUnrolled;
        next->attrs.clear();
        return next;
    }

    Stmt operation(const Stmt& s)
    {
        const auto& op = static_cast<const ir::OpStmt&>(*s);
        const auto& info = ir::info(op.call.op);
        if (op.call.op == OpId::kGemm || op.call.op == OpId::kWgmmaGemm)
            return product(s, op.call);
        if (op.call.op == OpId::kTmaCopy)
            return bulkCopy(s, op.call);
        if (op.call.op == OpId::kCopyCluster) {
            auto lowered = lowerClusterCopy(op.call, state_, *meetings_, groups_.at(s.get()), launch_->threadVars, context_.diagnostics, s->where);
            if (const auto* done = std::get_if<Stmt>(&lowered))
                return *done;
            context_.diagnostics.error(Code::kNotSupported, s->where.range, std::get<std::string>(lowered));
            return ir::sequence({});
        }
        if (info.cls == ir::OpClass::kAnnotation)
            return annotation(s, op.call);
        if (info.stage != ir::StageMask::kTile)
            return AccessLowerer::rewrite(s);
        if (info.cls == ir::OpClass::kReduce) {
            const Region& src = *ir::regionOperand(op.call, "src");
            const Region& dst = *ir::regionOperand(op.call, "dst");
            if (state_.spread.contains(src.buffer.get()) && state_.spread.contains(dst.buffer.get()))
                return reduceByThreads(op.call, state_, s->where);
        }
        unsupported(s, fmt::format("T.{} on {}", info.name, context_.target.name));
        return ir::sequence({});
    }

    // What a launch has to know stands at the launch; the others have done their work.
    Stmt annotation(const Stmt& s, const ir::OpCall& call)
    {
        switch (call.op) {
        case OpId::kMinBlocksPerSm: launchAttrs_["min_blocks_per_sm"] = ir::intAttr(call.attrs, "n", 1); break;
        case OpId::kUseSwizzle: {
            panelSize_ = ir::intAttr(call.attrs, "panel_size", 8);
            const auto order = call.attrs.find("order");
            panelsOfColumns_ = order != call.attrs.end() && order->second == ir::Attr(std::string("column"));
            break;
        }
        case OpId::kImportSource:
            if (const auto source = call.attrs.find("source"); source != call.attrs.end())
                sources_ += std::get<std::string>(source->second) + "\n";
            break;
        case OpId::kAnnotateRestrict: {
            std::vector<std::string> names;
            for (const ir::Operand& operand : call.operands)
                if (const auto* region = std::get_if<Region>(&operand); region && region->buffer)
                    names.push_back(region->buffer->name);
            launchAttrs_["may_alias"] = std::move(names);
            break;
        }
        case OpId::kSetMaxNreg: case OpId::kAssume: return AccessLowerer::rewrite(s);
        default: break;
        }
        return ir::sequence({});
    }

    Stmt product(const Stmt& s, const ir::OpCall& call)
    {
        const ThreadGroup& group = groups_.at(s.get());
        ProductPlan plan = planProduct(call, group.count, context_.target, warpGroups_ && group.first % 128 == 0);
        const auto operand = [&](const char* name) -> std::optional<ProductOperand> {
            const Region& region = *ir::regionOperand(call, name);
            if (const auto tile = state_.spread.find(region.buffer.get()); tile != state_.spread.end())
                return RegisterOperand{tile->second.registers};
            const auto tile = state_.shared.find(region.buffer.get());
            if (tile == state_.shared.end())
                return std::nullopt;
            std::vector<Expr> mins;
            for (const Expr& min : region.mins)
                mins.push_back(rewrite(min));
            return SharedOperand{tile->second.memory, tile->second.map, std::move(mins)};
        };
        const auto a = operand("A"), b = operand("B"), c = operand("C");
        if (!a || !b || !c || !std::holds_alternative<RegisterOperand>(*c)) {
            unsupported(s, "a product of these operands on a GPU");
            return ir::sequence({});
        }
        ir::OpCall next = call;
        for (ir::Operand& value : next.operands)
            if (auto* e = std::get_if<Expr>(&value))
                *e = rewrite(*e);
        const Expr thread = group.first == 0 ? state_.thread : ir::sub(state_.thread, ir::intImm(group.first));
        const ProductOperands operands{*a, *b, std::get<RegisterOperand>(*c)};
        std::string problem = productProblem(plan, operands);
        if (call.op == OpId::kGemm && plan.engine == ProductEngine::kWgmma && (!problem.empty() || !isLayoutOf(call, plan.c, group.first))) {
            // The layouts were chosen for warps.
            plan = planProduct(call, group.count, context_.target, false);
            problem = productProblem(plan, operands);
        }
        if (!problem.empty()) {
            context_.diagnostics.error(Code::kNotSupported, s->where.range, problem);
            return ir::sequence({});
        }
        return lowerProduct(next, plan, operands, thread, s->where);
    }

    Stmt bulkCopy(const Stmt& s, const ir::OpCall& call)
    {
        const SharedTile* tile = nullptr;
        ir::OpCall next = call;
        for (ir::Operand& operand : next.operands) {
            auto* region = std::get_if<Region>(&operand);
            if (!region || !region->buffer)
                continue;
            if (const auto found = state_.shared.find(region->buffer.get()); found != state_.shared.end())
                tile = &found->second;
            for (auto* list : {&region->mins, &region->extents})
                for (Expr& e : *list)
                    e = rewrite(e);
        }
        if (!tile) {
            unsupported(s, "a bulk copy that does not touch shared memory");
            return ir::sequence({});
        }
        auto lowered = lowerBulkCopy(next, *tile, groups_.at(s.get()), state_.thread, s->where);
        if (auto* done = std::get_if<Stmt>(&lowered))
            return *done;
        context_.diagnostics.error(Code::kNotSupported, s->where.range, std::get<std::string>(lowered));
        return ir::sequence({});
    }

    bool isLayoutOf(const ir::OpCall& product, layout::Fragment f, I first) const
    {
        // A layout read back from the IR takes its group to reach to the block's last thread.
        f.firstThread = first;
        f.threads = state_.threads - first;
        return state_.spread.at(ir::regionOperand(product, "C")->buffer.get()).layout == f;
    }

    void unsupported(const Stmt& s, const std::string& what)
    {
        context_.diagnostics.error(Code::kNotSupported, s->where.range, "not supported: " + what);
    }

    ThreadTiles state_;
    VarDigits none_;
    PassContext& context_;
    std::unordered_map<const ir::StmtNode*, ThreadGroup> groups_;
    bool warpGroups_;
    Annotations annotations_;
    const ir::Launch* launch_ = nullptr;
    std::optional<Meetings> meetings_;
    ir::Attrs launchAttrs_;
    std::string sources_;  // T.import_source
    std::int64_t panelSize_ = 0;
    bool panelsOfColumns_ = false;
};

}  // namespace

ir::Function lowerThreads(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    ThreadLowerer lowerer(in, context);
    out.body = lowerer.rewrite(in.body);
    out.stage = ir::Stage::kThread;
    return out;
}

}  // namespace tw::passes
