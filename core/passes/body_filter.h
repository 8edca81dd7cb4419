#pragma once

#include <map>
#include <set>

#include "core/ir/visit.h"

namespace tw::passes {

// Variables below a node, and whether it is free of calls that do more than compute.
class Mentions final : public ir::Visitor {
public:
    std::set<const ir::ExprNode*> vars;
    bool pure = true;
    using ir::Visitor::visit;
    void visit(const ir::Expr& e) override;
};

[[nodiscard]] std::vector<ir::Stmt> statementsOf(const ir::Stmt& body);

// Takes a loop's body apart: keeps the statements of `kept` and drops those of `dropped`, with the conditions and bindings
// around them. A binding that nothing kept uses goes.
class BodyFilter {
public:
    std::set<const ir::StmtNode*> kept, dropped;
    std::map<const ir::StmtNode*, ir::Stmt> replaced;  // kept in another form
    bool keepOthers = false;

    [[nodiscard]] ir::Stmt run(const ir::Stmt& body) const;

private:
    [[nodiscard]] ir::Stmt filter(const ir::Stmt& s) const;
    [[nodiscard]] ir::Stmt filterSeq(const ir::Seq& seq) const;
};

}  // namespace tw::passes
