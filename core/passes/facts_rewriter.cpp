#include "core/passes/facts_rewriter.h"

#include <numeric>

#include "core/analysis/walk.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/search.h"

namespace tw::passes {

using ir::Expr;
using ir::Stmt;

FactsRewriter::FactsRewriter(const ir::Function& function)
{
    for (const ir::Var& symbol : function.symbols)
        facts_.bound(symbol, {1, (1LL << 31) - 1});
}

void FactsRewriter::assume(const Expr& condition, bool holds)
{
    if (!ir::hasRuntimeValue(condition))
        facts_.assume(expanded(condition), holds);
}

void FactsRewriter::enter(const ir::For& loop)
{
    for (const ir::Axis& axis : loop.axes) {
        const Expr begin = expanded(axis.begin), end = expanded(axis.end);
        const auto* step = axis.step ? ir::asInt(axis.step) : nullptr;
        const bool up = !axis.step || (step && *step > 0);
        const arith::Interval low = facts_.bounds(begin), high = facts_.bounds(end);
        if (up) {
            facts_.bound(axis.var, {low.low, high.high ? std::optional(*high.high - 1) : std::nullopt});
            if (!ir::hasRuntimeValue(begin) && !ir::isConstant(begin))
                facts_.assume(ir::binary(ir::BinaryOp::kGe, ir::cast(ir::kInt64, axis.var), ir::cast(ir::kInt64, begin)));
            if (!ir::hasRuntimeValue(end) && !ir::isConstant(end))
                facts_.assume(ir::less(axis.var, end));
        } else if (step && *step < 0) {
            facts_.bound(axis.var, {high.low ? std::optional(*high.low + 1) : std::nullopt, low.high});
        }
        if (step && *step > 1)
            facts_.divisible(axis.var, std::gcd(facts_.divisor(begin), *step));
    }
}

void FactsRewriter::enter(const ir::Launch& launch)
{
    for (std::size_t i = 0; i < launch.blockVars.size(); ++i) {
        const arith::Interval extent = facts_.bounds(launch.grid[i]);
        facts_.bound(launch.blockVars[i], {0, extent.high ? std::optional(*extent.high - 1) : std::nullopt});
        if (!ir::isConstant(launch.grid[i]))
            assume(ir::less(launch.blockVars[i], launch.grid[i]), true);
    }
    for (std::size_t i = 0; i < launch.threadVars.size(); ++i)
        if (launch.threadVars[i])
            facts_.bound(launch.threadVars[i], {0, launch.threads[i] - 1});
}

Stmt FactsRewriter::branch(const Stmt& s)
{
    const auto& branch = static_cast<const ir::If&>(*s);
    const Expr condition = rewrite(branch.condition);
    const auto arm = [&](const Stmt& body, bool holds) {
        if (!body)
            return body;
        const auto mark = facts_.mark();
        assume(condition, holds);
        Stmt next = rewrite(body);
        facts_.rewind(mark);
        return next ? next : ir::sequence({});
    };
    const Stmt then = arm(branch.then, true);
    const Stmt otherwise = arm(branch.otherwise, false);
    if (condition == branch.condition && then == branch.then && otherwise == branch.otherwise)
        return s;
    return std::make_shared<ir::If>(condition, then, otherwise, branch.where);
}

Stmt FactsRewriter::rewrite(const Stmt& s)
{
    switch (s->kind) {
    case ir::StmtKind::kFor:
    case ir::StmtKind::kLaunch: {
        const auto mark = facts_.mark();
        if (const auto* loop = ir::as<ir::For>(s))
            enter(*loop);
        else
            enter(static_cast<const ir::Launch&>(*s));
        Stmt next = rewriteChildren(s);
        facts_.rewind(mark);
        return next;
    }
    case ir::StmtKind::kIf: return branch(s);
    case ir::StmtKind::kWhile: {
        const auto mark = facts_.mark();
        Stmt next = rewriteChildren(s);
        facts_.rewind(mark);
        return next;
    }
    case ir::StmtKind::kBind: {
        Stmt next = rewriteChildren(s);
        const auto& bind = static_cast<const ir::Bind&>(*next);
        if (!ir::hasRuntimeValue(bind.value))
            lets_[bind.var.get()] = expanded(bind.value);
        return next;
    }
    case ir::StmtKind::kAssert:
        assume(static_cast<const ir::Assert&>(*s).condition, true);
        return rewriteChildren(s);
    case ir::StmtKind::kOp: {
        const auto& call = static_cast<const ir::OpStmt&>(*s).call;
        if (call.op == ir::OpId::kAssume)
            assume(ir::exprOperand(call, "condition"), true);
        return rewriteChildren(s);
    }
    default: return rewriteChildren(s);
    }
}

}  // namespace tw::passes
