#include "core/passes/guard_bounds.h"

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/facts_rewriter.h"

namespace tw::passes {

namespace {

class SafeValueFinder : public ir::Visitor {
public:
    std::map<const ir::BufferNode*, ir::Expr> values;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && op->call.op == ir::OpId::kAnnotateSafeValue)
            if (const auto* region = ir::regionOperand(op->call, "buffer"))
                values[region->buffer.get()] = ir::cast(region->buffer->dtype, ir::exprOperand(op->call, "value"));
        ir::Visitor::visit(s);
    }
};

class EffectFinder : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::OpCall& call) override
    {
        found = found || ir::info(call.op).effect != ir::Effect::kNone;
        ir::Visitor::visit(call);
    }
};

class Guard : public FactsRewriter {
public:
    explicit Guard(const ir::Function& function) : FactsRewriter(function), safe_(safeValues(function)) {}
    using FactsRewriter::rewrite;

    ir::Expr rewrite(const ir::Expr& e) override
    {
        if (const auto* s = ir::as<ir::Select>(e); s && s->lazy)
            return choice(e, *s);
        const ir::Expr next = rewriteChildren(e);
        if (const auto* load = ir::as<ir::Load>(next)) {
            const ir::Expr inside = condition(load->buffer, load->indices);
            return inside ? ir::select(inside, next, safeValue(load->buffer), true, e->where) : next;
        }
        if (const auto* call = ir::as<ir::Call>(next); call && ir::info(call->call.op).cls == ir::OpClass::kAtomic) {
            const ir::Region& target = std::get<ir::Region>(call->call.operands[0]);
            const ir::Expr inside = condition(target.buffer, target.mins);
            return inside ? ir::select(inside, next, zero(call->dtype), true, e->where) : next;
        }
        return next;
    }

    ir::Stmt rewrite(const ir::Stmt& s) override
    {
        const ir::Stmt next = FactsRewriter::rewrite(s);
        if (const auto* store = ir::as<ir::Store>(next)) {
            const ir::Expr inside = condition(store->buffer, store->indices);
            return inside ? std::make_shared<ir::If>(inside, next, ir::Stmt{}, s->where) : next;
        }
        const auto* op = ir::as<ir::OpStmt>(next);
        if (op && isElementAtomic(op->call)) {
            const ir::Region& target = std::get<ir::Region>(op->call.operands[0]);
            const ir::Expr inside = condition(target.buffer, target.mins);
            return inside ? std::make_shared<ir::If>(inside, next, ir::Stmt{}, s->where) : next;
        }
        return next;
    }

private:
    // What the author's own condition guards needs no second one.
    ir::Expr choice(const ir::Expr& e, const ir::Select& s)
    {
        const ir::Expr condition = rewrite(s.condition);
        const auto arm = [&](const ir::Expr& value, bool holds) {
            const auto mark = facts_.mark();
            assume(condition, holds);
            const ir::Expr next = rewrite(value);
            facts_.rewind(mark);
            return next;
        };
        const ir::Expr then = arm(s.then, true), otherwise = arm(s.otherwise, false);
        const bool same = condition == s.condition && then == s.then && otherwise == s.otherwise;
        return same ? e : ir::select(condition, then, otherwise, true, e->where);
    }

    static bool isElementAtomic(const ir::OpCall& call)
    {
        if (ir::info(call.op).cls != ir::OpClass::kAtomic || call.op == ir::OpId::kAtomicLoad)
            return false;
        const auto* target = std::get_if<ir::Region>(&call.operands[0]);
        for (std::size_t i = 1; i < call.operands.size(); ++i)
            if (const auto* source = std::get_if<ir::Region>(&call.operands[i]); source && source->buffer)
                return false;
        return target && ir::isPoint(*target);
    }

    static ir::Expr zero(ir::DType type)
    {
        return type.isFloating() ? ir::constant(type, 0.0) : ir::constant(type, std::int64_t{0});
    }

    ir::Expr safeValue(const ir::Buffer& buffer) const
    {
        const auto found = safe_.find(buffer.get());
        if (found != safe_.end())
            return found->second;
        const ir::Expr value = zero(buffer->dtype.element());
        return buffer->dtype.lanes > 1 ? std::make_shared<ir::Broadcast>(value, buffer->dtype.lanes) : value;
    }

    // Empty: certainly inside, or nothing that can be guarded.
    ir::Expr condition(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices) const
    {
        ir::Expr all;
        if (buffer->scope != ir::MemoryScope::kGlobal || indices.size() != buffer->shape.size())
            return all;
        for (std::size_t axis = 0; axis < indices.size(); ++axis) {
            EffectFinder effects;
            effects.visit(indices[axis]);
            if (effects.found)
                return {};  // an index with an effect is evaluated once
            const auto add = [&](const ir::Expr& inside) {
                if (facts_.prove(expanded(inside)) != arith::Truth::kProved)
                    all = ir::logicalAnd(all, inside);
            };
            add(ir::binary(ir::BinaryOp::kGe, indices[axis], ir::constant(indices[axis]->dtype, std::int64_t{0})));
            add(ir::less(indices[axis], buffer->shape[axis]));
        }
        return all && ir::asInt(all) && *ir::asInt(all) ? ir::Expr{} : all;
    }

    std::map<const ir::BufferNode*, ir::Expr> safe_;
};

}  // namespace

std::map<const ir::BufferNode*, ir::Expr> safeValues(const ir::Function& function)
{
    SafeValueFinder finder;
    finder.visit(function.body);
    return finder.values;
}

bool boundsAreTrusted(const ir::Function& function)
{
    const auto found = function.passConfigs.find("tl.disable_safe_memory_legalize");
    return found != function.passConfigs.end() && std::holds_alternative<bool>(found->second) && std::get<bool>(found->second);
}

ir::Function guardBounds(const ir::Function& in, PassContext&)
{
    if (boundsAreTrusted(in))
        return in;
    ir::Function out = in;
    Guard guard(in);
    out.body = guard.rewrite(in.body);
    return out;
}

}  // namespace tw::passes
