// Questions about everything below a node that need no state of a visitor's own.
#pragma once

#include "core/ir/visit.h"

namespace tw::ir {

// Calls `f` for every expression (statement, operation) of `root`, that included, in the order of Visitor. `root`: an Expr or a Stmt; may be empty.
template <class Root, class F>
void forEachExpr(const Root& root, F f)
{
    struct Walker final : Visitor {
        explicit Walker(F& g) : f(g) {}
        using Visitor::visit;
        void visit(const Expr& e) override
        {
            if (e)
                f(e);
            Visitor::visit(e);
        }
        F& f;
    } walker(f);
    static_cast<Visitor&>(walker).visit(root);
}

template <class F>
void forEachStmt(const Stmt& root, F f)
{
    struct Walker final : Visitor {
        explicit Walker(F& g) : f(g) {}
        using Visitor::visit;
        void visit(const Stmt& s) override
        {
            if (s)
                f(s);
            Visitor::visit(s);
        }
        F& f;
    } walker(f);
    static_cast<Visitor&>(walker).visit(root);
}

template <class Root, class F>
void forEachCall(const Root& root, F f)
{
    struct Walker final : Visitor {
        explicit Walker(F& g) : f(g) {}
        using Visitor::visit;
        void visit(const OpCall& call) override
        {
            f(call);
            Visitor::visit(call);
        }
        F& f;
    } walker(f);
    static_cast<Visitor&>(walker).visit(root);
}

// Whether `f` holds for one of them.
template <class Root, class F>
[[nodiscard]] bool anyExpr(const Root& root, F f)
{
    bool found = false;
    forEachExpr(root, [&](const Expr& e) { found = found || f(e); });
    return found;
}

template <class F>
[[nodiscard]] bool anyStmt(const Stmt& root, F f)
{
    bool found = false;
    forEachStmt(root, [&](const Stmt& s) { found = found || f(s); });
    return found;
}

template <class Root, class F>
[[nodiscard]] bool anyCall(const Root& root, F f)
{
    bool found = false;
    forEachCall(root, [&](const OpCall& call) { found = found || f(call); });
    return found;
}

// Whether `var` occurs in `e`.
[[nodiscard]] inline bool mentions(const Expr& e, const ExprNode* var)
{
    return anyExpr(e, [&](const Expr& x) { return x.get() == var; });
}

// Whether a load or a call (a value that only running can tell) occurs in `e`.
[[nodiscard]] inline bool hasRuntimeValue(const Expr& e)
{
    return anyExpr(e, [](const Expr& x) { return x->kind == ExprKind::kLoad || x->kind == ExprKind::kCall; });
}

}  // namespace tw::ir
