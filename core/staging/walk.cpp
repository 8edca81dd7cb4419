#include "core/staging/walk.h"

namespace tw::staging {

using namespace syntax;

void Walker::walk(const Block& block) const
{
    for (const StmtPtr& stmt : block)
        walk(*stmt);
}

void Walker::walk(const Stmt& stmt) const
{
    if (onStmt(stmt))
        children(stmt);
}

void Walker::walk(const Expr& expr) const
{
    if (onExpr(expr))
        children(expr);
}

void Walker::parameters(const std::vector<Parameter>& list) const
{
    for (const Parameter& parameter : list) {
        walk(parameter.annotation);
        walk(parameter.defaultValue);
    }
}

void Walker::pieces(const std::vector<FormatPiece>& list) const
{
    for (const FormatPiece& piece : list) {
        walk(piece.expr);
        pieces(piece.spec);
    }
}

void Walker::children(const Expr& expr) const
{
    const auto arguments = [this](const std::vector<Argument>& list) {
        for (const Argument& argument : list)
            walk(argument.value);
    };
    match(
        expr.node, [&](const FormatString& n) { pieces(n.pieces); }, [&](const Attribute& n) { walk(n.value); },
        [&](const Subscript& n) { walk(n.value), walk(n.index); },
        [&](const SliceExpr& n) { walk(n.lower), walk(n.upper), walk(n.step); },
        [&](const Call& n) { walk(n.callee), arguments(n.arguments); }, [&](const Unary& n) { walk(n.operand); },
        [&](const Binary& n) { walk(n.left), walk(n.right); }, [&](const Logical& n) { walk(n.operands); },
        [&](const Compare& n) { walk(n.operands); },
        [&](const Conditional& n) { walk(n.condition), walk(n.then), walk(n.otherwise); },
        [&](const Walrus& n) { walk(n.value); }, [&](const Starred& n) { walk(n.value); },
        [&](const TupleExpr& n) { walk(n.items); }, [&](const ListExpr& n) { walk(n.items); },
        [&](const SetExpr& n) { walk(n.items); },
        [&](const DictExpr& n) {
            for (const DictItem& item : n.items)
                walk(item.key), walk(item.value);
        },
        [&](const Comprehension& n) {
            walk(n.element), walk(n.value);
            for (const ComprehensionClause& clause : n.clauses)
                walk(clause.target), walk(clause.iterable), walk(clause.conditions);
        },
        [&](const Lambda& n) { parameters(n.parameters), walk(n.body); }, [&](const Await& n) { walk(n.value); },
        [&](const Yield& n) { walk(n.value); }, [](const auto&) {});
}

void Walker::children(const Stmt& stmt) const
{
    match(
        stmt.node, [&](const ExprStmt& n) { walk(n.value); }, [&](const Assign& n) { walk(n.targets), walk(n.value); },
        [&](const AugAssign& n) { walk(n.target), walk(n.value); },
        [&](const AnnAssign& n) { walk(n.target), walk(n.annotation), walk(n.value); },
        [&](const Return& n) { walk(n.value); }, [&](const Delete& n) { walk(n.targets); },
        [&](const Raise& n) { walk(n.exception), walk(n.cause); }, [&](const Assert& n) { walk(n.condition), walk(n.message); },
        [&](const TypeAlias& n) { walk(n.value); }, [&](const If& n) { walk(n.condition), walk(n.then), walk(n.orElse); },
        [&](const While& n) { walk(n.condition), walk(n.body), walk(n.orElse); },
        [&](const For& n) { walk(n.target), walk(n.iterable), walk(n.body), walk(n.orElse); },
        [&](const Try& n) {
            walk(n.body);
            for (const ExceptHandler& handler : n.handlers)
                walk(handler.type), walk(handler.body);
            walk(n.orElse), walk(n.finally);
        },
        [&](const With& n) {
            for (const WithItem& item : n.items)
                walk(item.context), walk(item.target);
            walk(n.body);
        },
        [&](const Match& n) {
            walk(n.subject);
            for (const MatchCase& one : n.cases)
                walk(one.guard), walk(one.body);
        },
        [&](const FunctionDef& n) { walk(n.decorators), parameters(n.parameters), walk(n.returns), walk(n.body); },
        [&](const ClassDef& n) {
            walk(n.decorators);
            for (const Argument& base : n.bases)
                walk(base.value);
            walk(n.body);
        },
        [](const auto&) {});
}

void collectBoundNames(const Expr& target, std::vector<std::string>& names)
{
    match(
        target.node, [&](const Name& n) { names.push_back(n.id); },
        [&](const TupleExpr& n) {
            for (const auto& item : n.items)
                collectBoundNames(*item, names);
        },
        [&](const ListExpr& n) {
            for (const auto& item : n.items)
                collectBoundNames(*item, names);
        },
        [&](const Starred& n) { collectBoundNames(*n.value, names); }, [](const auto&) {});
}

bool endsWith(const syntax::Expr& e, std::string_view name)
{
    if (const auto* call = std::get_if<syntax::Call>(&e.node))
        return endsWith(*call->callee, name);
    if (const auto* attribute = std::get_if<syntax::Attribute>(&e.node))
        return attribute->name.text == name;
    const auto* id = std::get_if<syntax::Name>(&e.node);
    return id && id->id == name;
}

}  // namespace tw::staging
