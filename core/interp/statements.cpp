// Questions about statements that the translation asks.
#include "core/interp/compiler.h"
#include "core/ir/visit.h"

namespace tw::interp {

using ir::StmtKind;

namespace {

class HeavyFinder final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    bool found = false;
    void visit(const ir::Stmt& s) override
    {
        if (!s || found)
            return;
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::ForKind::kParallel)
            found = true;
        else
            ir::Visitor::visit(s);
    }
    void visit(const ir::OpCall& call) override
    {
        found |= isHeavy(call);
        ir::Visitor::visit(call);
    }
};

// Breaks and continues of the loop around, not of loops within.
class ExitFinder final : public ir::Visitor {
public:
    using ir::Visitor::visit;
    explicit ExitFinder(StmtKind kind) : kind_(kind) {}
    bool found = false;
    void visit(const ir::Stmt& s) override
    {
        if (!s || found || s->kind == StmtKind::kFor || s->kind == StmtKind::kWhile)
            return;
        if (s->kind == kind_)
            found = true;
        else
            ir::Visitor::visit(s);
    }

private:
    StmtKind kind_;
};

}  // namespace

bool isHeavy(const ir::Stmt& s)
{
    HeavyFinder finder;
    finder.visit(s);
    return finder.found;
}

bool exitsLoop(const ir::Stmt& s, bool wantBreak)
{
    ExitFinder finder(wantBreak ? StmtKind::kBreak : StmtKind::kContinue);
    finder.visit(s);
    return finder.found;
}

bool isCopy(const ir::Expr& value)
{
    if (const auto* cast = ir::as<ir::Cast>(value))
        return isCopy(cast->value);
    if (const auto* select = ir::as<ir::Select>(value))
        return isCopy(select->then) && !hasAccess(select->otherwise);
    return ir::as<ir::Load>(value) != nullptr;
}

}  // namespace tw::interp
