#include "core/analysis/walk.h"

#include "core/ir/search.h"

namespace tw::analysis {

using ir::as;
using ir::Expr;
using ir::Stmt;

void Walk::visit(const Stmt& s)
{
    if (!s)
        return;
    const ir::StmtNode* outer = statement_;
    if (s->kind != ir::StmtKind::kSeq)
        statement_ = s.get();
    enter(s);
    if (const auto* loop = as<ir::For>(s)) {
        for (const ir::Axis& axis : loop->axes) {
            visit(axis.begin);
            visit(axis.end);
            visit(axis.step);
        }
        loops_.push_back(loop);
        visit(loop->body);
        loops_.pop_back();
    } else if (const auto* branch = as<ir::If>(s)) {
        visit(branch->condition);
        guards_.push_back({branch->condition, true});
        visit(branch->then);
        guards_.back().holds = false;
        visit(branch->otherwise);
        guards_.pop_back();
    } else if (as<ir::While>(s)) {
        ++whileDepth_;
        ir::Visitor::visit(s);
        --whileDepth_;
    } else if (const auto* launch = as<ir::Launch>(s)) {
        launch_ = launch;
        ir::Visitor::visit(s);
        launch_ = nullptr;
    } else {
        ir::Visitor::visit(s);
        if (const auto* bind = as<ir::Bind>(s))
            lets_[bind->var.get()] = bind->value;
    }
    leave(s);
    statement_ = outer;
}

void Walk::visitGuarded(const Expr& condition, bool holds, const Expr& e)
{
    guards_.push_back({condition, holds});
    visit(e);
    guards_.pop_back();
}

void Walk::visit(const Expr& e)
{
    if (!e)
        return;
    enterExpr(e);
    const auto* select = as<ir::Select>(e);
    if (select && select->lazy) {
        visit(select->condition);
        visitGuarded(select->condition, true, select->then);
        visitGuarded(select->condition, false, select->otherwise);
        return;
    }
    const auto* b = as<ir::Binary>(e);
    if (b && (b->op == ir::BinaryOp::kAnd || b->op == ir::BinaryOp::kOr)) {
        visit(b->a);
        visitGuarded(b->a, b->op == ir::BinaryOp::kAnd, b->b);
        return;
    }
    ir::Visitor::visit(e);
}

const ir::For* Walk::parallelNest() const
{
    for (const ir::For* loop : loops_)
        if (loop->loop == ir::ForKind::kParallel)
            return loop;
    return nullptr;
}

namespace {

class LetExpansion final : public ir::Rewriter {
public:
    explicit LetExpansion(const std::map<const ir::ExprNode*, Expr>& lets) : lets_(lets) {}
    using ir::Rewriter::rewrite;
    Expr rewrite(const Expr& e) override
    {
        if (e && e->kind == ir::ExprKind::kVar) {
            const auto found = lets_.find(e.get());
            return found == lets_.end() ? e : rewrite(found->second);
        }
        return rewriteChildren(e);
    }

private:
    const std::map<const ir::ExprNode*, Expr>& lets_;
};

}  // namespace

Expr Walk::expand(const Expr& e) const
{
    return lets_.empty() ? e : LetExpansion(lets_).rewrite(e);
}

SourceRange Walk::rangeOf(const Expr& e) const
{
    if (e && e->where.range.isKnown())
        return e->where.range;
    return statement_ ? statement_->where.range : SourceRange{};
}

bool leavesEarly(const ir::Stmt& s)
{
    return ir::anyStmt(s, [](const ir::Stmt& stmt) {
        return stmt->kind == ir::StmtKind::kBreak || stmt->kind == ir::StmtKind::kContinue || stmt->kind == ir::StmtKind::kReturn;
    });
}

const ir::BufferNode* storageOf(const ir::BufferNode* buffer)
{
    while (buffer->viewOf)
        buffer = buffer->viewOf.get();
    return buffer;
}

}  // namespace tw::analysis
