#include "core/passes/schedule_pipelines.h"

#include "core/analysis/uniform.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/visit.h"
#include "core/passes/apply_schedule.h"
#include "core/passes/copy_hints.h"
#include "core/passes/plan_schedule.h"
#include "core/support/check.h"

namespace tw::passes {

using ir::as;
using ir::Stmt;

namespace {

// The first pipelined loop in program order, and whether all threads of the block come to it.
class LoopFinder final : public ir::Visitor {
public:
    explicit LoopFinder(const ir::Launch& launch) : uniformity_(launch) {}
    Stmt found;
    bool uniform = true;

    using ir::Visitor::visit;
    void visit(const Stmt& s) override
    {
        if (!s || found)
            return;
        if (const auto* loop = as<ir::For>(s); loop && loop->loop == ir::ForKind::kPipelined) {
            found = s;
            uniform = divergent_ == 0;
            return;
        }
        const bool splits = divides(s);
        divergent_ += splits ? 1 : 0;
        ir::Visitor::visit(s);
        divergent_ -= splits ? 1 : 0;
    }

private:
    bool divides(const Stmt& s) const
    {
        if (const auto* branch = as<ir::If>(s))
            return !uniformity_.isUniform(branch->condition);
        if (const auto* loop = as<ir::While>(s))
            return !uniformity_.isUniform(loop->condition);
        const auto* loop = as<ir::For>(s);
        return loop && loop->loop != ir::ForKind::kParallel &&
               (!uniformity_.isUniform(loop->axes[0].begin) || !uniformity_.isUniform(loop->axes[0].end));
    }

    analysis::Uniformity uniformity_;
    int divergent_ = 0;
};

// Takes the shared buffers that pipelined loops allocate in their bodies out of them, with the layouts that the author gave
// them: copies of a later iteration fill them while an earlier one reads.
class AllocationHoister final : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        const Stmt next = rewriteChildren(s);
        const auto* loop = as<ir::For>(next);
        if (!loop || loop->loop != ir::ForKind::kPipelined)
            return next;
        std::vector<Stmt> out;
        const Stmt body = without(loop->body, out);
        if (out.empty())
            return next;
        auto moved = std::make_shared<ir::For>(*loop);
        moved->body = body ? body : ir::sequence({});
        out.push_back(std::move(moved));
        return ir::sequence(std::move(out));
    }

private:
    // The statement without its allocations; those of loops inside stay there.
    static Stmt without(const Stmt& s, std::vector<Stmt>& out)
    {
        if (isShared(s)) {
            out.push_back(s);
            return {};
        }
        if (const auto* seq = as<ir::Seq>(s)) {
            std::vector<Stmt> rest;
            for (const Stmt& child : seq->stmts)
                if (Stmt kept = without(child, out))
                    rest.push_back(std::move(kept));
            return ir::sequence(std::move(rest));
        }
        const auto* branch = as<ir::If>(s);
        if (!branch)
            return s;
        const Stmt then = without(branch->then, out);
        const Stmt otherwise = branch->otherwise ? without(branch->otherwise, out) : Stmt{};
        if (then == branch->then && otherwise == branch->otherwise)
            return s;
        return std::make_shared<ir::If>(branch->condition, then ? then : ir::sequence({}), otherwise, branch->where);
    }

    static bool isShared(const Stmt& s)
    {
        if (const auto* allocate = as<ir::Allocate>(s))
            return allocate->buffer->scope == ir::MemoryScope::kShared;
        const auto* op = as<ir::OpStmt>(s);
        return op && op->call.op == ir::OpId::kAnnotateLayout &&
               std::get<ir::Region>(op->call.operands[0]).buffer->scope == ir::MemoryScope::kShared;
    }
};

// Puts the scheduled loop in the place of the pipelined one, and its buffers beside those that they replace.
class Replacer final : public ir::Rewriter {
public:
    Replacer(const ir::StmtNode* loop, const AppliedSchedule& applied) : loop_(loop), applied_(applied) {}
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        if (s.get() == loop_)
            return applied_.stmt;
        if (const auto* allocate = as<ir::Allocate>(s))
            if (const auto* versions = versionsOf(allocate->buffer.get()))
                return ir::sequence({s, std::make_shared<ir::Allocate>(versions->after, s->where)});
        if (const auto* op = as<ir::OpStmt>(s); op && op->call.op == ir::OpId::kAnnotateLayout)
            return withLayoutOfSlots(s, *op);
        return rewriteChildren(s);
    }

