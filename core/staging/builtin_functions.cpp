// Builtin functions of Python that compute. Those that look at objects: builtin_reflection.cpp.
#include <fmt/format.h>

#include <cmath>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

bool anyOpaqueArgument(Args a)
{
    return std::any_of(a.items.begin(), a.items.end(), [](const auto& item) { return isOpaque(*item.value); });
}

// Where Python's own function meets a run-time expression: what to write instead.
void refuseDevice(Interpreter& in, Args a, const char* name, const char* instead)
{
    for (const CallArgument& argument : a.items)
        if (isDevice(*argument.value) && !ir::asInt(argument.value->expr()))
            in.fail(Code::kRuntimeCondition, a.call,
                    fmt::format("Python's `{}` needs values that are known while staging; use {} on run-time values", name, instead));
}

Value len(Interpreter& in, Args a)
{
    const Value value = positional(in, a, "len", 1, 1)[0];
    if (auto result = value.object<InstanceValue>() ? in.findAttribute(value, "__len__", a.call) : std::nullopt)
        return in.call(*result, {}, a.call);
    const Value& v = underlying(value);
    const auto size = [](std::size_t n) { return Value(static_cast<std::int64_t>(n)); };
    if (const auto* s = v.str()) {
        chargeText(in, s->size(), a.call);
        return size(static_cast<std::size_t>(std::count_if(s->begin(), s->end(), [](char c) { return (c & 0xC0) != 0x80; })));
    }
    if (const auto* x = v.object<ListValue>())
        return size(x->items.size());
    if (const auto* x = v.object<const TupleValue>())
        return size(x->items.size());
    if (const auto* x = v.object<DictValue>())
        return size(x->items.size());
    if (const auto* x = v.object<SetValue>())
        return size(x->items.size());
    if (const auto* r = v.get<RangeValue>())
        return Value(rangeLength(*r));
    if (const auto* t = v.get<ir::DType>())
        return size(t->name().size());
    if (const auto* tensor = v.object<const MetaTensor>())
        return tensor->shape.empty() ? Value(0) : tensor->shape[0];
    if (isOpaque(v) || v.object<InstanceValue>())
        return isOpaque(v) ? v : makeOpaque("len");
    if (isDevice(v)) {
        if (v.buffer())
            return v.buffer()->shape.empty() ? Value(0) : Value(v.buffer()->shape[0]);
        return size(in.iterate(v, a.call).size());
    }
    if (const auto* type = v.object<ClassValue>())
        if (const auto members = in.classAttribute(*type, "$members"))
            return size(members->object<DictValue>()->items.size());
    in.fail(Code::kTypeMismatch, a.call, fmt::format("a {} has no len()", typeName(v)));
}

template <bool isMin>
Value extreme(Interpreter& in, Args a)
{
    const char* name = isMin ? "min" : "max";
    std::vector<Value> items;
    for (const CallArgument& argument : a.items)
        if (argument.keyword.empty())
            items.push_back(*argument.value);
    if (items.empty())
        in.fail(Code::kCallArguments, a.call, fmt::format("`{}` needs at least one argument", name));
    if (items.size() == 1 && !isDevice(items[0])) {
        if (isOpaque(items[0]))
            return items[0];
        items = in.iterate(items[0], a.call);
    }
    const Value* key = keyword(a, "key");
    if (items.empty()) {
        if (const Value* other = keyword(a, "default"))
            return *other;
        in.raise("ValueError", Code::kValueRange, a.call, fmt::format("`{}` of nothing", name));
    }
    const auto measured = [&](const Value& v) { return key && !key->isNone() ? in.call(*key, {v}, a.call) : v; };
    Value best = items[0], bestMeasure = measured(best);
    for (const Value& v : items)
        if (isDevice(v) && !ir::asInt(v.expr()))
            in.fail(Code::kRuntimeCondition, a.call,
                    fmt::format("Python's `{}` cannot compare run-time expressions; use T.{}", name, name));
    for (std::size_t i = 1; i < items.size(); ++i) {
        in.charge(1, a.call);
        const Value measure = measured(items[i]);
        if (isOpaque(measure))
            return measure;
        if (isOpaque(bestMeasure))
            return bestMeasure;
        if (in.truth(in.compare(isMin ? syntax::CompareOp::kLt : syntax::CompareOp::kGt, measure, bestMeasure, a.call), a.call)) {
            best = items[i];
            bestMeasure = measure;
        }
    }
    return best;
}

Value sum(Interpreter& in, Args a)
{
    const auto bound = in.bind("iterable, start=0", a, "sum");
    Value total = bound.has("start") ? bound["start"] : Value(0);
    const auto items = in.iterator(bound["iterable"], a.call);
    while (auto item = items->next(in)) {
        in.charge(1, a.call);
        total = in.binary(syntax::BinaryOp::kAdd, total, *item, a.call);
    }
    return total;
}

