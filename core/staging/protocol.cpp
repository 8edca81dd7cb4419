// What builtins ask of any value: truth, iteration, text, types.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {

std::optional<bool> Interpreter::knownTruth(const Value& value, const SourceRange& range)
{
    if (const auto* b = value.get<bool>())
        return *b;
    if (isOpaque(value) || value.object<const MetaTensor>())
        return std::nullopt;
    if (value.isNone())
        return false;
    if (isDevice(value)) {
        if (const auto* constant = ir::asInt(value.expr()))
            return *constant != 0;
        return device().truth(value, range);
    }
    if (value.object<InstanceValue>()) {
        if (auto result = dunder(value, "__bool__", {}, range))
            return knownTruth(*result, range);
        if (auto result = dunder(value, "__len__", {}, range))
            return knownTruth(*result, range);
        return &underlying(value) == &value ? std::optional(true) : knownTruth(underlying(value), range);
    }
    if (const auto* i = value.get<Integer>())
        return *i != 0;
    if (const auto* d = value.get<double>())
        return *d != 0;
    if (const auto* s = value.str())
        return !s->empty();
    if (const auto* tuple = value.object<const TupleValue>())
        return !tuple->items.empty();
    if (const auto* list = value.object<ListValue>())
        return !list->items.empty();
    if (const auto* dict = value.object<DictValue>())
        return !dict->items.empty();
    if (const auto* set = value.object<SetValue>())
        return !set->items.empty();
    if (const auto* r = value.get<RangeValue>())
        return rangeLength(*r) != 0;
    return true;
}

bool Interpreter::truth(const Value& value, const SourceRange& range) { return knownTruth(value, range).value_or(true); }

std::vector<Value> Interpreter::iterate(const Value& value, const SourceRange& range)
{
    if (const auto* list = value.object<ListValue>()) {
        chargeItems(*this, list->items.size(), range);
        return list->items;
    }
    if (const auto* tuple = value.object<const TupleValue>()) {
        chargeItems(*this, tuple->items.size(), range);
        return tuple->items;
    }
    std::vector<Value> out;
    const auto items = iterator(value, range);
    while (auto item = items->next(*this)) {
        charge(1, range);
        chargeMemory(static_cast<Integer>(sizeof(Value)) + sizeOf(*item), range);
        out.push_back(std::move(*item));
    }
    return out;
}

namespace {

std::shared_ptr<IteratorValue> overItems(std::vector<Value> items)
{
    auto out = std::make_shared<IteratorValue>();
    out->next = [items = std::move(items), i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
        return i < items.size() ? std::optional(std::move(items[i++])) : std::nullopt;
    };
    return out;
}

}  // namespace

std::shared_ptr<IteratorValue> Interpreter::iterator(const Value& value, const SourceRange& range)
{
    if (const auto* given = value.get<std::shared_ptr<IteratorValue>>())
        return *given;
    auto out = std::make_shared<IteratorValue>();
    if (const auto* list = value.get<std::shared_ptr<ListValue>>()) {
        out->next = [list = *list, i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
            return i < list->items.size() ? std::optional(list->items[i++]) : std::nullopt;
        };
        return out;
    }
    if (const auto* tuple = value.get<std::shared_ptr<const TupleValue>>()) {
        out->next = [tuple = *tuple, i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
            return i < tuple->items.size() ? std::optional(tuple->items[i++]) : std::nullopt;
        };
        return out;
    }
    if (const auto* r = value.get<RangeValue>()) {
        out->next = [r = *r, left = rangeLength(*r), at = r->start](Evaluator&) mutable -> std::optional<Value> {
            if (left == 0)
                return std::nullopt;
            --left;
            const Value item(at);
            if (left > 0)
                at += r.step;
            return item;
        };
        return out;
    }
    if (isDevice(value))
        return overItems(device().iterate(value, range));
    if (isOpaque(value))
        return overItems({value});
    if (const auto* tensor = value.object<const MetaTensor>())
        return overItems({tensor->shape.empty() ? makeOpaque(tensor->path) : subscript(value, Value(0), range)});
    if (value.str() || value.get<ir::DType>()) {
        const auto* shared = value.get<Str>();
        out->next = [text = shared ? *shared : std::make_shared<const std::string>(plainText(value)),
                     i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
            const std::string_view point = firstCodePoint(std::string_view(*text).substr(i));
            i += point.size();
            return point.empty() ? std::nullopt : std::optional(Value(std::string(point)));
        };
        return out;
    }
    if (const auto* dict = value.get<std::shared_ptr<DictValue>>()) {
        out->next = [dict = *dict, i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
            return i < dict->items.size() ? std::optional(dict->items[i++].first) : std::nullopt;
        };
        return out;
    }
    if (const auto* set = value.get<std::shared_ptr<SetValue>>()) {
        out->next = [set = *set, i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
            return i < set->items.size() ? std::optional(set->items[i++]) : std::nullopt;
        };
        return out;
    }
    if (value.object<InstanceValue>()) {
        if (auto result = dunder(value, "__iter__", {}, range)) {
            if (!result->object<InstanceValue>())
                return iterator(*result, range);
            out->next = [this, range, object = *result](Evaluator&) -> std::optional<Value> {
                ++tryDepth_;
                struct Leave {
                    int& depth;
                    ~Leave() { --depth; }
                } leave{tryDepth_};
                try {
                    return dunder(object, "__next__", {}, range);
                } catch (const StagingStop& stop) {
                    if (stop.fatal || !stop.exception || !isInstance(*stop.exception, Value(builtinClass("StopIteration")), range))
                        throw;
                    return std::nullopt;
                }
            };
            return out;
        }
        if (&underlying(value) != &value)
            return iterator(underlying(value), range);
        if (value.object<InstanceValue>()->type->isOpaqueBase)
            return overItems({makeOpaque("item")});
    }
    if (const auto* type = value.object<ClassValue>())
        if (const auto members = classAttribute(*type, "$members"))
            return iterator(*dictMethod("values")(*this, *members, {}).get<std::shared_ptr<ListValue>>(), range);
    if (value.object<const LoopSpec>())
        fail(Code::kUnsupportedPython, range, "a device loop can only be run by a `for` statement of a kernel");
    fail(Code::kTypeMismatch, range, fmt::format("{} {} cannot be iterated", typeName(value) == "int" ? "an" : "a", typeName(value)));
}

