// Assignment, deletion, imports' bindings.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/guards.h"
#include "core/staging/work.h"

namespace tw::staging {

using namespace syntax;

void Interpreter::execAssign(const Assign& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    Value value = evaluate(*node.value, scope);
    // a = b = e: the value is bound once, then assigned left to right.
    for (std::size_t i = 0; i < node.targets.size(); ++i) {
        assign(*node.targets[i], value, scope, range);
        if (i == 0 && node.targets.size() > 1 && scope->kernelMode && isDevice(value))
            if (const auto* name = std::get_if<Name>(&node.targets[0]->node))
                if (const Value* bound = findName(scope, name->id, range); bound && bound->expr())
                    value = *bound;
    }
}

void Interpreter::assign(const Expr& target, Value value, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    match(
        target.node,
        [&](const Name& n) {
            if (scope->kernelMode)
                assignNamed({n.id, target.range}, std::move(value), scope, range);
            else
                bindName(scope, n.id, std::move(value));
        },
        [&](const TupleExpr& n) { assignItems(n.items, value, scope, range); },
        [&](const ListExpr& n) { assignItems(n.items, value, scope, range); },
        [&](const Subscript& n) {
            const Value object = evaluate(*n.value, scope);
            const Value index = evalIndex(*n.index, scope);
            if (isDevice(object)) {
                if (isOpaque(value) || value.object<const MetaTensor>())
                    foreign(value, range);
                device().assignSubscript(object, index, value, range);
            } else {
                setSubscript(object, index, std::move(value), range);
            }
        },
        [&](const Attribute& n) {
            const Value object = evaluate(*n.value, scope);
            const auto* instance = object.object<InstanceValue>();
            if (scope->kernelMode && !(instance && instance->type->isMeta))
                fail(Code::kUnsupportedPython, range,
                     "an attribute cannot be assigned in a kernel body; only instances of a T.meta_class have state there");
            setAttribute(object, n.name.text, std::move(value), range);
        },
        [&](const auto&) { fail(Code::kSyntax, target.range, "this cannot be assigned to"); });
}

void Interpreter::assignNamed(const Identifier& name, Value value, const std::shared_ptr<Environment>& scope,
                              const SourceRange& range)
{
    const auto it = scope->names.find(name.text);
    std::optional<Value> old = it == scope->names.end() ? std::nullopt : std::optional(it->second);
    const bool storing = old && (old->get<VarValue>() || old->object<const RefValue>());
    if (storing && isOpaque(value))
        foreign(value, range);
    if (!hooks_ || !(storing || isDevice(value) || value.object<const LoopSpec>())) {
        bindName(scope, name.text, std::move(value));
        return;
    }
    if (auto bound = hooks_->assignName(name, old ? &*old : nullptr, value, range))
        bindName(scope, name.text, std::move(*bound));
}

// Whether assigning to the targets stores into memory that the right side may read: a[i], a[j] = a[j], a[i].
bool Interpreter::storesThrough(const std::vector<ExprPtr>& targets, const std::shared_ptr<Environment>& scope)
{
    for (const ExprPtr& target : targets) {
        if (std::holds_alternative<Subscript>(target->node))
            return true;
        if (const auto* tuple = std::get_if<TupleExpr>(&target->node); tuple && storesThrough(tuple->items, scope))
            return true;
        if (const auto* name = std::get_if<Name>(&target->node)) {
            const auto it = scope->names.find(name->id);
            if (it != scope->names.end() && (it->second.get<VarValue>() || it->second.object<const RefValue>()))
                return true;
        }
    }
    return false;
}

Value Interpreter::deviceTemporary(const Value& value, const SourceRange& range)
{
    const bool reads = value.expr() || value.get<VarValue>() || value.object<const RefValue>();
    if (!reads || ir::asInt(value.expr()))
        return value;
    return hooks_->assignName({"tmp", range}, nullptr, value, range).value_or(value);
}

void Interpreter::assignItems(const std::vector<ExprPtr>& targets, const Value& value, const std::shared_ptr<Environment>& scope,
                              const SourceRange& range)
{
    const auto star = std::find_if(targets.begin(), targets.end(),
                                   [](const ExprPtr& t) { return std::holds_alternative<Starred>(t->node); });
    std::vector<Value> items;
    if (isOpaque(value)) {
        items.assign(star == targets.end() ? targets.size() : std::max<std::size_t>(targets.size() - 1, 1), value);
    } else if (value.object<const MetaTensor>()) {  // q, k = torch.randn(2, n): a row each
        items.assign(star == targets.end() ? targets.size() : targets.size() - 1, iterate(value, range).front());
    } else {
        items = iterate(value, range);
    }
    const std::size_t fixed = targets.size() - (star == targets.end() ? 0 : 1);
    if (items.size() < fixed || (star == targets.end() && items.size() != fixed))
        raise("ValueError", Code::kTypeMismatch, range,
              fmt::format("{} values cannot be unpacked into {} names", items.size(), fixed));
    if (scope->kernelMode && hooks_ && storesThrough(targets, scope))
        for (Value& item : items)
            item = deviceTemporary(item, range);
    std::size_t next = 0;
    for (auto it = targets.begin(); it != targets.end(); ++it) {
        if (it != star) {
            assign(**it, std::move(items[next++]), scope, range);
            continue;
        }
        const std::size_t count = items.size() - fixed;
        std::vector<Value> rest(items.begin() + static_cast<std::ptrdiff_t>(next),
                                items.begin() + static_cast<std::ptrdiff_t>(next + count));
        next += count;
        chargeItems(*this, count, range);
        chargeMemory(static_cast<Integer>(count * sizeof(Value)), range);
        assign(*std::get<Starred>((*it)->node).value, makeList(std::move(rest)), scope, range);
    }
}

void Interpreter::execAugAssign(const AugAssign& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    if (const auto* subscripted = std::get_if<Subscript>(&node.target->node)) {
        const Value object = evaluate(*subscripted->value, scope);
        const Value index = evalIndex(*subscripted->index, scope);
        const Value value = evaluate(*node.value, scope);
        if (isDevice(object)) {
            if (isOpaque(value))
                foreign(value, range);
            device().augAssign(node.op, nullptr, object, index, value, range);
        } else {
            setSubscript(object, index, binary(node.op, subscript(object, index, range), value, range), range);
        }
        return;
    }
    if (const auto* member = std::get_if<Attribute>(&node.target->node)) {
        const Value object = evaluate(*member->value, scope);
        const Value old = attribute(object, member->name);
        const Value value = evaluate(*node.value, scope);
        if (auto* list = old.object<ListValue>(); list && node.op == BinaryOp::kAdd) {
            for (Value& item : iterate(value, range))
                list->items.push_back(std::move(item));
            return;
        }
        setAttribute(object, member->name.text, binary(node.op, old, value, range), range);
        return;
    }
    const auto* name = std::get_if<Name>(&node.target->node);
    if (!name)
        fail(Code::kSyntax, node.target->range, "this cannot be the target of an augmented assignment");
    const Value old = evaluate(*node.target, scope);
    const Value value = evaluate(*node.value, scope);
    if (auto* list = old.object<ListValue>(); list && node.op == BinaryOp::kAdd) {  // += changes the list itself
        for (Value& item : iterate(value, range)) {
            chargeMemory(sizeof(Value), range);
            list->items.push_back(std::move(item));
        }
        return;
    }
    const Identifier identifier{name->id, node.target->range};
    if (hooks_ && scope->kernelMode && (isDevice(old) || isDevice(value))) {
        if (isOpaque(value))
            foreign(value, range);
        if (auto bound = hooks_->augAssign(node.op, &identifier, old, std::nullopt, value, range))
            bindName(scope, name->id, std::move(*bound));
        return;
    }
    bindName(scope, name->id, binary(node.op, old, value, range));
}

void Interpreter::execAnnAssign(const AnnAssign& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const auto* name = std::get_if<Name>(&node.target->node);
    if (node.value) {
        assign(*node.target, evaluate(*node.value, scope), scope, range);
        if (scope->isClass && name)
            scope->names["$fields"] = makeFieldList(scope->names["$fields"], name->id);
        return;
    }
    if (scope->isClass && name)
        scope->names["$fields"] = makeFieldList(scope->names["$fields"], name->id);
    if (!scope->kernelMode || !hooks_ || !name)
        return;
    const Value annotation = evaluate(*node.annotation, scope);
    hooks_->declareParameter({name->id, node.target->range}, annotation, range);
}

void Interpreter::execDelete(const Delete& node, const std::shared_ptr<Environment>& scope)
{
    for (const ExprPtr& target : node.targets) {
        if (const auto* name = std::get_if<Name>(&target->node)) {
            if (scope->names.erase(name->id) == 0 && scope->globalsDeclared.empty() && scope->nonlocals.empty())
                undefined(scope, name->id, target->range);
        } else if (const auto* item = std::get_if<Subscript>(&target->node)) {
            deleteSubscript(evaluate(*item->value, scope), evalIndex(*item->index, scope), target->range);
        } else if (const auto* member = std::get_if<Attribute>(&target->node)) {
            if (auto* object = evaluate(*member->value, scope).object<InstanceValue>())
                object->attributes.erase(member->name.text);
        } else if (const auto* tuple = std::get_if<TupleExpr>(&target->node)) {
            for (const ExprPtr& one : tuple->items)
                if (const auto* each = std::get_if<Name>(&one->node))
                    scope->names.erase(each->id);
        }
    }
}

}  // namespace tw::staging
