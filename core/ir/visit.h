// Walking and rewriting. A pass derives from Rewriter and overrides what it changes; unchanged parts stay shared, so the IR
// before every pass stays available at no cost.
#pragma once

#include "core/ir/stmt.h"

namespace tw::ir {

// Visits everything below a node, children in evaluation order. Override a case and call the base to go on below it.
class Visitor {
public:
    virtual ~Visitor() = default;
    virtual void visit(const Expr& e);
    virtual void visit(const Stmt& s);
    virtual void visit(const Region& r);
    virtual void visit(const OpCall& call);
    // Every place where a buffer is named; defaults to nothing.
    virtual void visitBuffer(const Buffer&) {}
};

// Returns the same pointer where nothing below changed.
class Rewriter {
public:
    virtual ~Rewriter() = default;
    virtual Expr rewrite(const Expr& e);
    virtual Stmt rewrite(const Stmt& s);  // an empty result removes the statement
    virtual Region rewrite(const Region& r);
    virtual OpCall rewrite(const OpCall& call);
    virtual Buffer rewriteBuffer(const Buffer& b) { return b; }
    virtual Var rewriteVar(const Var& v) { return v; }  // at the place where it is bound

protected:
    Expr rewriteChildren(const Expr& e);
    Stmt rewriteChildren(const Stmt& s);
};

// A flat Seq of the non-empty statements; the statement itself if there is one; an empty Seq if there is none.
[[nodiscard]] Stmt sequence(std::vector<Stmt> stmts);

// Replaces variables by expressions.
[[nodiscard]] Expr substitute(const Expr& e, const std::map<const ExprNode*, Expr>& values);
[[nodiscard]] Stmt substitute(const Stmt& s, const std::map<const ExprNode*, Expr>& values);

// Structural equality: provenance and the names of bound variables and buffers do not count, their binding structure does.
[[nodiscard]] bool equal(const Expr& a, const Expr& b);
[[nodiscard]] bool equal(const Function& a, const Function& b);
// A hash that agrees with `equal` on functions.
[[nodiscard]] std::uint64_t hash(const Function& f);

}  // namespace tw::ir
