// and, or, x if condition else y: what staging decides is decided here, the rest becomes device code.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/walk.h"
#include "core/staging/work.h"

namespace tw::staging {

using namespace syntax;

namespace {

constexpr std::size_t kMostChoices = 16;  // that a value of unknown conditions keeps

// What a macro stores cannot wait for a condition that only the device knows: both sides of the choice are built.
void refuseMacros(Evaluator& in, const std::function<const Value*(const std::string&)>& find, const Expr& side, const char* choice)
{
    Walker walker;
    walker.onExpr = [&](const Expr& e) {
        const auto* call = std::get_if<Call>(&e.node);
        const auto* name = call ? std::get_if<Name>(&call->callee->node) : nullptr;
        const Value* callee = name ? find(name->id) : nullptr;
        const auto* function = callee ? callee->object<FunctionValue>() : nullptr;
        if (function && function->kind == FunctionKind::kMacro)
            in.fail(Code::kRuntimeCondition, e.range,
                    fmt::format("the macro `{}` cannot be called inside {} with a run-time condition, as its statements would always run; write `if` as a "
                                "statement and call it there", name->id, choice));
        return !std::holds_alternative<Lambda>(e.node);
    };
    walker.walk(side);
}

}  // namespace

Value Interpreter::evalLogical(const Logical& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const bool isAnd = node.op == BoolOp::kAnd;
    const auto find = [&](const std::string& name) { return findName(scope, name, range); };
    Value result = evaluate(*node.operands[0], scope);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
        if (isDevice(result) && !ir::asInt(result.expr())) {
            refuseMacros(*this, find, *node.operands[i], isAnd ? "`and`" : "`or`");
            const Value right = evaluate(*node.operands[i], scope);
            if (isOpaque(right))
                foreign(right, node.operands[i]->range);
            result = device().logical(node.op, result, right, range);
            continue;
        }
        const auto known = knownTruth(result, node.operands[i - 1]->range);
        if (known && *known != isAnd)
            return result;
        Value right = evaluate(*node.operands[i], scope);
        // An opaque left side decides nothing: the answer is one of the two.
        result = known ? std::move(right) : joinValues(result, right);
    }
    return result;
}

Value Interpreter::joinValues(const Value& a, const Value& b)
{
    if (a.data.index() == b.data.index() && equalValues(*this, a, b, current_))
        return a;
    auto joined = std::make_shared<OpaqueValue>();
    joined->path = "a value that depends on foreign code";
    for (const Value* one : {&a, &b}) {
        const auto* opaque = one->object<const OpaqueValue>();
        if (opaque)
            joined->path = opaque->path;
        const std::vector<Value> known = opaque ? opaque->choices : std::vector<Value>{*one};
        for (std::size_t i = 0; i < known.size() && joined->choices.size() < kMostChoices; ++i)
            joined->choices.push_back(known[i]);
    }
    chargeMemory(static_cast<Integer>(joined->choices.size() * sizeof(Value)), current_);
    return std::shared_ptr<const OpaqueValue>(std::move(joined));
}

Value Interpreter::evalConditional(const Conditional& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const Value condition = evaluate(*node.condition, scope);
    if (isDevice(condition) && !ir::asInt(condition.expr())) {
        const auto find = [&](const std::string& name) { return findName(scope, name, range); };
        refuseMacros(*this, find, *node.then, "`x if condition else y`");
        refuseMacros(*this, find, *node.otherwise, "`x if condition else y`");
        const Value then = evaluate(*node.then, scope);
        return device().conditional(condition, then, evaluate(*node.otherwise, scope), range);
    }
    const auto known = knownTruth(condition, node.condition->range);
    if (known)
        return evaluate(*known ? *node.then : *node.otherwise, scope);
    if (scope->kernelMode)
        foreign(condition, node.condition->range);
    const Value then = evaluate(*node.then, scope);
    return joinValues(then, evaluate(*node.otherwise, scope));
}

}  // namespace tw::staging
