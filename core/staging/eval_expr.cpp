// Expressions.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/guards.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {

using namespace syntax;

namespace {

constexpr std::size_t kMostYields = 100'000;  // a generator that gives more is taken to be endless


}  // namespace

Value Interpreter::evaluate(const Expr& expr, const std::shared_ptr<Environment>& scope)
{
    charge(1, expr.range);
    return evaluateNode(expr, scope);
}

Value Interpreter::evaluateNode(const Expr& expr, const std::shared_ptr<Environment>& scope)
{
    const SourceRange& range = expr.range;
    const auto kept = [&](Value made) {
        chargeMemory(sizeOf(made), range);
        return made;
    };
    return match(
        expr.node, [&](const ErrorExpr&) -> Value { throw StagingStop{}; }, [](const NoneLiteral&) { return Value(); },
        [](const EllipsisLiteral&) { return Value(Value::Storage(EllipsisValue{})); },
        [](const BoolLiteral& n) { return Value(n.value); },
        [&](const IntLiteral& n) {
            if (n.tooLarge)
                fail(Code::kValueRange, range, "integers of staging code are limited to 128 bits");
            return Value(n.value);
        },
        [](const FloatLiteral& n) { return Value(n.value); },
        [&](const ImaginaryLiteral&) -> Value { return makeOpaque("complex"); },
        [](const StringLiteral& n) { return Value(n.value); }, [](const BytesLiteral& n) { return Value(n.value); },
        [&](const FormatString& n) { return evalFormat(n.pieces, scope, range); },
        [&](const Name& n) -> Value {
            const Value* found = findName(scope, n.id, range);
            if (!found)
                undefined(scope, n.id, range);
            return *found;
        },
        [&](const Attribute& n) { return attribute(evaluate(*n.value, scope), n.name); },
        [&](const Subscript& n) { return evalSubscript(n, scope, range); },
        [&](const SliceExpr&) { return evalIndex(expr, scope); }, [&](const Call& n) { return evalCall(n, scope, range); },
        [&](const Unary& n) { return unary(n.op, evaluate(*n.operand, scope), range); },
        [&](const Binary& n) {
            const Value left = evaluate(*n.left, scope);
            return binary(n.op, left, evaluate(*n.right, scope), range);
        },
        [&](const Logical& n) { return evalLogical(n, scope, range); },
        [&](const Compare& n) { return evalCompare(n, scope, range); },
        [&](const Conditional& n) { return evalConditional(n, scope, range); },
        [&](const Walrus& n) {
            Value value = evaluate(*n.value, scope);
            bindName(scope, n.target.text, value);
            return value;
        },
        [&](const Starred&) -> Value { fail(Code::kSyntax, range, "a starred expression stands only in calls and displays"); },
        [&](const TupleExpr& n) { return kept(makeTuple(evalItems(n.items, scope))); },
        [&](const ListExpr& n) { return kept(makeList(evalItems(n.items, scope))); },
        [&](const SetExpr& n) { return kept(makeSet(*this, evalItems(n.items, scope), range)); },
        [&](const DictExpr& n) { return evalDict(n, scope, range); },
        [&](const Comprehension& n) { return evalComprehension(n, scope, range); },
        [&](const Lambda& n) { return evalLambda(n, scope, range); },
        [&](const Await& n) -> Value {
            evaluate(*n.value, scope);
            return makeOpaque("await");
        },
        [&](const Yield& n) -> Value {
            if (frames_.empty() || !frames_.back().yields)
                fail(Code::kUnsupportedPython, range, "`yield` is not supported here");
            Value value = n.value ? evaluate(*n.value, scope) : Value();
            auto* yields = frames_.back().yields;
            chargeMemory(64, range);
            if (yields->size() >= kMostYields) {
                StagingStop unwinding;
                unwinding.fatal = unwinding.generatorFull = true;
                throw unwinding;
            }
            if (!n.from)
                yields->push_back(value);
            else
                for (Value& item : iterate(value, range))
                    yields->push_back(std::move(item));
            return Value();
        });
}

std::vector<Value> Interpreter::evalItems(const std::vector<ExprPtr>& items, const std::shared_ptr<Environment>& scope)
{
    std::vector<Value> values;
    values.reserve(items.size());
    for (const ExprPtr& item : items) {
        if (const auto* starred = std::get_if<Starred>(&item->node)) {
            for (Value& value : iterate(evaluate(*starred->value, scope), item->range))
                values.push_back(std::move(value));
        } else {
            values.push_back(evaluate(*item, scope));
        }
    }
    return values;
}

