#include "core/passes/apply_schedule.h"

#include <algorithm>
#include <map>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/support/check.h"

namespace tw::passes {

using ir::as;
using ir::Expr;
using ir::Stmt;
using schedule::Entry;
using schedule::EntryKind;
using schedule::PipelineKind;

namespace {

// One operation for one iteration: the loop variable becomes the iteration, buffers get their slot, bound variables are new.
class Instance final : public ir::Rewriter {
public:
    std::map<const ir::ExprNode*, Expr> values;
    std::map<const ir::BufferNode*, ir::Buffer> versions;
    Expr slot;
    bool async = false;   // copies into slots become cp.async
    bool rename = false;  // not the only instance

    using ir::Rewriter::rewrite;

    ir::Var rewriteVar(const ir::Var& v) override
    {
        if (!rename)
            return v;
        auto fresh = std::make_shared<const ir::VarNode>(v->dtype, v->name, v->where);
        values[v.get()] = fresh;
        return fresh;
    }

    Expr rewrite(const Expr& e) override
    {
        if (e && e->kind == ir::ExprKind::kVar) {
            const auto found = values.find(e.get());
            return found == values.end() ? e : found->second;
        }
        const Expr next = rewriteChildren(e);
        const auto* load = as<ir::Load>(next);
        if (!load || !versions.contains(load->buffer.get()))
            return next;
        return std::make_shared<ir::Load>(load->dtype, versions.at(load->buffer.get()), inSlot(load->indices), load->where);
    }

    ir::Region rewrite(const ir::Region& r) override
    {
        ir::Region next = ir::Rewriter::rewrite(r);
        if (const auto found = versions.find(next.buffer.get()); found != versions.end()) {
            next.buffer = found->second;
            next.mins = inSlot(next.mins);
            next.extents.insert(next.extents.begin(), ir::intImm(1));
        }
        return next;
    }

    Stmt rewrite(const Stmt& s) override
    {
        const bool copiesAhead = async && writesSlot(s);
        const Stmt next = rewriteChildren(s);
        if (const auto* store = as<ir::Store>(next); store && versions.contains(store->buffer.get()))
            return std::make_shared<ir::Store>(versions.at(store->buffer.get()), inSlot(store->indices), store->value, store->where);
        return copiesAhead ? startedOnly(next) : next;
    }

private:
    std::vector<Expr> inSlot(std::vector<Expr> indices) const
    {
        indices.insert(indices.begin(), slot);
        return indices;
    }

    bool writesSlot(const Stmt& s) const
    {
        if (const auto* op = as<ir::OpStmt>(s))
            return op->call.op == ir::OpId::kCopy && versions.contains(ir::regionOperand(op->call, "dst")->buffer.get());
        const auto* loop = as<ir::For>(s);
        return loop && loop->loop == ir::ForKind::kParallel;  // a nest of element copies: nothing else is in such an operation
    }

    // The same copy, not waited for.
    static Stmt startedOnly(const Stmt& s)
    {
        if (const auto* op = as<ir::OpStmt>(s)) {
            ir::OpCall call{ir::OpId::kAsyncCopy, op->call.operands, {{"no_commit", true}}};
            for (const char* kept : {"coalesced_width", "loop_layout"})
                if (const auto found = op->call.attrs.find(kept); found != op->call.attrs.end())
                    call.attrs.insert(*found);
            return std::make_shared<ir::OpStmt>(std::move(call), op->where);
        }
        auto nest = std::make_shared<ir::For>(*as<ir::For>(s));
        nest->attrs["async"] = true;
        nest->attrs["no_commit"] = true;
        return nest;
    }
};

bool isSimple(const Expr& e)
{
    return ir::isConstant(e) || e->kind == ir::ExprKind::kVar;
}

class ScheduleLowering {
public:
    ScheduleLowering(const ir::For& loop, const schedule::Schedule& schedule)
        : loop_(loop), schedule_(schedule), scope_(schedule.scopes.at(0)), program_(scope_.programs.at(0)), last_(scope_.lastStage())
    {
        TW_CHECK(schedule.roles.size() == 1 && schedule.scopes.size() == 1, "a schedule of one role and one loop");
    }

    AppliedSchedule run()
    {
        makeBuffers();
        std::vector<Stmt> out;
        for (const ir::Buffer& tile : result_.registers)
            out.push_back(std::make_shared<ir::Allocate>(tile, loop_.where));
        begin_ = evaluatedOnce(loop_.axes[0].begin, "first", out);
        end_ = evaluatedOnce(loop_.axes[0].end, "stop", out);
        for (int step = 0; step < last_; ++step)
            emit(out, [&](int stage) { return ir::add(begin_, ir::intImm(step - stage)); }, step);
        out.push_back(steadyLoop());
        if (hasGroups())
            out.push_back(op(ir::OpId::kWaitGroup, {ir::intImm(0)}));
        result_.stmt = ir::sequence(std::move(out));
        return std::move(result_);
    }

private:
    void makeBuffers()
    {
        for (const schedule::Pipeline& pipe : schedule_.pipelines) {
            TW_CHECK(pipe.kind != PipelineKind::kBarriers, "a pipeline without barriers");
            for (const ir::Buffer& buffer : pipe.buffers)
                if (pipe.kind == PipelineKind::kRegisters)
                    result_.registers.push_back(buffer);
                else
                    result_.versions.push_back({buffer, withSlots(*buffer, pipe.depth)});
        }
    }

