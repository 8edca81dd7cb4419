#include "core/passes/thread_values.h"

#include <algorithm>

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/visit.h"

namespace tw::passes {

using ir::Expr;

namespace {

class ThreadValueFinder final : public ir::Visitor {
public:
    ThreadValueFinder(const std::set<const ir::ExprNode*>& vars, const std::set<const ir::BufferNode*>& buffers) : vars_(vars), buffers_(buffers) {}
    bool found = false;
    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        found = found || (e && vars_.contains(e.get()));
        if (const auto* load = ir::as<ir::Load>(e))
            found = found || buffers_.contains(analysis::storageOf(load->buffer.get()));
        if (const auto* call = ir::as<ir::Call>(e)) {
            const auto cls = ir::info(call->call.op).cls;
            const bool ofThread = cls == ir::OpClass::kThread && call->call.op != ir::OpId::kBlockRank;
            found = found || ofThread || cls == ir::OpClass::kWarp || cls == ir::OpClass::kRandom || cls == ir::OpClass::kAtomic ||
                    cls == ir::OpClass::kExtern;
        }
        if (!found)
            ir::Visitor::visit(e);
    }

private:
    const std::set<const ir::ExprNode*>& vars_;
    const std::set<const ir::BufferNode*>& buffers_;
};

}  // namespace

ThreadValues::ThreadValues(const ir::Launch& launch)
{
    for (std::size_t axis = 0; axis < launch.threadVars.size(); ++axis)
        if (launch.threads[axis] > 1)
            vars_.insert(launch.threadVars[axis].get());
    while (collect(launch.body)) {  // a loop may carry a value from its end to its begin
    }
}

bool ThreadValues::mayDiffer(const Expr& e) const
{
    ThreadValueFinder finder(vars_, buffers_);
    finder.visit(e);
    return finder.found;
}

bool ThreadValues::mayDiffer(const Expr& e, const analysis::ThreadSet& set) const
{
    if (!mayDiffer(e))
        return false;
    const auto values = set.values(e);
    return values.empty() || std::any_of(values.begin(), values.end(), [&](std::int64_t v) { return v != values.front(); });
}

// Whether something new was found.
bool ThreadValues::collect(const ir::Stmt& s)
{
    struct Collector final : ir::Visitor {
        explicit Collector(ThreadValues& v) : values(v) {}
        ThreadValues& values;
        bool changed = false;
        using ir::Visitor::visit;

        void note(const ir::BufferNode* buffer)
        {
            const auto* storage = analysis::storageOf(buffer);
            if (storage->scope == ir::MemoryScope::kLocal || storage->scope == ir::MemoryScope::kVar)
                changed = values.buffers_.insert(storage).second || changed;
        }
        void visit(const ir::Stmt& stmt) override
        {
            if (const auto* bind = ir::as<ir::Bind>(stmt); bind && values.mayDiffer(bind->value))
                changed = values.vars_.insert(bind->var.get()).second || changed;
            if (const auto* loop = ir::as<ir::For>(stmt))
                for (const ir::Axis& axis : loop->axes)
                    if (values.mayDiffer(axis.begin) || values.mayDiffer(axis.end) || (axis.step && values.mayDiffer(axis.step)))
                        changed = values.vars_.insert(axis.var.get()).second || changed;
            if (const auto* store = ir::as<ir::Store>(stmt); store && values.mayDiffer(store->value))
                note(store->buffer.get());
            if (const auto* op = ir::as<ir::OpStmt>(stmt); op && operandsDiffer(op->call))
                for (std::size_t i = 0; i < op->call.operands.size(); ++i)
                    if (const auto* region = std::get_if<ir::Region>(&op->call.operands[i]); region && region->buffer)
                        if (analysis::effectOf(op->call, i).writes)
                            note(region->buffer.get());
            ir::Visitor::visit(stmt);
        }
        [[nodiscard]] bool operandsDiffer(const ir::OpCall& call) const
        {
            for (const ir::Operand& operand : call.operands) {
                if (const auto* e = std::get_if<Expr>(&operand); e && *e && values.mayDiffer(*e))
                    return true;
                const auto* region = std::get_if<ir::Region>(&operand);
                if (!region || !region->buffer)
                    continue;
                if (values.buffers_.contains(analysis::storageOf(region->buffer.get())))
                    return true;
                for (const Expr& min : region->mins)
                    if (values.mayDiffer(min))
                        return true;
            }
            return false;
        }
    } collector(*this);
    static_cast<ir::Visitor&>(collector).visit(s);
    return collector.changed;
}

}  // namespace tw::passes
