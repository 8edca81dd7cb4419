#include "core/analysis/uniform.h"

#include "core/analysis/effects.h"
#include "core/analysis/walk.h"
#include "core/ir/visit.h"

namespace tw::analysis {

namespace {

using ir::as;
using ir::Expr;
using ir::MemoryScope;
using ir::Stmt;

bool isPrivate(const ir::BufferNode& storage)
{
    return storage.scope == MemoryScope::kLocal || storage.scope == MemoryScope::kVar;
}

bool callIsVariant(const ir::OpCall& call)
{
    using ir::OpClass;
    using ir::OpId;
    switch (call.op) {
    case OpId::kSyncCount: case OpId::kSyncAnd: case OpId::kSyncOr: case OpId::kAnyOf: case OpId::kAllOf: case OpId::kBlockRank: return false;
    default: break;
    }
    const OpClass cls = ir::info(call.op).cls;
    return cls != OpClass::kMath && cls != OpClass::kMemory && cls != OpClass::kAnnotation;
}

class VariantFinder final : public ir::Visitor {
public:
    VariantFinder(const std::set<const ir::ExprNode*>& vars, const std::set<const ir::BufferNode*>& buffers) : vars_(vars), buffers_(buffers) {}
    bool found = false;
    using ir::Visitor::visit;
    void visit(const Expr& e) override
    {
        if (!e || found)
            return;
        if (const auto* load = as<ir::Load>(e)) {
            const ir::BufferNode* storage = storageOf(load->buffer.get());
            found = buffers_.contains(storage) || storage->scope == MemoryScope::kFragment || storage->scope == MemoryScope::kReducer;
        } else if (const auto* call = as<ir::Call>(e)) {
            found = callIsVariant(call->call);
        } else if (e->kind == ir::ExprKind::kVar) {
            found = vars_.contains(e.get());
        }
        ir::Visitor::visit(e);
    }

private:
    const std::set<const ir::ExprNode*>& vars_;
    const std::set<const ir::BufferNode*>& buffers_;
};

}  // namespace

Uniformity::Uniformity(const ir::Launch& launch)
{
    for (std::size_t k = 0; k < launch.threadVars.size(); ++k)
        if (launch.threadVars[k] && launch.threads[k] > 1)
            variantVars_.insert(launch.threadVars[k].get());
    do {  // a variable may vary because of a store that stands behind its use, in a loop
        changed_ = false;
        walk(launch.body, false);
    } while (changed_);
}

bool Uniformity::isUniform(const Expr& e) const
{
    VariantFinder finder(variantVars_, variantBuffers_);
    static_cast<ir::Visitor&>(finder).visit(e);
    return !finder.found;
}

void Uniformity::vary(const ir::BufferNode* storage)
{
    if (isPrivate(*storage))
        changed_ = variantBuffers_.insert(storage).second || changed_;
}

// What operations write into private arrays is each thread's own.
void Uniformity::varyWritten(const Stmt& s)
{
    const auto note = [&](const ir::OpCall& call) {
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            if (const auto* region = std::get_if<ir::Region>(&call.operands[i]); region && region->buffer && effectOf(call, i).writes)
                vary(storageOf(region->buffer.get()));
    };
    if (const auto* op = as<ir::OpStmt>(s))
        note(op->call);
}

void Uniformity::walkLoop(const ir::For& loop, bool divergent)
{
    bool uniformBounds = loop.loop != ir::ForKind::kParallel;
    for (const ir::Axis& axis : loop.axes) {
        uniformBounds = uniformBounds && isUniform(axis.begin) && isUniform(axis.end) && (!axis.step || isUniform(axis.step));
        if (!uniformBounds)
            changed_ = variantVars_.insert(axis.var.get()).second || changed_;
    }
    walk(loop.body, divergent || !uniformBounds);
}

void Uniformity::walk(const Stmt& s, bool divergent)
{
    if (!s)
        return;
    switch (s->kind) {
    case ir::StmtKind::kSeq:
        for (const Stmt& child : as<ir::Seq>(s)->stmts)
            walk(child, divergent);
        return;
    case ir::StmtKind::kFor: return walkLoop(*as<ir::For>(s), divergent);
    case ir::StmtKind::kWhile: return walk(as<ir::While>(s)->body, divergent || !isUniform(as<ir::While>(s)->condition));
    case ir::StmtKind::kIf: {
        const auto* branch = as<ir::If>(s);
        const bool splits = divergent || !isUniform(branch->condition);
        walk(branch->then, splits);
        return walk(branch->otherwise, splits);
    }
    case ir::StmtKind::kBind:
        if (!isUniform(as<ir::Bind>(s)->value))
            changed_ = variantVars_.insert(as<ir::Bind>(s)->var.get()).second || changed_;
        return;
    case ir::StmtKind::kStore:
        if (divergent || !isUniform(as<ir::Store>(s)->value))
            vary(storageOf(as<ir::Store>(s)->buffer.get()));
        return;
    default: return varyWritten(s);
    }
}

}  // namespace tw::analysis