template <bool isAny>
Value anyOrAll(Interpreter& in, Args a)
{
    const auto items = in.iterator(positional(in, a, isAny ? "any" : "all", 1, 1)[0], a.call);
    std::optional<Value> unknown;
    while (auto item = items->next(in)) {
        in.charge(1, a.call);
        const auto known = in.knownTruth(*item, a.call);
        if (known == isAny)
            return Value(isAny);
        if (!known)
            unknown = *item;
    }
    return unknown ? makeOpaque("any") : Value(!isAny);
}

Value range(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "range", 1, 3);
    if (anyOpaqueArgument(a))
        return makeOpaque("range");
    // Beyond 64 bits there is nothing to count, and within them lengths and places fit the 128 of our integers.
    constexpr Integer kMost = Integer{1} << 63;
    const auto number = [&](std::size_t i) {
        const Integer n = integerArgument(in, args[i], a.call, "the bound of a range");
        if (n > kMost || n < -kMost)
            in.fail(Code::kValueRange, a.call, "the bounds of a range are limited to 64 bits");
        return n;
    };
    RangeValue r;
    r.start = args.size() > 1 ? number(0) : 0;
    r.stop = number(args.size() > 1 ? 1 : 0);
    r.step = args.size() > 2 ? number(2) : 1;
    if (r.step == 0)
        in.fail(Code::kValueRange, a.call, "the step of a range must not be zero");
    return Value(Value::Storage(r));
}

// Iterators hold the iterators below them as values: a long chain then ends without using stack as deep.
std::optional<Value> nextOf(const Value& iterator, Evaluator& e) { return iterator.object<IteratorValue>()->next(e); }

Value zip(Interpreter& in, Args a)
{
    auto sources = std::make_shared<std::vector<Value>>();
    for (const CallArgument& argument : a.items)
        if (argument.keyword.empty())
            sources->emplace_back(in.iterator(*argument.value, argument.range));
    auto out = std::make_shared<IteratorValue>();
    out->next = [sources, call = a.call](Evaluator& e) -> std::optional<Value> {
        e.charge(1, call);
        std::vector<Value> items;
        for (const Value& source : *sources) {
            auto item = nextOf(source, e);
            if (!item)
                return std::nullopt;
            items.push_back(std::move(*item));
        }
        return items.empty() ? std::nullopt : std::optional(makeTuple(std::move(items)));
    };
    return out;
}

Value enumerate(Interpreter& in, Args a)
{
    const auto bound = in.bind("iterable, start=0", a, "enumerate");
    auto out = std::make_shared<IteratorValue>();
    out->next = [items = Value(in.iterator(bound["iterable"], a.call)), call = a.call,
                 i = bound.has("start") ? integerArgument(in, bound["start"], a.call, "start") : Integer{0}](
                    Evaluator& e) mutable -> std::optional<Value> {
        e.charge(1, call);
        auto item = nextOf(items, e);
        if (!item)
            return std::nullopt;
        Value number(i);
        i = addIntegers(i, 1).value_or(i);
        return makeTuple({std::move(number), std::move(*item)});
    };
    return out;
}

Value map(Interpreter& in, Args a)
{
    if (a.items.size() < 2)
        in.fail(Code::kCallArguments, a.call, "`map` takes a function and at least one iterable");
    auto sources = std::make_shared<std::vector<Value>>();
    for (std::size_t i = 1; i < a.items.size(); ++i)
        sources->emplace_back(in.iterator(*a.items[i].value, a.items[i].range));
    auto out = std::make_shared<IteratorValue>();
    out->next = [sources, f = *a.items[0].value, call = a.call](Evaluator& e) -> std::optional<Value> {
        e.charge(1, call);
        std::vector<Value> items;
        for (const Value& source : *sources) {
            auto item = nextOf(source, e);
            if (!item)
                return std::nullopt;
            items.push_back(std::move(*item));
        }
        return e.call(f, std::move(items), call);
    };
    return out;
}

Value filter(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "filter", 2, 2);
    auto out = std::make_shared<IteratorValue>();
    out->next = [items = Value(in.iterator(args[1], a.call)), f = args[0], call = a.call](Evaluator& e) -> std::optional<Value> {
        while (auto item = nextOf(items, e)) {
            e.charge(1, call);
            if (e.truth(f.isNone() ? *item : e.call(f, {*item}, call), call))
                return item;
        }
        return std::nullopt;
    };
    return out;
}

Value reversed(Interpreter& in, Args a)
{
    const Value value = positional(in, a, "reversed", 1, 1)[0];
    if (const auto* r = value.get<RangeValue>()) {
        const Integer n = rangeLength(*r);
        return Value(in.iterator(Value(Value::Storage(RangeValue{r->start + (n - 1) * r->step, r->start - r->step, -r->step})), a.call));
    }
    auto items = in.iterate(value, a.call);
    std::reverse(items.begin(), items.end());
    return Value(in.iterator(makeList(std::move(items)), a.call));
}

