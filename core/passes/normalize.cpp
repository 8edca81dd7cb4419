#include "core/passes/normalize.h"

#include <set>
#include <utility>

#include "core/ir/build.h"
#include "core/ir/visit.h"

namespace tw::passes {

namespace {

// Whether a break or continue inside belongs to the loop whose body this is.
class JumpFinder : public ir::Visitor {
public:
    bool found = false;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (!s || s->kind == ir::StmtKind::kFor || s->kind == ir::StmtKind::kWhile)
            return;
        found = found || s->kind == ir::StmtKind::kBreak || s->kind == ir::StmtKind::kContinue;
        ir::Visitor::visit(s);
    }
};

class Normalizer : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;

    ir::Expr rewrite(const ir::Expr& e) override
    {
        const ir::Expr next = rewriteChildren(e);
        const auto* load = ir::as<ir::Load>(next);
        if (!load)
            return next;
        auto indices = load->indices;
        if (!fixIndices(load->buffer, indices))
            return next;
        return std::make_shared<ir::Load>(load->dtype, load->buffer, std::move(indices), load->where);
    }

    ir::Region rewrite(const ir::Region& r) override
    {
        ir::Region next = ir::Rewriter::rewrite(r);
        if (next.buffer)
            fixIndices(next.buffer, next.mins);
        return next;
    }

    ir::Stmt rewrite(const ir::Stmt& s) override
    {
        const ir::Stmt next = rewriteChildren(s);
        if (const auto* store = ir::as<ir::Store>(next)) {
            auto indices = store->indices;
            if (fixIndices(store->buffer, indices))
                return std::make_shared<ir::Store>(store->buffer, std::move(indices), store->value, store->where);
        }
        if (const auto* loop = ir::as<ir::For>(next))
            return foldLoop(next, *loop);
        return next;
    }

private:
    static bool fixIndices(const ir::Buffer& buffer, std::vector<ir::Expr>& indices)
    {
        bool changed = false;
        for (std::size_t axis = 0; axis < indices.size() && axis < buffer->shape.size(); ++axis)
            if (const auto* value = ir::asInt(indices[axis]); value && *value < 0) {
                indices[axis] = ir::add(buffer->shape[axis], indices[axis]);
                changed = true;
            }
        return changed;
    }

    // Serial loops only: the others carry a schedule that passes still read.
    static ir::Stmt foldLoop(const ir::Stmt& s, const ir::For& loop)
    {
        if (loop.axes.size() != 1 || (loop.loop != ir::ForKind::kSerial && loop.loop != ir::ForKind::kUnrolled))
            return s;
        const ir::Axis& axis = loop.axes[0];
        const auto* begin = ir::asInt(axis.begin);
        const auto* end = ir::asInt(axis.end);
        const auto* step = axis.step ? ir::asInt(axis.step) : nullptr;
        if (!begin || !end || (axis.step && (!step || *step <= 0)))
            return s;
        if (*end <= *begin)
            return ir::sequence({});
        if (*end - *begin > (step ? *step : 1))
            return s;
        JumpFinder jumps;
        jumps.visit(loop.body);
        return jumps.found ? s : ir::substitute(loop.body, {{axis.var.get(), axis.begin}});
    }
};

// What is bound inside a launch.
class BoundVars : public ir::Visitor {
public:
    std::set<const ir::ExprNode*> vars;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* launch = ir::as<ir::Launch>(s)) {
            for (const ir::Var& var : launch->blockVars)
                vars.insert(var.get());
            for (const ir::Var& var : launch->threadVars)
                vars.insert(var.get());
        }
        if (const auto* bind = ir::as<ir::Bind>(s))
            vars.insert(bind->var.get());
        if (const auto* loop = ir::as<ir::For>(s))
            for (const ir::Axis& axis : loop->axes)
                vars.insert(axis.var.get());
        ir::Visitor::visit(s);
    }
};

// Whether an expression means the same in front of the launch.
class HostKnown : public ir::Visitor {
public:
    explicit HostKnown(const std::set<const ir::ExprNode*>& bound) : bound_(bound) {}
    bool known = true;
    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        known = known && e && e->kind != ir::ExprKind::kLoad && e->kind != ir::ExprKind::kCall && !bound_.contains(e.get());
        if (known)
            ir::Visitor::visit(e);
    }

private:
    const std::set<const ir::ExprNode*>& bound_;
};

class WorkspaceHoister : public ir::Rewriter {
public:
    using ir::Rewriter::rewrite;
    ir::Stmt rewrite(const ir::Stmt& s) override
    {
        if (s->kind == ir::StmtKind::kLaunch) {
            BoundVars bound;
            static_cast<ir::Visitor&>(bound).visit(s);
            bound_ = std::move(bound.vars);
            inLaunch_ = true;
            const ir::Stmt launch = rewriteChildren(s);
            inLaunch_ = false;
            std::vector<ir::Stmt> stmts = std::exchange(hoisted_, {});
            stmts.push_back(launch);
            return ir::sequence(std::move(stmts));
        }
        const auto* allocate = ir::as<ir::Allocate>(s);
        if (!allocate || !inLaunch_ || !isWorkspace(*allocate->buffer))
            return rewriteChildren(s);
        hoisted_.push_back(s);
        return ir::sequence({});
    }

private:
    bool isWorkspace(const ir::BufferNode& buffer) const
    {
        HostKnown host(bound_);
        for (const ir::Expr& extent : buffer.shape)
            static_cast<ir::Visitor&>(host).visit(extent);
        return buffer.scope == ir::MemoryScope::kGlobal && !buffer.viewOf && !buffer.address && host.known;
    }

    std::set<const ir::ExprNode*> bound_;
    std::vector<ir::Stmt> hoisted_;
    bool inLaunch_ = false;
};

}  // namespace

ir::Function normalize(const ir::Function& in, PassContext&)
{
    ir::Function out = in;
    Normalizer normalizer;
    out.body = normalizer.rewrite(in.body);
    if (in.dialect != ir::Dialect::kArray)  // whose arrays begin anew with each iteration
        out.body = WorkspaceHoister().rewrite(out.body);
    return out;
}

}  // namespace tw::passes
