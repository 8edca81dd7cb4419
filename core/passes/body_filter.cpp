#include "core/passes/body_filter.h"

#include <algorithm>

namespace tw::passes {

using ir::as;
using ir::Stmt;

void Mentions::visit(const ir::Expr& e)
{
    if (e && e->kind == ir::ExprKind::kVar)
        vars.insert(e.get());
    if (const auto* call = as<ir::Call>(e))
        pure = pure && ir::info(call->call.op).effect == ir::Effect::kNone && ir::info(call->call.op).cls == ir::OpClass::kMath;
    ir::Visitor::visit(e);
}

std::vector<Stmt> statementsOf(const Stmt& body)
{
    const auto* seq = as<ir::Seq>(body);
    return seq ? seq->stmts : body ? std::vector<Stmt>{body} : std::vector<Stmt>{};
}

namespace {

bool isPure(const ir::Bind& bind)
{
    Mentions mentions;
    static_cast<ir::Visitor&>(mentions).visit(bind.value);
    return mentions.pure;
}

}  // namespace

Stmt BodyFilter::run(const Stmt& body) const
{
    const Stmt result = filter(body);
    return result ? result : ir::sequence({});
}

Stmt BodyFilter::filter(const Stmt& s) const
{
    if (!s || dropped.contains(s.get()))
        return {};
    if (const auto found = replaced.find(s.get()); found != replaced.end())
        return found->second;
    if (kept.contains(s.get()))
        return s;
    if (const auto* seq = as<ir::Seq>(s))
        return filterSeq(*seq);
    const auto* branch = as<ir::If>(s);
    if (!branch || branch->otherwise)
        return keepOthers ? s : Stmt{};
    Stmt then = filter(branch->then);
    if (!then)
        return {};
    return then == branch->then ? s : std::make_shared<ir::If>(branch->condition, then, Stmt{}, branch->where);
}

// Backwards, so that it is known which bindings are used.
Stmt BodyFilter::filterSeq(const ir::Seq& seq) const
{
    std::vector<Stmt> out;
    Mentions used;
    for (auto s = seq.stmts.rbegin(); s != seq.stmts.rend(); ++s) {
        const auto* bind = as<ir::Bind>(*s);
        Stmt next;
        if (!bind)
            next = filter(*s);
        else if (used.vars.contains(bind->var.get()) || (keepOthers && !isPure(*bind)))
            next = *s;
        if (!next)
            continue;
        static_cast<ir::Visitor&>(used).visit(next);
        out.push_back(next);
    }
    if (out.empty())
        return {};
    std::ranges::reverse(out);
    return ir::sequence(std::move(out));
}

}  // namespace tw::passes
