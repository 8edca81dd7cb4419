// A rewriter that knows what holds where it stands: ranges of loops and indices, conditions around, assumptions in front.
#pragma once

#include "core/arith/facts.h"
#include "core/ir/visit.h"

namespace tw::passes {

// Derived passes override rewrite(Stmt) and go on with FactsRewriter::rewrite, which rewrites what is below a statement with the
// facts of its scope. Conditions that read memory are not kept: a store could end them.
class FactsRewriter : public ir::Rewriter {
public:
    explicit FactsRewriter(const ir::Function& function);
    using ir::Rewriter::rewrite;
    ir::Stmt rewrite(const ir::Stmt& s) override;

protected:
    void enter(const ir::For& loop);
    void enter(const ir::Launch& launch);
    void assume(const ir::Expr& condition, bool holds);
    // With immutable variables replaced by their values, as far as those read no memory.
    [[nodiscard]] ir::Expr expanded(const ir::Expr& e) const { return lets_.empty() ? e : ir::substitute(e, lets_); }

    arith::Facts facts_;

private:
    ir::Stmt branch(const ir::Stmt& s);

    std::map<const ir::ExprNode*, ir::Expr> lets_;
};

}  // namespace tw::passes