std::string Interpreter::text(const Value& value, const SourceRange& range)
{
    const auto printed = [&](const Value& v) {
        std::string out = plainText(v);
        if (v.str())
            chargeText(*this, out.size(), range);
        else
            chargePrint(*this, out.size(), range);
        chargeMemory(static_cast<Integer>(out.size()), range);
        return out;
    };
    if (const auto* object = value.object<InstanceValue>()) {
        if (auto result = dunder(value, "__str__", {}, range))
            return printed(*result);
        if (auto result = dunder(value, "__repr__", {}, range))
            return printed(*result);
        if (const auto it = object->attributes.find("args"); it != object->attributes.end())
            if (const auto* args = it->second.object<const TupleValue>())
                return args->items.empty() ? "" : args->items.size() == 1 ? printed(args->items[0]) : printed(it->second);
        if (&underlying(value) != &value)
            return printed(underlying(value));
    }
    return printed(value);
}

Value Interpreter::typeOf(const Value& value)
{
    if (const auto* object = value.object<InstanceValue>())
        return Value(object->type);
    if (isOpaque(value))
        return makeOpaque("type");
    if (value.object<const MetaTensor>())
        return makeOpaque("Tensor");
    std::string name = typeName(value);
    if (value.isNone())
        name = "NoneType";
    if (value.object<ClassValue>())
        name = "type";
    const Value* known = builtin(name);
    return known && known->object<ClassValue>() ? *known : makeOpaque("type");
}

bool Interpreter::isInstance(const Value& value, const Value& type, const SourceRange& range)
{
    charge(1, range);
    checkStack(range);
    if (const auto* several = type.object<const TupleValue>())
        return std::any_of(several->items.begin(), several->items.end(),
                           [&](const Value& one) { return isInstance(value, one, range); });
    const auto* cls = type.object<ClassValue>();
    if (isOpaque(type)) {
        const std::string& path = type.object<const OpaqueValue>()->path;
        return path.ends_with("Tensor") || path.ends_with("ndarray") ? value.object<const MetaTensor>() || isOpaque(value)
                                                                    : isOpaque(value);
    }
    if (!cls)
        return false;
    if (const auto* object = value.object<InstanceValue>()) {
        if (object->type.get() == cls)
            return true;
        for (const auto& base : object->type->bases)
            if (base.get() == cls)
                return true;
        return cls->name == "object";
    }
    const std::string& name = cls->name;
    if (name == "object")
        return true;
    if (name == "int")
        return value.get<Integer>() || value.get<bool>();
    if (name == "str")
        return value.str() || value.get<ir::DType>();
    if (name == "type")
        return value.object<ClassValue>();
    if (name == "tuple" || name == "list" || name == "dict" || name == "set" || name == "frozenset" || name == "float" ||
        name == "bool" || name == "range" || name == "slice")
        return typeName(value) == name;
    return false;
}

}  // namespace tw::staging