Value sorted(Interpreter& in, Args a)
{
    const auto bound = in.bind("iterable, *, key=None, reverse=False", a, "sorted");
    if (isOpaque(bound["iterable"]))
        return bound["iterable"];
    struct Entry {
        Value key, item;
    };
    std::vector<Entry> entries;
    for (Value& item : in.iterate(bound["iterable"], a.call)) {
        Value key = bound["key"].isNone() ? item : in.call(bound["key"], {item}, a.call);
        if (isOpaque(key))
            return makeOpaque("sorted");
        in.chargeMemory(4 * sizeof(Value), a.call);
        entries.push_back({std::move(key), std::move(item)});
    }
    const bool reverse = bound.has("reverse") && in.truth(bound["reverse"], a.call);
    const auto less = [&](const Entry& x, const Entry& y) {
        in.charge(1, a.call);
        return in.truth(in.compare(syntax::CompareOp::kLt, reverse ? y.key : x.key, reverse ? x.key : y.key, a.call), a.call);
    };
    // Merge sort of our own: a comparison that contradicts itself must not break it.
    std::vector<Entry> other(entries.size());
    for (std::size_t width = 1; width < entries.size(); width *= 2) {
        for (std::size_t begin = 0; begin < entries.size(); begin += 2 * width) {
            const std::size_t middle = std::min(begin + width, entries.size()), end = std::min(begin + 2 * width, entries.size());
            for (std::size_t i = begin, j = middle, k = begin; k < end; ++k)
                other[k] = j < end && (i >= middle || less(entries[j], entries[i])) ? entries[j++] : entries[i++];
        }
        std::swap(entries, other);
    }
    std::vector<Value> out;
    for (Entry& entry : entries)
        out.push_back(std::move(entry.item));
    return makeList(std::move(out));
}

Value absolute(Interpreter& in, Args a)
{
    const Value value = positional(in, a, "abs", 1, 1)[0];
    if (auto method = value.object<InstanceValue>() ? in.findAttribute(value, "__abs__", a.call) : std::nullopt)
        return in.call(*method, {}, a.call);
    if (isDevice(value) && !asNumber(value)) {
        if (in.hooks())  // the array dialect has abs(x); the tile dialect says what to write
            return in.hooks()->call(*in.builtin("abs"), a);
        refuseDevice(in, a, "abs", "T.abs");
    }
    if (const auto i = asInteger(value))
        return *i < 0 ? in.unary(syntax::UnaryOp::kNegate, Value(*i), a.call) : Value(*i);
    if (const auto d = asNumber(value))
        return Value(std::abs(*d));
    if (isOpaque(value) || value.object<const MetaTensor>())
        return value;
    in.fail(Code::kTypeMismatch, a.call, fmt::format("`abs` does not take {}", typeName(value)));
}

Value roundTo(Interpreter& in, Args a)
{
    const auto bound = in.bind("number, ndigits=None", a, "round");
    refuseDevice(in, a, "round", "T.round");
    if (isOpaque(bound["number"]))
        return bound["number"];
    const auto value = asNumber(bound["number"]);
    if (!value)
        in.fail(Code::kTypeMismatch, a.call, fmt::format("`round` does not take {}", typeName(bound["number"])));
    if (bound["ndigits"].isNone()) {
        if (const auto i = asInteger(bound["number"]))
            return Value(*i);
        return Value(toInteger(std::nearbyint(*value)).value_or(0));
    }
    const double scale = std::pow(10.0, static_cast<double>(integerArgument(in, bound["ndigits"], a.call, "ndigits")));
    return Value(std::nearbyint(*value * scale) / scale);
}

Value divmod(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "divmod", 2, 2);
    return makeTuple({in.binary(syntax::BinaryOp::kFloorDiv, args[0], args[1], a.call),
                      in.binary(syntax::BinaryOp::kMod, args[0], args[1], a.call)});
}

Value power(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "pow", 2, 3);
    Value out = in.binary(syntax::BinaryOp::kPow, args[0], args[1], a.call);
    return args.size() == 3 ? in.binary(syntax::BinaryOp::kMod, out, args[2], a.call) : out;
}

Value print(Interpreter& in, Args a)
{
    for (const CallArgument& argument : a.items)
        if (!isDevice(*argument.value) && argument.keyword.empty())
            in.text(*argument.value, a.call);
    return {};
}

}  // namespace

void addFunctions(Environment& scope, const std::vector<std::pair<const char*, BuiltinFunction>>& functions)
{
    for (const auto& [name, function] : functions)
        scope.names[name] = makeNative(name, [function = function](Evaluator& e, Args a) {
            return function(static_cast<Interpreter&>(e), a);
        });
}

void addBuiltinFunctions(Environment& scope)
{
    addFunctions(scope, {{"len", len}, {"min", extreme<true>}, {"max", extreme<false>}, {"sum", sum}, {"any", anyOrAll<true>},
                         {"all", anyOrAll<false>}, {"range", range}, {"zip", zip}, {"enumerate", enumerate}, {"map", map},
                         {"filter", filter}, {"reversed", reversed}, {"sorted", sorted}, {"abs", absolute}, {"round", roundTo},
                         {"divmod", divmod}, {"pow", power}, {"print", print}});
}

}  // namespace tw::staging