private:
    const AppliedSchedule::Versions* versionsOf(const ir::BufferNode* buffer) const
    {
        for (const auto& v : applied_.versions)
            if (v.before.get() == buffer)
                return &v;
        return nullptr;
    }

    // The author's layout holds in every slot.
    Stmt withLayoutOfSlots(const Stmt& s, const ir::OpStmt& op) const
    {
        const auto* region = std::get_if<ir::Region>(&op.call.operands[0]);
        const auto* versions = versionsOf(region->buffer.get());
        if (!versions)
            return s;
        auto layout = std::make_shared<ir::LayoutMap>(*std::get<Ref<const ir::LayoutMap>>(op.call.operands[1]));
        const auto slot = std::make_shared<const ir::VarNode>(ir::kInt32, "slot");
        layout->shape.insert(layout->shape.begin(), *ir::asInt(versions->after->shape[0]));
        layout->vars.insert(layout->vars.begin(), slot);
        layout->index.insert(layout->index.begin(), slot);
        const ir::Buffer& after = versions->after;
        ir::Region whole{after, std::vector<ir::Expr>(after->shape.size(), ir::intImm(0)), after->shape};
        ir::OpCall call{op.call.op, {std::move(whole), Ref<const ir::LayoutMap>(std::move(layout))}, op.call.attrs};
        return ir::sequence({s, std::make_shared<ir::OpStmt>(std::move(call), op.where)});
    }

    const ir::StmtNode* loop_;
    const AppliedSchedule& applied_;
};

// Drops shared buffers that only annotations still name.
class UnusedDropper final : public ir::Rewriter {
public:
    explicit UnusedDropper(const ir::Launch& launch) { static_cast<ir::Visitor&>(uses_).visit(launch.body); }
    using ir::Rewriter::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* allocate = as<ir::Allocate>(s); allocate && isUnused(*allocate->buffer))
            return {};
        if (const auto* op = as<ir::OpStmt>(s); op && op->call.op == ir::OpId::kAnnotateLayout)
            if (isUnused(*std::get<ir::Region>(op->call.operands[0]).buffer))
                return {};
        return rewriteChildren(s);
    }

private:
    struct Uses final : ir::Visitor {
        std::set<const ir::BufferNode*> used;
        using ir::Visitor::visit;
        void visit(const Stmt& s) override
        {
            const auto* op = as<ir::OpStmt>(s);
            const auto* allocate = as<ir::Allocate>(s);
            if (allocate && allocate->buffer->viewOf)
                visitBuffer(allocate->buffer->viewOf);
            if (!allocate && !(op && op->call.op == ir::OpId::kAnnotateLayout))
                ir::Visitor::visit(s);
        }
        void visitBuffer(const ir::Buffer& b) override { used.insert(b.get()); }
    };
    bool isUnused(const ir::BufferNode& b) const { return b.scope == ir::MemoryScope::kShared && !uses_.used.contains(&b); }
    Uses uses_;
};

Stmt serial(const ir::For& loop)
{
    return std::make_shared<ir::For>(ir::ForKind::kSerial, loop.axes, loop.body, ir::Attrs{}, loop.where);
}

class LaunchScheduler final : public ir::Rewriter {
public:
    LaunchScheduler(const ir::Function& function, PassContext& context) : function_(function), context_(context) {}
    using ir::Rewriter::rewrite;

    Stmt rewrite(const Stmt& s) override
    {
        if (!as<ir::Launch>(s))
            return rewriteChildren(s);
        auto launch = std::make_shared<ir::Launch>(*as<ir::Launch>(s));
        launch->body = flat(AllocationHoister().rewrite(launch->body));
        bool changed = false;
        while (!context_.stopRequested()) {
            LoopFinder finder(*launch);
            static_cast<ir::Visitor&>(finder).visit(launch->body);
            if (!finder.found)
                break;
            changed = true;
            scheduleLoop(*launch, *as<ir::For>(finder.found), finder.uniform);
        }
        return changed ? launch : s;
    }

private:
    void scheduleLoop(ir::Launch& launch, const ir::For& loop, bool uniform)
    {
        const auto schedule = planSchedule({function_, launch, loop, uniform, context_.target});
        AppliedSchedule applied;
        if (schedule) {
            const auto broken = schedule::verify(*schedule);
            TW_CHECK(broken.empty(), broken.empty() ? "" : broken.front());
            applied = applySchedule(loop, *schedule);
            reportAheadBy(loop.body, applied.stmt, schedule->pipelines.front().kind == schedule::PipelineKind::kRegisters, context_);
        } else {
            applied.stmt = serial(loop);
        }
        launch.body = flat(Replacer(&loop, applied).rewrite(launch.body));
        if (!applied.versions.empty())
            launch.body = UnusedDropper(launch).rewrite(launch.body);
    }

    static Stmt flat(const Stmt& s) { return s ? s : ir::sequence({}); }

    const ir::Function& function_;
    PassContext& context_;
};

}  // namespace

ir::Function schedulePipelines(const ir::Function& in, PassContext& context)
{
    ir::Function out = in;
    out.body = LaunchScheduler(in, context).rewrite(in.body);
    return out;
}

}  // namespace tw::passes
