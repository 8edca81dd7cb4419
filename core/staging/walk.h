// Looking through syntax trees.
#pragma once

#include <functional>

#include "core/syntax/ast.h"

namespace tw::staging {

// Calls `onExpr` and `onStmt` for everything below, outermost first. Where one gives false, nothing below is visited.
struct Walker {
    std::function<bool(const syntax::Expr&)> onExpr = [](const syntax::Expr&) { return true; };
    std::function<bool(const syntax::Stmt&)> onStmt = [](const syntax::Stmt&) { return true; };

    void walk(const syntax::Block& block) const;
    void walk(const syntax::Stmt& stmt) const;
    void walk(const syntax::Expr& expr) const;
    void walk(const syntax::ExprPtr& expr) const
    {
        if (expr)
            walk(*expr);
    }
    void walk(const std::vector<syntax::ExprPtr>& exprs) const
    {
        for (const auto& expr : exprs)
            walk(expr);
    }

private:
    void children(const syntax::Expr& expr) const;
    void children(const syntax::Stmt& stmt) const;
    void parameters(const std::vector<syntax::Parameter>& parameters) const;
    void pieces(const std::vector<syntax::FormatPiece>& pieces) const;
};

// Whether the last part of a name, an attribute or a call of these is `name`: T.prim_func, jit, tilelang.jit(…).
[[nodiscard]] bool endsWith(const syntax::Expr& e, std::string_view name);

// The names that a block binds when it runs, without those of functions and classes inside.
void collectBoundNames(const syntax::Expr& target, std::vector<std::string>& names);

}  // namespace tw::staging