    static ir::Buffer withSlots(const ir::BufferNode& buffer, int depth)
    {
        auto after = std::make_shared<ir::BufferNode>(buffer);
        after->shape.insert(after->shape.begin(), ir::intImm(depth));
        TW_CHECK(buffer.strides.empty(), "a shared buffer is contiguous");
        return after;
    }

    // The bounds of a loop are values of its beginning, whatever its body stores.
    Expr evaluatedOnce(const Expr& e, const char* suffix, std::vector<Stmt>& out) const
    {
        if (isSimple(e) || !ir::hasRuntimeValue(e))
            return e;
        const auto var = std::make_shared<const ir::VarNode>(e->dtype, loop_.axes[0].var->name + "_" + suffix, e->where);
        out.push_back(std::make_shared<ir::Bind>(var, e, loop_.where));
        return var;
    }

    Stmt steadyLoop() const
    {
        const ir::Var& k = loop_.axes[0].var;
        std::vector<Stmt> body;
        emit(body, [&](int stage) { return ir::add(k, ir::intImm(last_ - stage)); }, -1);
        return std::make_shared<ir::For>(ir::ForKind::kSerial, std::vector<ir::Axis>{{k, begin_, end_, {}}}, ir::sequence(std::move(body)),
                                         ir::Attrs{}, loop_.where);
    }

    // One step: `step` of the prologue, or the steady loop's (-1).
    template <class IterationOf>
    void emit(std::vector<Stmt>& out, IterationOf iterationOf, int step) const
    {
        for (std::size_t place = 0; place < program_.entries.size(); ++place) {
            const Entry& entry = program_.entries[place];
            if (step >= 0 && entry.stage > step)
                continue;
            if (entry.kind == EntryKind::kOp)
                emitOp(out, entry, iterationOf(entry.stage), step);
            else if (entry.kind == EntryKind::kCommit && kindOf(entry) == PipelineKind::kCpAsync)
                out.push_back(op(ir::OpId::kCommitGroup, {}));
            else if (entry.kind == EntryKind::kWait && kindOf(entry) == PipelineKind::kCpAsync) {
                out.push_back(op(ir::OpId::kWaitGroup, {ir::intImm(schedule::groupsInFlight(program_, schedule_, place))}));
                out.push_back(op(ir::OpId::kSyncThreads, {}));
            }
        }
    }

    void emitOp(std::vector<Stmt>& out, const Entry& entry, const Expr& iteration, int step) const
    {
        Instance instance;
        const bool newest = step >= 0 || entry.stage < last_;
        instance.rename = newest;
        instance.values[loop_.axes[0].var.get()] = iteration;
        instance.async = isProducer(entry);
        for (const AppliedSchedule::Versions& v : result_.versions)
            instance.versions[v.before.get()] = v.after;
        if (!result_.versions.empty())
            instance.slot = ir::floorMod(ir::sub(iteration, begin_), ir::intImm(depth()));
        const Stmt done = instance.rewrite(scope_.ops[static_cast<std::size_t>(entry.index)]);
        const Expr inside = ir::less(iteration, end_);
        if (!newest || (ir::asInt(inside) && *ir::asInt(inside)))
            return out.push_back(done);
        if (!ir::asInt(inside))
            out.push_back(std::make_shared<ir::If>(inside, done, Stmt{}, loop_.where));
    }

    // Between the acquire and the commit of a pipeline of groups.
    bool isProducer(const Entry& op) const
    {
        bool open = false;
        for (const Entry& entry : program_.entries) {
            if (&entry == &op)
                return open;
            if (entry.kind == EntryKind::kAcquire || entry.kind == EntryKind::kCommit)
                open = entry.kind == EntryKind::kAcquire && kindOf(entry) == PipelineKind::kCpAsync;
        }
        return false;
    }

    PipelineKind kindOf(const Entry& entry) const { return schedule_.pipelines[static_cast<std::size_t>(entry.index)].kind; }
    bool hasGroups() const
    {
        return std::ranges::any_of(schedule_.pipelines, [](const auto& p) { return p.kind == PipelineKind::kCpAsync; });
    }
    int depth() const { return schedule_.pipelines[0].depth; }

    Stmt op(ir::OpId id, std::vector<ir::Operand> operands) const
    {
        return std::make_shared<ir::OpStmt>(ir::OpCall{id, std::move(operands), {}}, loop_.where);
    }

    const ir::For& loop_;
    const schedule::Schedule& schedule_;
    const schedule::Scope& scope_;
    const schedule::Program& program_;
    int last_;
    Expr begin_, end_;
    AppliedSchedule result_;
};

}  // namespace

AppliedSchedule applySchedule(const ir::For& loop, const schedule::Schedule& schedule)
{
    return ScheduleLowering(loop, schedule).run();
}

}  // namespace tw::passes
