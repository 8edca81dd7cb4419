#include "codegen/llvm/operand_sharing.h"

#include "core/analysis/walk.h"
#include "core/ir/search.h"
#include "core/ir/visit.h"
#include "core/passes/tile_accesses.h"

namespace tw::llvm_backend {

namespace {

class Definitions final : public ir::Visitor {
public:
    std::map<const ir::ExprNode*, ir::Expr> bound;
    std::set<const ir::BufferNode*> allocated;
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override
    {
        if (const auto* bind = ir::as<ir::Bind>(s))
            bound[bind->var.get()] = bind->value;
        else if (const auto* allocate = ir::as<ir::Allocate>(s))
            allocated.insert(allocate->buffer.get());
        ir::Visitor::visit(s);
    }
};

// The variables that an expression comes from, behind those that the body binds.
class Origins final : public ir::Visitor {
public:
    explicit Origins(const std::map<const ir::ExprNode*, ir::Expr>& bound) : bound_(bound) {}
    std::set<const ir::ExprNode*> vars;
    bool certain = true;
    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override
    {
        if (!e || (e->kind == ir::ExprKind::kVar && !vars.insert(e.get()).second))
            return;
        if (const auto value = bound_.find(e.get()); value != bound_.end())
            visit(value->second);
        certain = certain && !ir::hasRuntimeValue(e);
        ir::Visitor::visit(e);
    }

private:
    const std::map<const ir::ExprNode*, ir::Expr>& bound_;
};

}  // namespace

OperandSharing::OperandSharing(const ir::Launch& launch) : launch_(launch)
{
    Definitions definitions;
    static_cast<ir::Visitor&>(definitions).visit(launch.body);
    bound_ = std::move(definitions.bound);
    inside_ = std::move(definitions.allocated);
    const passes::TileAccesses accesses = passes::accessesOf(launch.body);
    certain_ = !accesses.meetsOthers;
    for (const passes::TileAccess& a : accesses.all) {
        if (!a.writes)
            continue;
        certain_ = certain_ && !a.buffer->address && !a.storage->address;
        if (a.storage->scope == ir::MemoryScope::kGlobal && !inside_.contains(a.storage))
            written_.insert(a.storage);
    }
}

std::optional<std::vector<std::size_t>> OperandSharing::freeAxes(const ir::Region& operand) const
{
    const ir::BufferNode* buffer = operand.buffer.get();
    const bool fromOutside = buffer->scope == ir::MemoryScope::kGlobal && !buffer->viewOf && !buffer->address && !inside_.contains(buffer);
    if (!certain_ || !fromOutside || written_.contains(buffer))
        return std::nullopt;
    Origins origins(bound_);
    for (const ir::Expr& min : operand.mins)
        origins.visit(min);
    if (!origins.certain)
        return std::nullopt;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < launch_.grid.size(); ++axis)
        if (!origins.vars.contains(launch_.blockVars[axis].get()))
            axes.push_back(axis);
    return axes;
}

}  // namespace tw::llvm_backend
