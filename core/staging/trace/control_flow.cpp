// Loops and branches of kernel bodies.
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/function_tracer.h"
#include "core/staging/trace/native.h"
#include "core/staging/trace/regions.h"

namespace tw::staging {

using ir::Expr;

std::vector<ir::Axis> Tracer::nameAxes(const LoopSpec& spec, const std::vector<syntax::Identifier>& targets, const SourceRange& range)
{
    const std::size_t count = spec.axes.size();
    if (targets.size() != count && targets.size() != 1)
        ev_.fail(Code::kCallArguments, range,
                 fmt::format("the loop has {} {}, but {} names are given for its variables", count, count == 1 ? "axis" : "axes", targets.size()));
    std::vector<ir::Axis> axes = spec.axes;
    for (std::size_t i = 0; i < count; ++i) {
        const bool own = targets.size() == count;
        const auto& target = targets[own ? i : 0];
        auto type = axes[i].begin->dtype.bits() > axes[i].end->dtype.bits() ? axes[i].begin->dtype : axes[i].end->dtype;
        axes[i].begin = ir::cast(type, axes[i].begin, axes[i].begin->where);
        axes[i].end = ir::cast(type, axes[i].end, axes[i].end->where);
        if (axes[i].step)
            axes[i].step = ir::cast(type, axes[i].step, axes[i].step->where);
        axes[i].var = std::make_shared<ir::VarNode>(type, own ? target.text : fmt::format("{}_{}", target.text, i), ir::Provenance{target.range, operation()});
    }
    return axes;
}

void Tracer::emitFor(const LoopSpec& spec, std::vector<ir::Axis> axes, ir::Stmt body, const SourceRange& range)
{
    const ir::Provenance where{range, spec.kind == ir::ForKind::kParallel ? operation() : openOperation_};
    if (spec.nested) {
        for (std::size_t i = axes.size(); i-- > 0;)
            body = std::make_shared<ir::For>(spec.kind, std::vector{axes[i]}, body, spec.attrs, where);
        emit(std::move(body), range);
        return;
    }
    auto loop = std::make_shared<ir::For>(spec.kind, std::move(axes), std::move(body), spec.attrs, where);
    loop->persistent = spec.persistent;
    loop->layout = spec.layout;
    emit(std::move(loop), range);
}

void Tracer::forLoop(const LoopSpec& spec, const std::vector<syntax::Identifier>& targets,
                     const std::function<void(const std::vector<Value>&)>& bindTargets, const BodyCallback& body,
                     const SourceRange& range)
{
    if (!inLaunch() && (spec.kind == ir::ForKind::kParallel || spec.kind == ir::ForKind::kPipelined))
        ev_.fail(Code::kNotInKernel, range, "this loop is legal inside a launch only; open one with `with T.Kernel(…)`");
    const bool opensOperation = spec.kind == ir::ForKind::kParallel && openOperation_ == 0;
    if (opensOperation)
        openOperation_ = ++operations_;
    auto axes = nameAxes(spec, targets, range);
    std::vector<Value> values;
    for (const auto& axis : axes)
        values.emplace_back(Expr(axis.var));
    if (targets.size() != axes.size())
        values = {makeTuple(std::move(values))};
    ir::Stmt inner = runFrame([&] { bindTargets(values); body(); }, range, true);
    emitFor(spec, std::move(axes), std::move(inner), range);
    if (opensOperation)
        openOperation_ = 0;
}

// What a branch or a loop decides on is one bool.
static Expr decision(Evaluator& ev, const Value& condition, const SourceRange& range)
{
    Expr c = toCondition(ev, condition, range);
    if (c->dtype.lanes != 1)
        ev.fail(Code::kTypeMismatch, range,
                fmt::format("a condition is one bool, but this one is a vector of {}; index a single element, or reduce with T.any_of or T.all_of",
                            c->dtype.lanes));
    return c;
}

void Tracer::whileLoop(const std::function<Value()>& condition, const BodyCallback& body, const SourceRange& range)
{
    if (!inLaunch())
        ev_.fail(Code::kNotInKernel, range, "a while loop on a run-time condition is legal inside a launch only");
    push(range, true);
    const Value test = condition();
    if (const auto known = constantInt(test)) {
        if (*known != 0)
            ev_.fail(Code::kEndlessLoop, range,
                     "this while loop never ends: its condition is constant; compare with a variable (T.alloc_var), or use for … in T.serial");
        (void)pop();
        return;
    }
    Expr c = decision(ev_, test, range);
    std::vector<ir::Stmt> before = std::move(frames_.back().statements);
    frames_.back().statements.clear();
    if (!before.empty()) {  // the condition's own statements run in every iteration
        before.push_back(std::make_shared<ir::If>(ir::unary(ir::UnaryOp::kNot, c), std::make_shared<ir::Break>()));
        frames_.back().statements = std::move(before);
        c = ir::boolImm(true);
    }
    body();
    emit(std::make_shared<ir::While>(c, ir::sequence(pop()), ir::Provenance{range, 0}), range);
}

void Tracer::ifElse(const Value& condition, const BodyCallback& then, const BodyCallback& otherwise, const SourceRange& range)
{
    const Expr c = decision(ev_, condition, range);
    if (const auto* known = ir::asInt(c)) {
        if (*known != 0)
            then();
        else if (otherwise)
            otherwise();
        return;
    }
    ir::Stmt a = runFrame(then, range);
    ir::Stmt b = otherwise ? runFrame(otherwise, range) : ir::Stmt{};
    emit(std::make_shared<ir::If>(c, std::move(a), std::move(b), ir::Provenance{range, openOperation_}), range);
}

void Tracer::breakLoop(const SourceRange& range)
{
    if (std::none_of(frames_.begin(), frames_.end(), [](const Frame& f) { return f.isLoop; }))
        ev_.fail(Code::kStructure, range, "break outside of a loop");
    emit(std::make_shared<ir::Break>(ir::Provenance{range, 0}), range);
    frames_.back().closed = true;
}

void Tracer::continueLoop(const SourceRange& range)
{
    if (std::none_of(frames_.begin(), frames_.end(), [](const Frame& f) { return f.isLoop; }))
        ev_.fail(Code::kStructure, range, "continue outside of a loop");
    emit(std::make_shared<ir::Continue>(ir::Provenance{range, 0}), range);
    frames_.back().closed = true;
}

Value Tracer::rangeLoop(const CallArguments& arguments)
{
    return callNative(ev_, "serial", arguments, "range");
}

}  // namespace tw::staging
