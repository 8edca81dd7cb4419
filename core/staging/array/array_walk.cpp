#include "core/staging/array/array_walk.h"

#include "core/staging/walk.h"

namespace tw::staging {

using namespace syntax;

void collectAssigned(const Block& block, std::set<std::string>& out, std::set<std::string>& changed)
{
    const auto bind = [&](const ExprPtr& target) {
        std::vector<std::string> names;
        if (target)
            collectBoundNames(*target, names);
        out.insert(names.begin(), names.end());
    };
    Walker walker;
    walker.onStmt = [&](const Stmt& stmt) {
        if (const auto* assign = std::get_if<Assign>(&stmt.node))
            for (const ExprPtr& target : assign->targets)
                bind(target);
        if (const auto* loop = std::get_if<For>(&stmt.node))
            bind(loop->target);
        if (const auto* annotated = std::get_if<AnnAssign>(&stmt.node); annotated && annotated->value)
            bind(annotated->target);
        if (const auto* augmented = std::get_if<AugAssign>(&stmt.node))
            if (const auto* name = std::get_if<Name>(&augmented->target->node))
                changed.insert(name->id);
        return !std::holds_alternative<FunctionDef>(stmt.node) && !std::holds_alternative<ClassDef>(stmt.node);
    };
    walker.onExpr = [&](const syntax::Expr& expr) {
        if (const auto* walrus = std::get_if<Walrus>(&expr.node))
            out.insert(walrus->target.text);
        return true;
    };
    walker.walk(block);
}

std::set<std::string> namesReadOutside(const Block& block, const SourceRange& range)
{
    std::set<std::string> names;
    Walker walker;
    const auto inside = [&](const SourceRange& r) { return r.begin >= range.begin && r.end <= range.end; };
    walker.onStmt = [&](const Stmt& stmt) {
        if (inside(stmt.range))
            return false;
        // Targets are not read; the value is.
        const Walker reads = walker;
        if (const auto* assign = std::get_if<Assign>(&stmt.node)) {
            for (const ExprPtr& target : assign->targets)
                if (!std::holds_alternative<Name>(target->node))
                    reads.walk(target);
            reads.walk(assign->value);
            return false;
        }
        return true;
    };
    walker.onExpr = [&](const syntax::Expr& expr) {
        if (const auto* name = std::get_if<Name>(&expr.node))
            names.insert(name->id);
        return true;
    };
    walker.walk(block);
    return names;
}

}  // namespace tw::staging
