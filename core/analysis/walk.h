// A visitor that knows where it stands: the launch, the loops, the conditions and the immutable variables around a node.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/search.h"
#include "core/ir/visit.h"

namespace tw::analysis {

// A condition that holds here; `holds` false: its negation does.
struct Guard {
    ir::Expr condition;
    bool holds = true;
};

class Walk : public ir::Visitor {
public:
    using ir::Visitor::visit;
    void visit(const ir::Stmt& s) override;
    void visit(const ir::Expr& e) override;

protected:
    // Called before the children of each statement and expression.
    virtual void enter(const ir::Stmt&) {}
    virtual void leave(const ir::Stmt&) {}
    virtual void enterExpr(const ir::Expr&) {}

    [[nodiscard]] const ir::Launch* launch() const { return launch_; }
    [[nodiscard]] const std::vector<const ir::For*>& loops() const { return loops_; }
    [[nodiscard]] const std::vector<Guard>& guards() const { return guards_; }
    // The outermost parallel loop around this place, or null.
    [[nodiscard]] const ir::For* parallelNest() const;
    [[nodiscard]] bool insideWhile() const { return whileDepth_ > 0; }
    // The expression with immutable variables replaced by their values.
    [[nodiscard]] ir::Expr expand(const ir::Expr& e) const;
    // The statement that is being visited.
    [[nodiscard]] const ir::StmtNode* statement() const { return statement_; }
    // The place of an expression, or of its statement where the expression has none.
    [[nodiscard]] SourceRange rangeOf(const ir::Expr& e) const;

private:
    void visitGuarded(const ir::Expr& condition, bool holds, const ir::Expr& e);

    const ir::Launch* launch_ = nullptr;
    const ir::StmtNode* statement_ = nullptr;
    std::vector<const ir::For*> loops_;
    std::vector<Guard> guards_;
    std::map<const ir::ExprNode*, ir::Expr> lets_;
    int whileDepth_ = 0;
};

using ir::hasRuntimeValue;
using ir::mentions;
// Whether a break, continue or return stands in `s`: what follows it may not run.
[[nodiscard]] bool leavesEarly(const ir::Stmt& s);
// The buffer whose storage this one uses: itself, or what it is a view of.
[[nodiscard]] const ir::BufferNode* storageOf(const ir::BufferNode* buffer);

}  // namespace tw::analysis
