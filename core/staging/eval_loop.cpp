// for and while, in plain code and on the device.
#include <utility>

#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/guards.h"
#include "core/staging/walk.h"

namespace tw::staging {

using namespace syntax;

namespace {

// `for i in range(…)` in a kernel is a device loop where `range` is Python's own.
const Call* rangeCall(const Expr& iterable)
{
    const auto* call = std::get_if<Call>(&iterable.node);
    const auto* name = call ? std::get_if<Name>(&call->callee->node) : nullptr;
    return name && name->id == "range" ? call : nullptr;
}

std::vector<Identifier> targetNames(const Expr& target)
{
    std::vector<Identifier> names;
    if (const auto* name = std::get_if<Name>(&target.node))
        names.push_back({name->id, target.range});
    const auto* tuple = std::get_if<TupleExpr>(&target.node);
    const auto* list = std::get_if<ListExpr>(&target.node);
    if (tuple || list)
        for (const ExprPtr& item : tuple ? tuple->items : list->items)
            if (const auto* name = std::get_if<Name>(&item->node))
                names.push_back({name->id, item->range});
    return names;
}

SourceRange headOf(const SourceRange& statement, const Expr& last)
{
    SourceRange range = statement;
    range.end = std::max(range.begin + 1, last.range.end);
    return range;
}

}  // namespace

Flow Interpreter::execFor(const For& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    Value iterable;
    const Call* inRange = scope->kernelMode && hooks_ ? rangeCall(*node.iterable) : nullptr;
    const Value* name = inRange ? findName(scope, "range", node.iterable->range) : nullptr;
    if (name && name == builtin("range"))
        iterable = hooks_->rangeLoop(evalArguments(inRange->arguments, scope, node.iterable->range, inRange->callee->range));
    else
        iterable = evaluate(*node.iterable, scope);
    if (const auto* spec = iterable.object<const LoopSpec>())
        return execDeviceFor(node, *spec, scope, range);
    if (node.isAsync || isOpaque(iterable)) {
        if (scope->kernelMode)
            foreign(iterable, node.iterable->range);
        bindOpaque(*node.target, scope);
        return execBlock(node.body, scope) == Flow::kReturn ? Flow::kReturn : Flow::kNormal;  // once
    }
    const SourceRange head = headOf(range, *node.iterable);
    const LoopGuard running(*this, head);
    const std::int64_t limit = loopLimit();
    const auto items = iterator(iterable, node.iterable->range);
    const std::size_t frame = frames_.size();
    if (frame > 0)
        frames_.back().loops.push_back({false, 0, head});
    const auto leave = [&] {
        if (frame > 0)
            frames_.back().loops.pop_back();
    };
    Flow flow = Flow::kNormal;
    try {
        while (auto item = items->next(*this)) {
            charge(1, head);
            assign(*node.target, std::move(*item), scope, node.target->range);
            flow = execBlock(node.body, scope);
            if (flow == Flow::kBreak || flow == Flow::kReturn || isLeftEarly(limit, head))
                break;
        }
    } catch (...) {
        if (frame > 0 && frames_.size() >= frame)
            frames_[frame - 1].loops.pop_back();
        throw;
    }
    leave();
    if (flow == Flow::kReturn)
        return flow;
    return flow == Flow::kBreak || node.orElse.empty() ? Flow::kNormal : execBlock(node.orElse, scope);
}

bool Interpreter::isLeftEarly(std::int64_t limit, const SourceRange& head)
{
    if (!surveying() || steps_ <= limit)
        return false;
    if (!std::exchange(saidLong_, true))
        diagnostics().warning(Code::kBudget, head,
                              "this loop around the kernels is left early: it takes more steps than a survey of the file follows; "
                              "what it computes is incomplete");
    return true;
}

Flow Interpreter::execDeviceFor(const For& node, const LoopSpec& spec, const std::shared_ptr<Environment>& scope,
                                const SourceRange& range)
{
    if (!node.orElse.empty())
        fail(Code::kUnsupportedPython, node.orElse.front()->range, "`else` of a loop is not supported in a kernel body");
    if (!hooks_)
        fail(Code::kNotInKernel, node.iterable->range, "device loops are legal inside a kernel only");
    const SourceRange head = headOf(range, *node.iterable);
    const LoopGuard running(*this, head);
    const DeviceScope names(*this, scope, range);
    const std::size_t frame = frames_.size();
    TW_CHECK(frame > 0, "a device loop outside any function");
    frames_.back().loops.push_back({true, 0, head});
    ++frames_.back().deviceDepth;
    struct Leave {
        Interpreter& self;
        std::size_t frame;
        ~Leave()
        {
            self.frames_[frame - 1].loops.pop_back();
            --self.frames_[frame - 1].deviceDepth;
        }
    } leave{*this, frame};
    const auto targets = targetNames(*node.target);
    hooks_->forLoop(
        spec, targets,
        [&](const std::vector<Value>& values) {
            if (values.size() == 1 && std::holds_alternative<Name>(node.target->node)) {
                bindName(scope, targets.front().text, values.front());
                return;
            }
            if (values.size() != targets.size())
                fail(Code::kTypeMismatch, node.target->range,
                     fmt::format("the loop has {} variable{}, but {} name{} stand before `in`", values.size(),
                                 values.size() == 1 ? "" : "s", targets.size(), targets.size() == 1 ? "" : "s"));
            for (std::size_t i = 0; i < values.size(); ++i)
                bindName(scope, targets[i].text, values[i]);
        },
        [&] { execBlock(node.body, scope); }, range);
    return Flow::kNormal;
}

Flow Interpreter::execWhile(const While& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    if (scope->kernelMode && hooks_)
        return execDeviceWhile(node, scope, range);
    const SourceRange head = headOf(range, *node.condition);
    const LoopGuard running(*this, head);
    const std::int64_t limit = loopLimit();
    const std::size_t frame = frames_.size();
    if (frame > 0)
        frames_.back().loops.push_back({false, 0, head});
    struct Leave {
        Interpreter& self;
        std::size_t frame;
        ~Leave()
        {
            if (frame > 0)
                self.frames_[frame - 1].loops.pop_back();
        }
    };
    Flow flow = Flow::kNormal;
    {
        const Leave leave{*this, frame};
        for (;;) {
            charge(1, head);
            const auto known = knownTruth(evaluate(*node.condition, scope), node.condition->range);
            if (known == false)
                break;
            flow = execBlock(node.body, scope);
            if (flow == Flow::kBreak || flow == Flow::kReturn || !known || isLeftEarly(limit, head))  // opaque: once
                break;
        }
    }
    if (flow == Flow::kReturn)
        return flow;
    return flow == Flow::kBreak || node.orElse.empty() ? Flow::kNormal : execBlock(node.orElse, scope);
}

Flow Interpreter::execDeviceWhile(const While& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    if (!node.orElse.empty())
        fail(Code::kUnsupportedPython, node.orElse.front()->range, "`else` of a loop is not supported in a kernel body");
    const SourceRange head = headOf(range, *node.condition);
    const auto endless = [&] {
        fail(Code::kEndlessLoop, head,
             "the condition of this `while` loop is constant and true, so it never ends; give it a run-time condition");
    };
    if (const auto* literal = std::get_if<BoolLiteral>(&node.condition->node)) {
        if (literal->value)
            endless();
        diagnostics().warning(Code::kEndlessLoop, head, "the condition of this `while` is false: its body is skipped");
        return Flow::kNormal;
    }
    const LoopGuard running(*this, head);
    const DeviceScope names(*this, scope, range);
    const std::size_t frame = frames_.size();
    TW_CHECK(frame > 0, "a device loop outside any function");
    frames_.back().loops.push_back({true, 0, head});
    ++frames_.back().deviceDepth;
    struct Leave {
        Interpreter& self;
        std::size_t frame;
        ~Leave()
        {
            self.frames_[frame - 1].loops.pop_back();
            --self.frames_[frame - 1].deviceDepth;
        }
    } leave{*this, frame};
    hooks_->whileLoop(
        [&] {
            Value condition = evaluate(*node.condition, scope);
            if (isOpaque(condition))
                foreign(condition, node.condition->range);
            const bool constant = !isDevice(condition) || ir::asInt(condition.expr());
            if (constant && knownTruth(condition, node.condition->range).value_or(false))
                endless();
            return condition;
        },
        [&] { execBlock(node.body, scope); }, range);
    return Flow::kNormal;
}

}  // namespace tw::staging