Value Interpreter::evalDict(const DictExpr& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    auto dict = std::make_shared<DictValue>();
    for (const DictItem& item : node.items) {
        if (!item.key) {
            const Value other = underlying(evaluate(*item.value, scope));
            if (const auto* from = other.object<DictValue>())
                for (const auto& [key, value] : from->items) {
                    chargeMemory(96, range);
                    charge(1, range);
                    chargeKey(*this, *dict, key, range);
                    dictSet(*dict, key, value);
                }
            else if (!isOpaque(other))
                fail(Code::kTypeMismatch, item.value->range, fmt::format("`**` takes a dict, not {}", typeName(other)));
            continue;
        }
        const Value key = evaluate(*item.key, scope);
        if (!isHashable(key))
            fail(Code::kTypeMismatch, item.key->range, fmt::format("a {} cannot be a dict key", typeName(key)));
        chargeKey(*this, *dict, key, range);
        dictSet(*dict, key, evaluate(*item.value, scope));
    }
    chargeMemory(static_cast<Integer>(node.items.size()) * 96, range);
    return dict;
}

Value Interpreter::evalFormat(const std::vector<FormatPiece>& pieces, const std::shared_ptr<Environment>& scope,
                              const SourceRange& range)
{
    std::string out;
    for (const FormatPiece& piece : pieces) {
        out += piece.text;
        if (!piece.expr)
            continue;
        const Value value = evaluate(*piece.expr, scope);
        const Value spec = evalFormat(piece.spec, scope, range);
        if (const auto* text = value.str())  // before it is copied
            chargeMemory(2 * static_cast<Integer>(text->size()), range);
        if (piece.conversion == 'r' || piece.conversion == 'a' || (piece.debug && piece.conversion == 0 && piece.spec.empty())) {
            const std::string printed = repr(value);
            chargePrint(*this, printed.size(), range);
            out += formatValue(Value(printed), *spec.str()).value_or(printed);
            continue;
        }
        const bool plain = piece.conversion == 's' || value.object<InstanceValue>();
        const auto formatted = formatValue(plain ? Value(text(underlying(value), range)) : value, *spec.str());
        if (formatted)
            chargePrint(*this, value.str() ? formatted->size() / 32 : formatted->size(), range);
        if (!formatted && !isOpaque(value) && !isDevice(value))
            fail(Code::kValueRange, piece.expr->range,
                 fmt::format("the format `{}` does not fit a {}", *spec.str(), typeName(value)));
        out += formatted.value_or(plainText(value));
    }
    chargeMemory(static_cast<Integer>(out.size()), range);
    return Value(std::move(out));
}

Value Interpreter::evalCompare(const Compare& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    Value left = evaluate(*node.operands[0], scope);
    std::optional<Value> all;
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
        Value right = evaluate(*node.operands[i + 1], scope);
        const SourceRange pair = cover(node.operands[i]->range, node.operands[i + 1]->range);
        Value one = compare(node.ops[i], left, right, node.ops.size() == 1 ? range : pair);
        if (!all) {
            all = std::move(one);
        } else if (isDevice(*all) || isDevice(one)) {
            all = device().logical(BoolOp::kAnd, *all, one, range);
        } else {
            const auto known = knownTruth(*all, range);
            all = known ? (*known ? one : *all) : *all;
        }
        if (i + 1 < node.ops.size() && !isDevice(*all))
            if (knownTruth(*all, range) == false)
                return *all;
        left = std::move(right);
    }
    return *all;
}

Value Interpreter::evalIndex(const Expr& index, const std::shared_ptr<Environment>& scope)
{
    if (const auto* slice = std::get_if<SliceExpr>(&index.node)) {
        const auto part = [&](const ExprPtr& e) { return e ? evaluate(*e, scope) : Value(); };
        Value lower = part(slice->lower);
        Value upper = part(slice->upper);
        return std::make_shared<const SliceValue>(SliceValue{std::move(lower), std::move(upper), part(slice->step)});
    }
    if (const auto* tuple = std::get_if<TupleExpr>(&index.node)) {
        std::vector<Value> items;
        for (const ExprPtr& item : tuple->items) {
            if (const auto* starred = std::get_if<Starred>(&item->node)) {
                for (Value& value : iterate(evaluate(*starred->value, scope), item->range))
                    items.push_back(std::move(value));
            } else {
                items.push_back(evalIndex(*item, scope));
            }
        }
        return makeTuple(std::move(items));
    }
    return evaluate(index, scope);
}

Value Interpreter::evalSubscript(const Subscript& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const Value object = evaluate(*node.value, scope);
    const Value index = evalIndex(*node.index, scope);
    if (isDevice(object) || object.get<LayoutValue>())
        return device().subscript(object, index, range);
    return subscript(object, index, range);
}

Value Interpreter::evalLambda(const Lambda& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    auto function = makeFunction(node.parameters, scope);
    function->name = "<lambda>";
    function->lambda = &node;
    function->range = range;
    return function;
}

