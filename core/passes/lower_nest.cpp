// A parallel nest as the loops of one thread over its registers.
#include <fmt/format.h>

#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/passes/lower_steps.h"
#include "core/passes/plan_threads.h"
#include "core/passes/thread_tiles.h"

namespace tw::passes {

namespace {

using I = std::int64_t;
using ir::Expr;
using ir::Stmt;
using layout::Fragment;

class NestLowerer final : public AccessLowerer {
public:
    // `once`: the condition for what must happen once an iteration; empty where only one thread runs each.
    NestLowerer(const Nest& nest, const Fragment& by, const ThreadTiles& tiles, const VarDigits& vars, Expr once)
        : AccessLowerer(tiles, vars), nest_(nest), by_(by), once_(std::move(once))
    {
    }

    using AccessLowerer::rewrite;
    Stmt rewrite(const Stmt& s) override
    {
        if (const auto* store = ir::as<ir::Store>(s)) {
            const Stmt next = AccessLowerer::rewrite(s);
            if (isSpread(store->buffer))
                return onlyHolders(*store, next);
            return isPrivate(store->buffer) ? next : onlyOnce(next);
        }
        if (const auto* op = ir::as<ir::OpStmt>(s)) {
            const Stmt next = AccessLowerer::rewrite(s);
            return ir::info(op->call.op).effect == ir::Effect::kNone ? next : onlyOnce(next);
        }
        if (const auto* loop = ir::as<ir::For>(s); loop && loop->loop == ir::ForKind::kParallel) {
            // A nest inside of a nest: whoever runs the iteration runs all of it.
            Stmt body = rewrite(loop->body);
            for (std::size_t k = loop->axes.size(); k-- > 0;)
                body = loopOver(ir::ForKind::kSerial, loop->axes[k].var, rewrite(loop->axes[k].begin), rewrite(loop->axes[k].end), body, s->where);
            return body;
        }
        return AccessLowerer::rewrite(s);
    }

private:
    Stmt onlyOnce(const Stmt& s) const { return once_ ? std::make_shared<ir::If>(once_, s, Stmt{}, s->where) : s; }

    Stmt onlyHolders(const ir::Store& store, const Stmt& next) const
    {
        const auto tile = tiles_.spread.find(store.buffer.get());
        if (tile == tiles_.spread.end())
            return next;
        for (const NestAccess& access : nest_.accesses)
            if (access.write && access.buffer == store.buffer && fit(nest_, by_, access, tile->second.layout) == Fit::kMasked) {
                const Expr holds = layout::holdsElement(tile->second.layout, tiles_.thread, digitsOf(access.indices, *access.buffer, vars_));
                return holds ? std::make_shared<ir::If>(holds, next, Stmt{}, next->where) : next;
            }
        return next;
    }

    const Nest& nest_;
    const Fragment& by_;
    Expr once_;
};

}  // namespace

namespace {

// Registers that every holder of an iteration has to write: then all of them run it.
bool writesRegisters(const Nest& nest)
{
    return nest.writesPrivate ||
           std::any_of(nest.accesses.begin(), nest.accesses.end(), [](const NestAccess& a) { return a.write && isSpread(a.buffer); });
}

// Whether threads that run iterations of this nest need nothing from each other: iterations are independent, but copies of one
// iteration on several threads read what the one that writes memory changes.
bool threadsAreIndependent(const Nest& nest, bool copies)
{
    if (!copies)
        return true;
    return std::none_of(nest.accesses.begin(), nest.accesses.end(), [&](const NestAccess& write) {
        return write.write && !isSpread(write.buffer) && !isPrivate(write.buffer) &&
               std::any_of(nest.accesses.begin(), nest.accesses.end(), [&](const NestAccess& read) { return !read.write && read.buffer == write.buffer; });
    });
}

Stmt unrolledOnce(Stmt body, const ir::Provenance& where)
{
    return std::make_shared<ir::For>(ir::ForKind::kUnrolled, std::vector<ir::Axis>{{newVar("r"), ir::intImm(0), ir::intImm(1), {}}}, std::move(body), ir::Attrs{},
                                     where);
}

}  // namespace

Stmt lowerNest(const ir::For& loop, const ThreadTiles& tiles, std::span<const ir::Var> threadVars, DiagnosticSink& diagnostics)
{
    const Nest nest = describe(loop, threadVars);
    const auto by = loop.layout ? layout::fromMap(*loop.layout, tiles.threads) : std::nullopt;
    if (!by) {
        diagnostics.error(Code::kNotSupported, loop.where.range, "not supported: this loop layout on a GPU; its thread and register must be sums of digits of the indices");
        return ir::sequence({});
    }
    const std::vector<int> order = layout::registerDigits(*by);
    std::vector<ir::Var> loopVars;
    std::vector<Expr> registers;
    for (std::size_t k = 0; k < order.size(); ++k) {
        loopVars.push_back(newVar(order.size() == 1 ? "r" : fmt::format("r{}", k)));
        registers.emplace_back(loopVars.back());
    }
    VarDigits vars;
    Expr inside;
    for (std::size_t axis = 0; axis < nest.vars.size(); ++axis) {
        auto digits = layout::coordinate(*by, static_cast<int>(axis), tiles.thread, registers);
        if (by->covered(static_cast<int>(axis)) > nest.extents[axis])
            inside = ir::logicalAnd(inside, ir::less(layout::valueOf(digits), ir::intImm(nest.extents[axis])));
        if (digits.empty())
            digits.push_back({ir::intImm(0), 1, 1, false});
        vars[nest.vars[axis].get()] = std::move(digits);
    }
    Expr once = layout::firstCopy(*by, tiles.thread), onlyFirst;
    if (!writesRegisters(nest))
        std::swap(once, onlyFirst);
    NestLowerer lowerer(nest, *by, tiles, vars, once);
    Stmt body = lowerer.rewrite(loop.body);
    if (inside)
        body = std::make_shared<ir::If>(inside, body, Stmt{}, loop.where);
    const bool async = ir::boolAttr(loop.attrs, "async", false);
    ir::Attrs attrs;
    if (async)
        attrs["async"] = true;
    if (order.empty() && (async || body->kind == ir::StmtKind::kSeq))
        body = unrolledOnce(std::move(body), loop.where);
    for (std::size_t k = order.size(); k-- > 0;) {
        const I extent = by->digits[static_cast<std::size_t>(order[k])].extent;
        body = std::make_shared<ir::For>(ir::ForKind::kUnrolled, std::vector<ir::Axis>{{loopVars[k], ir::intImm(0), ir::intImm(extent), {}}}, body, attrs,
                                         loop.where);
    }
    if (const auto* outermost = ir::as<ir::For>(body)) {
        auto marked = std::make_shared<ir::For>(*outermost);
        if (order.empty())
            marked->attrs = attrs;
        if (threadsAreIndependent(nest, once != nullptr))
            marked->attrs["nest"] = true;
        body = marked;
    }
    if (const Expr runs = ir::logicalAnd(layout::holdsAny(*by, tiles.thread), onlyFirst ? onlyFirst : ir::boolImm(true)); !ir::isOne(runs))
        body = std::make_shared<ir::If>(runs, body, Stmt{}, loop.where);
    return body;
}

}  // namespace tw::passes
