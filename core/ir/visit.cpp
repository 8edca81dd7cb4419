#include "core/ir/visit.h"

namespace tw::ir {

void Visitor::visit(const Expr& e)
{
    if (!e)
        return;
    switch (e->kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kStringImm:
    case ExprKind::kVar: return;
    case ExprKind::kLoad:
        visitBuffer(as<Load>(e)->buffer);
        for (const Expr& index : as<Load>(e)->indices)
            visit(index);
        return;
    case ExprKind::kUnary: return visit(as<Unary>(e)->a);
    case ExprKind::kBinary:
        visit(as<Binary>(e)->a);
        return visit(as<Binary>(e)->b);
    case ExprKind::kSelect:
        visit(as<Select>(e)->condition);
        visit(as<Select>(e)->then);
        return visit(as<Select>(e)->otherwise);
    case ExprKind::kCast: return visit(as<Cast>(e)->value);
    case ExprKind::kCall: return visit(as<Call>(e)->call);
    case ExprKind::kRamp:
        visit(as<Ramp>(e)->base);
        return visit(as<Ramp>(e)->stride);
    case ExprKind::kBroadcast: return visit(as<Broadcast>(e)->value);
    case ExprKind::kLane: return visit(as<Lane>(e)->vector);
    }
}

void Visitor::visit(const Region& r)
{
    visitBuffer(r.buffer);
    for (std::size_t i = 0; i < r.mins.size(); ++i) {
        visit(r.mins[i]);
        visit(r.extents[i]);
    }
}

void Visitor::visit(const OpCall& call)
{
    for (const Operand& operand : call.operands) {
        match(operand, [&](const Expr& e) { visit(e); }, [&](const Region& r) { visit(r); },
              [](const Ref<const LayoutMap>&) {});
    }
}

namespace {

void visitLoop(Visitor& visitor, const For& loop)
{
    for (const Axis& axis : loop.axes) {
        visitor.visit(axis.begin);
        visitor.visit(axis.end);
        visitor.visit(axis.step);
    }
    if (loop.persistent) {
        visitor.visit(loop.persistent->waveSize);
        visitor.visit(loop.persistent->index);
        visitor.visit(loop.persistent->groupSize);
    }
    visitor.visit(loop.body);
}

void visitAllocation(Visitor& visitor, const Buffer& buffer)
{
    for (const Expr& extent : buffer->shape)
        visitor.visit(extent);
    for (const Expr& stride : buffer->strides)
        visitor.visit(stride);
    visitor.visit(buffer->address);
    if (buffer->viewOf)
        visitor.visitBuffer(buffer->viewOf);
    visitor.visitBuffer(buffer);
}

}  // namespace

void Visitor::visit(const Stmt& s)
{
    if (!s)
        return;
    switch (s->kind) {
    case StmtKind::kSeq:
        for (const Stmt& child : as<Seq>(s)->stmts)
            visit(child);
        return;
    case StmtKind::kFor: return visitLoop(*this, *as<For>(s));
    case StmtKind::kWhile:
        visit(as<While>(s)->condition);
        return visit(as<While>(s)->body);
    case StmtKind::kBreak:
    case StmtKind::kContinue:
    case StmtKind::kReturn: return;
    case StmtKind::kIf:
        visit(as<If>(s)->condition);
        visit(as<If>(s)->then);
        return visit(as<If>(s)->otherwise);
    case StmtKind::kBind: return visit(as<Bind>(s)->value);
    case StmtKind::kStore:
        for (const Expr& index : as<Store>(s)->indices)
            visit(index);
        visit(as<Store>(s)->value);
        return visitBuffer(as<Store>(s)->buffer);
    case StmtKind::kAllocate: return visitAllocation(*this, as<Allocate>(s)->buffer);
    case StmtKind::kOp: return visit(as<OpStmt>(s)->call);
    case StmtKind::kLaunch:
        for (const Expr& extent : as<Launch>(s)->grid)
            visit(extent);
        return visit(as<Launch>(s)->body);
    case StmtKind::kAssert: return visit(as<Assert>(s)->condition);
    }
}

}  // namespace tw::ir
