#include "core/passes/own_expressions.h"

#include "core/ir/call.h"
#include "core/ir/visit.h"
#include "core/passes/layout_solver.h"

namespace tw::passes {

using ir::Buffer;
using ir::Expr;
using ir::Region;
using ir::Stmt;

namespace {

class Renamer final : public ir::Rewriter {
public:
    explicit Renamer(const BufferNames& to) : to_(to) {}
    Buffer rewriteBuffer(const Buffer& b) override
    {
        const auto found = to_.find(b.get());
        return found == to_.end() ? b : found->second;
    }

private:
    const BufferNames& to_;
};

class OwnLoads final : public ir::Visitor {
public:
    std::vector<Buffer> found;
    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        if (const auto* load = ir::as<ir::Load>(e); load && isSpread(load->buffer))
            found.push_back(load->buffer);
        ir::Visitor::visit(e);
    }
    void visit(const ir::OpCall& call) override
    {
        for (const ir::Operand& operand : call.operands)
            if (const auto* e = std::get_if<Expr>(&operand))
                visit(*e);
            else if (const auto* region = std::get_if<Region>(&operand); region && region->buffer) {
                for (const Expr& min : region->mins)
                    visit(min);
                if (isSpread(region->buffer) && ir::info(call.op).cls == ir::OpClass::kDebug)
                    found.push_back(region->buffer);
            }
    }
    void visit(const Stmt&) override {}
};

void visitOwn(const Stmt& s, ir::Visitor& visitor)
{
    if (const auto* branch = ir::as<ir::If>(s))
        return visitor.visit(branch->condition);
    if (const auto* loop = ir::as<ir::While>(s))
        return visitor.visit(loop->condition);
    if (const auto* loop = ir::as<ir::For>(s)) {
        for (const ir::Axis& axis : loop->axes) {
            visitor.visit(axis.begin);
            visitor.visit(axis.end);
        }
        return;
    }
    if (const auto* bind = ir::as<ir::Bind>(s))
        return visitor.visit(bind->value);
    if (const auto* store = ir::as<ir::Store>(s)) {
        visitor.visit(store->value);
        for (const Expr& index : store->indices)
            visitor.visit(index);
        return;
    }
    if (const auto* op = ir::as<ir::OpStmt>(s))
        visitor.visit(op->call);
}

}  // namespace

std::vector<Buffer> fragmentsLoadedBy(const Stmt& s)
{
    OwnLoads loads;
    visitOwn(s, loads);
    return std::move(loads.found);
}

Stmt renamed(const Stmt& s, const BufferNames& to) { return Renamer(to).rewrite(s); }

Stmt renamedOwn(const Stmt& s, const BufferNames& to)
{
    Renamer renamer(to);
    if (const auto* branch = ir::as<ir::If>(s))
        return std::make_shared<ir::If>(renamer.rewrite(branch->condition), branch->then, branch->otherwise, s->where);
    if (const auto* loop = ir::as<ir::For>(s)) {
        auto next = std::make_shared<ir::For>(*loop);
        for (ir::Axis& axis : next->axes) {
            axis.begin = renamer.rewrite(axis.begin);
            axis.end = renamer.rewrite(axis.end);
        }
        return next;
    }
    return renamer.rewrite(s);
}

}  // namespace tw::passes