std::shared_ptr<FunctionValue> Interpreter::makeFunction(const std::vector<Parameter>& parameters,
                                                         const std::shared_ptr<Environment>& scope)
{
    chargeMemory(512, current_);  // with the scope that it keeps
    auto function = std::make_shared<FunctionValue>();
    function->module = scope->module;
    function->closure = scope;
    while (function->closure->isClass && function->closure->parent)
        function->closure = function->closure->parent;
    if (scopes_.empty() || scopes_.back().lock() != function->closure)
        scopes_.push_back(function->closure);
    for (const Parameter& parameter : parameters)
        function->defaults.push_back(parameter.defaultValue ? std::optional(evaluate(*parameter.defaultValue, scope))
                                                            : std::nullopt);
    return function;
}

// ---- comprehensions ---------------------------------------------------------------------------------------------------

void Interpreter::comprehend(const Comprehension& node, std::size_t clause, const std::shared_ptr<Environment>& scope,
                             const std::function<void()>& element)
{
    if (clause == node.clauses.size()) {
        element();
        return;
    }
    const ComprehensionClause& one = node.clauses[clause];
    const Value iterable = evaluate(*one.iterable, scope);
    if (iterable.object<const LoopSpec>())
        fail(Code::kUnsupportedPython, one.iterable->range, "a comprehension cannot run over a device loop; use range");
    const auto items = iterator(iterable, one.iterable->range);
    while (auto item = items->next(*this)) {
        charge(1, one.iterable->range);
        assign(*one.target, std::move(*item), scope, one.target->range);
        bool take = true;
        for (const ExprPtr& condition : one.conditions)
            take = take && knownTruth(evaluate(*condition, scope), condition->range).value_or(true);
        if (take)
            comprehend(node, clause + 1, scope, element);
    }
}

Value Interpreter::evalComprehension(const Comprehension& node, const std::shared_ptr<Environment>& scope,
                                     const SourceRange& range)
{
    if (node.kind == Comprehension::Kind::kGenerator)
        return evalGenerator(node, scope, range);
    const LoopGuard running(*this, range);
    auto inner = std::make_shared<Environment>();
    inner->parent = scope;
    inner->module = scope->module;
    if (node.kind == Comprehension::Kind::kDict) {
        auto dict = std::make_shared<DictValue>();
        comprehend(node, 0, inner, [&] {
            const Value key = evaluate(*node.element, inner);
            if (!isHashable(key))
                fail(Code::kTypeMismatch, node.element->range, fmt::format("a {} cannot be a dict key", typeName(key)));
            chargeMemory(128, range);
            chargeKey(*this, *dict, key, range);
            dictSet(*dict, key, evaluate(*node.value, inner));
        });
        return dict;
    }
    std::vector<Value> items;
    comprehend(node, 0, inner, [&] {
        chargeMemory(sizeof(Value), range);
        items.push_back(evaluate(*node.element, inner));
    });
    // A foreign iterable runs once: how many items there are nobody knows.
    const auto* target = std::get_if<Name>(&node.clauses.front().target->node);
    const auto bound = target ? inner->names.find(target->id) : inner->names.end();
    if (kernelDepth_ == 0 && items.size() == 1 && bound != inner->names.end() && isOpaque(bound->second))
        return makeOpaque("list");
    if (node.kind == Comprehension::Kind::kList)
        return makeList(std::move(items));
    return makeSet(*this, items, range);
}

// Lazy over the first clause, so that generators over endless iterators work.
Value Interpreter::evalGenerator(const Comprehension& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    struct Pending {
        std::vector<Value> items;
        std::size_t next = 0;
    };
    // As a value: a chain of generators then ends without using stack as deep as it is long.
    const Value outer(iterator(evaluate(*node.clauses[0].iterable, scope), node.clauses[0].iterable->range));
    auto inner = std::make_shared<Environment>();
    inner->parent = scope;
    inner->module = scope->module;
    auto pending = std::make_shared<Pending>();
    auto generator = std::make_shared<IteratorValue>();
    generator->next = [this, &node, range, outer, inner, pending](Evaluator&) -> std::optional<Value> {
        const LoopGuard running(*this, range);
        while (pending->next == pending->items.size()) {
            auto item = outer.object<IteratorValue>()->next(*this);
            if (!item)
                return std::nullopt;
            pending->items.clear();
            pending->next = 0;
            charge(1, range);
            assign(*node.clauses[0].target, std::move(*item), inner, node.clauses[0].target->range);
            bool take = true;
            for (const ExprPtr& condition : node.clauses[0].conditions)
                take = take && knownTruth(evaluate(*condition, inner), condition->range).value_or(true);
            if (take)
                comprehend(node, 1, inner, [&] { pending->items.push_back(evaluate(*node.element, inner)); });
        }
        return std::move(pending->items[pending->next++]);
    };
    return generator;
}

}  // namespace tw::staging
