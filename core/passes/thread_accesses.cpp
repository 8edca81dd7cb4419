#include "core/passes/thread_accesses.h"

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::passes {

using analysis::storageOf;
using ir::as;
using ir::Expr;
using ir::MemoryScope;
using ir::OpId;
using ir::Stmt;

namespace {

constexpr std::int64_t kMatrixRowBytes = 16;

class Expansion final : public ir::Rewriter {
public:
    explicit Expansion(const std::map<const ir::ExprNode*, Expr>& bindings) : bindings_(bindings) {}
    using ir::Rewriter::rewrite;
    Expr rewrite(const Expr& e) override
    {
        if (!e || e->kind != ir::ExprKind::kVar)
            return rewriteChildren(e);
        const auto found = bindings_.find(e.get());
        return found == bindings_.end() ? e : found->second;
    }

private:
    const std::map<const ir::ExprNode*, Expr>& bindings_;
};

bool isMemory(const ir::BufferNode& storage)
{
    return storage.scope == MemoryScope::kShared || storage.scope == MemoryScope::kGlobal;
}

class EventVisitor final : public ir::Visitor {
public:
    EventVisitor(const Place& place, const ir::StmtNode* statement)
        : place_(place), statement_(statement), bindings_(*place.bindings), threads_(place.threads)
    {
        if (statement)
            where_ = statement->where;
    }
    std::vector<MemoryEvent> events;

    using ir::Visitor::visit;

    void visit(const Stmt& s) override
    {
        if (!s)
            return;
        if (s->kind == ir::StmtKind::kSeq)
            return ir::Visitor::visit(s);
        const ir::StmtNode* outer = statement_;
        const ir::Provenance outerWhere = where_;
        statement_ = s.get();
        where_ = s->where;
        const auto* loop = as<ir::For>(s);
        if (loop) {
            own_.push_back(loop->axes[0]);
            ownOps_.push_back(loop->where.op);
        }
        if (const auto* branch = as<ir::If>(s))
            visitArms(*branch);
        else
            ir::Visitor::visit(s);
        if (loop) {
            own_.pop_back();
            ownOps_.pop_back();
        }
        if (const auto* store = as<ir::Store>(s))
            note(store->buffer, store->indices, 1, {false, true}, false, Engine::kNone);
        if (const auto* bind = as<ir::Bind>(s); bind && bind->value->dtype.isInteger() && !ir::hasRuntimeValue(bind->value))
            bindings_[bind->var.get()] = expanded(bind->value, bindings_);
        statement_ = outer;
        where_ = outerWhere;
    }

    void visit(const Expr& e) override
    {
        ir::Visitor::visit(e);
        if (const auto* load = as<ir::Load>(e))
            note(load->buffer, load->indices, 1, {true, false}, false, Engine::kNone);
    }

    void visit(const ir::OpCall& call) override
    {
        ir::Visitor::visit(call);
        const bool atomic = ir::info(call.op).cls == ir::OpClass::kAtomic;
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer)
                note(region->buffer, region->mins, elementsOf(call, *region), analysis::effectOf(call, i), atomic, engineOf(call.op));
        if (const Engine engine = waitedFor(call.op); engine != Engine::kNone) {
            const char* count = engine == Engine::kBulkStore ? "count" : "n";
            const Expr left = engine == Engine::kBulkLoad ? Expr{} : ir::exprOperand(call, count);
            events.push_back({{}, engine, !left || ir::isZero(left)});
        }
    }

private:
    void visitArms(const ir::If& branch)
    {
        visit(branch.condition);
        const auto all = threads_;
        threads_ = restricted(*all, expanded(branch.condition, bindings_), true);
        visit(branch.then);
        if (branch.otherwise) {
            threads_ = restricted(*all, expanded(branch.condition, bindings_), false);
            visit(branch.otherwise);
        }
        threads_ = all;
    }

    static std::int64_t elementsOf(const ir::OpCall& call, const ir::Region& region)
    {
        const std::int64_t bits = region.buffer->dtype.bits() * region.buffer->dtype.lanes;
        if (call.op == OpId::kLdMatrix || call.op == OpId::kStMatrix)
            return region.buffer->scope == MemoryScope::kShared ? kMatrixRowBytes * 8 / bits : 1;
        if (call.op == OpId::kCpAsync)
            return ir::intAttr(call.attrs, "count", 1);
        std::int64_t count = 1;
        for (const Expr& extent : region.extents)
            count *= ir::asInt(extent) ? *ir::asInt(extent) : 0;
        return count;
    }

    void note(const ir::Buffer& buffer, const std::vector<Expr>& index, std::int64_t elements, analysis::Effect effect, bool atomic,
              Engine engine)
    {
        const ir::BufferNode* storage = storageOf(buffer.get());
        if (!isMemory(*storage) || (!effect.reads && !effect.writes))
            return;
        MemoryAccess a;
        a.storage = storage;
        a.view = buffer.get();
        // A box of several rows, and an operation that walks on from its first element, may touch all of the view.
        const bool located = elements > 0 && engine != Engine::kProduct && (elements == 1 || index.size() == 1);
        if (located)
            for (const Expr& e : index)
                a.index.push_back(expanded(e, bindings_));
        a.elements = elements;
        a.reads = effect.reads;
        a.writes = effect.writes;
        a.atomic = atomic;
        a.engine = engine;
        a.statement = statement_;
        a.ordinal = ordinals_[statement_]++;
        a.where = where_;
        a.loops = place_.loops;
        a.outerLoops = place_.loops.size();
        a.loops.insert(a.loops.end(), own_.begin(), own_.end());
        a.loopOps = place_.loopOps;
        a.loopOps.insert(a.loopOps.end(), ownOps_.begin(), ownOps_.end());
        a.threads = threads_;
        events.push_back({std::move(a), Engine::kNone, false});
    }

    const Place& place_;
    const ir::StmtNode* statement_;
    ir::Provenance where_;
    std::map<const ir::ExprNode*, Expr> bindings_;
    std::vector<ir::Axis> own_;
    std::vector<std::uint32_t> ownOps_;
    std::map<const ir::StmtNode*, int> ordinals_;
    std::shared_ptr<const analysis::ThreadSet> threads_;
};

}  // namespace

Expr expanded(const Expr& e, const std::map<const ir::ExprNode*, Expr>& bindings)
{
    return bindings.empty() ? e : Expansion(bindings).rewrite(e);
}

std::shared_ptr<const analysis::ThreadSet> restricted(const analysis::ThreadSet& threads, const Expr& condition, bool holds)
{
    auto some = std::make_shared<analysis::ThreadSet>(threads);
    some->restrictTo(condition, holds);
    return some;
}

std::vector<MemoryEvent> eventsOf(const Stmt& s, const Place& place)
{
    EventVisitor visitor(place, nullptr);
    static_cast<ir::Visitor&>(visitor).visit(s);
    return std::move(visitor.events);
}

std::vector<MemoryEvent> eventsOf(const Expr& e, const Stmt& within, const Place& place)
{
    EventVisitor visitor(place, within.get());
    static_cast<ir::Visitor&>(visitor).visit(e);
    return std::move(visitor.events);
}

}  // namespace tw::passes
