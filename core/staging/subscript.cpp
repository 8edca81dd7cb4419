// object[index] of staging values.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/interpreter.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/text.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

struct Bounds {
    Integer start = 0, stop = 0, step = 1;
};

// A slice against a length, clamped as Python does.
Bounds clampSlice(Interpreter& interpreter, const SliceValue& slice, Integer length, const SourceRange& range)
{
    Bounds out;
    if (!slice.step.isNone())
        out.step = integerArgument(interpreter, slice.step, range, "a slice step");
    if (out.step == 0)
        interpreter.fail(Code::kValueRange, range, "a slice step cannot be zero");
    // Longer steps than the sequence is long are all alike.
    out.step = std::min(std::max(out.step, -length - 1), length + 1);
    const Integer low = out.step > 0 ? 0 : -1, high = out.step > 0 ? length : length - 1;
    const auto place = [&](const Value& value, Integer byDefault) {
        if (value.isNone())
            return byDefault;
        Integer i = integerArgument(interpreter, value, range, "a slice bound");
        if (i < 0)
            i += length;
        return std::min(std::max(i, low), high);
    };
    out.start = place(slice.lower, out.step > 0 ? low : high);
    out.stop = place(slice.upper, out.step > 0 ? high : low);
    return out;
}

template <class Items>
Items sliced(const Items& items, const Bounds& b)
{
    Items out;
    for (Integer i = b.start; b.step > 0 ? i < b.stop : i > b.stop; i += b.step)
        out.push_back(items[static_cast<std::size_t>(i)]);
    return out;
}

const std::vector<Value>* sequenceItems(const Value& value)
{
    if (const auto* list = value.object<ListValue>())
        return &list->items;
    const auto* tuple = value.object<const TupleValue>();
    return tuple ? &tuple->items : nullptr;
}

std::size_t position(Interpreter& interpreter, const Value& index, std::size_t length, const SourceRange& range)
{
    const Integer given = integerArgument(interpreter, index, range, "an index");
    const Integer i = given < 0 ? given + static_cast<Integer>(length) : given;
    if (i < 0 || i >= static_cast<Integer>(length))
        interpreter.raise("IndexError", Code::kIndexRange, range,
                          fmt::format("index {} is out of range: there are {} items", static_cast<std::int64_t>(given), length));
    return static_cast<std::size_t>(i);
}

// A character a byte.
Value subscriptAscii(Interpreter& interpreter, const std::string& text, const Value& index, const SourceRange& range)
{
    const auto* slice = index.object<const SliceValue>();
    if (!slice)
        return Value(std::string(1, text[position(interpreter, index, text.size(), range)]));
    const Bounds b = clampSlice(interpreter, *slice, static_cast<Integer>(text.size()), range);
    std::string out = b.step == 1 ? text.substr(static_cast<std::size_t>(b.start), static_cast<std::size_t>(std::max<Integer>(b.stop - b.start, 0)))
                                  : sliced(text, b);
    interpreter.chargeMemory(static_cast<Integer>(out.size()), range);
    return Value(std::move(out));
}

Value subscriptText(Interpreter& interpreter, const std::string& text, const Value& index, const SourceRange& range)
{
    chargeText(interpreter, text.size(), range);
    if (isAscii(text))
        return subscriptAscii(interpreter, text, index, range);
    chargeItems(interpreter, text.size(), range);
    const auto points = codePoints(text);
    const auto* slice = index.object<const SliceValue>();
    if (!slice)
        return Value(std::string(points[position(interpreter, index, points.size(), range)]));
    std::string out;
    for (const std::string_view point : sliced(points, clampSlice(interpreter, *slice, static_cast<Integer>(points.size()), range)))
        out += point;
    interpreter.chargeMemory(static_cast<Integer>(out.size()), range);
    return Value(std::move(out));
}

Value subscriptRange(Interpreter& interpreter, const RangeValue& r, const Value& index, const SourceRange& range)
{
    const Integer length = rangeLength(r);
    if (const auto* slice = index.object<const SliceValue>()) {
        const Bounds b = clampSlice(interpreter, *slice, length, range);
        return Value(Value::Storage(RangeValue{r.start + b.start * r.step, r.start + b.stop * r.step, r.step * b.step}));
    }
    Integer i = integerArgument(interpreter, index, range, "an index");
    if (i < 0)
        i += length;
    if (i < 0 || i >= length)
        interpreter.raise("IndexError", Code::kIndexRange, range, "range index out of range");
    return Value(r.start + i * r.step);
}

}  // namespace

Value Interpreter::subscript(const Value& object, const Value& index, const SourceRange& range)
{
    charge(1, range);
    if (const auto* items = sequenceItems(object)) {
        if (isOpaque(index))
            return index;
        if (const auto* slice = index.object<const SliceValue>()) {
            if (isOpaque(slice->lower) || isOpaque(slice->upper) || isOpaque(slice->step))
                return makeOpaque("slice");
            auto out = sliced(*items, clampSlice(*this, *slice, static_cast<Integer>(items->size()), range));
            chargeItems(*this, out.size(), range);
            chargeMemory(static_cast<Integer>(out.size() * sizeof(Value)), range);
            return object.object<ListValue>() ? makeList(std::move(out)) : makeTuple(std::move(out));
        }
        return (*items)[position(*this, index, items->size(), range)];
    }
    if (auto* dict = object.object<DictValue>()) {
        chargeKey(*this, *dict, index, range);
        if (const Value* found = isHashable(index) ? dictFind(*dict, index) : nullptr)
            return *found;
        if (isOpaque(index))
            return index;
        raise("KeyError", Code::kValueRange, range, fmt::format("the dict has no key {}", repr(index)));
    }
    if (object.object<InstanceValue>()) {
        if (auto result = dunder(object, "__getitem__", {index}, range))
            return *result;
        const Value& data = underlying(object);
        if (&data != &object) {
            const auto* dict = data.object<DictValue>();
            if (dict)
                chargeKey(*this, *dict, index, range);
            if (dict && isHashable(index) && !dictFind(*dict, index))
                if (auto result = dunder(object, "__missing__", {index}, range))
                    return *result;
            return subscript(data, index, range);
        }
        if (object.object<InstanceValue>()->type->isOpaqueBase)
            return makeOpaque("item");
    }
    if (object.str() || object.get<ir::DType>())
        return isOpaque(index) ? index : subscriptText(*this, plainText(object), index, range);
    if (const auto* r = object.get<RangeValue>())
        return isOpaque(index) ? index : subscriptRange(*this, *r, index, range);
    if (const auto* opaque = object.object<const OpaqueValue>())
        return makeOpaque(opaque->path);
    if (const auto* tensor = object.object<const MetaTensor>())
        return tensorSubscript(*this, *tensor, index, range);
    if (const auto* type = object.object<ClassValue>()) {  // list[int], tuple[int, ...], an Enum by name
        if (const auto members = classAttribute(*type, "$members"))
            return subscript(*members, index, range);
        if (const auto own = classAttribute(*type, "__class_getitem__"))
            return call(own->object<const NativeFunction>() ? *own : bindMethod(*own, object, *object.get<std::shared_ptr<ClassValue>>(), range),
                        {index}, range);
        return object;
    }
    if (object.object<ModuleValue>())
        return makeOpaque("item");
    if (object.object<const NativeFunction>())  // T.Tensor[...] is a native of the tracer with its own subscript
        if (auto result = findAttribute(object, "__class_getitem__", range))
            return call(*result, {index}, range);
    fail(Code::kTypeMismatch, range, fmt::format("a {} cannot be indexed", typeName(object)));
}

void Interpreter::setSubscript(const Value& object, const Value& index, Value value, const SourceRange& range)
{
    chargeMemory(sizeof(Value), range);
    if (auto* list = object.object<ListValue>()) {
        if (isOpaque(index))
            return;
        const auto* slice = index.object<const SliceValue>();
        if (!slice) {
            list->items[position(*this, index, list->items.size(), range)] = std::move(value);
            return;
        }
        const Bounds b = clampSlice(*this, *slice, static_cast<Integer>(list->items.size()), range);
        auto items = iterate(value, range);
        chargeItems(*this, list->items.size(), range);
        chargeMemory(static_cast<Integer>(items.size() * sizeof(Value)), range);
        if (b.step == 1) {
            const auto first = list->items.begin() + static_cast<std::ptrdiff_t>(b.start);
            const auto at = list->items.erase(first, list->items.begin() + static_cast<std::ptrdiff_t>(std::max(b.start, b.stop)));
            list->items.insert(at, items.begin(), items.end());
            return;
        }
        std::size_t next = 0;
        for (Integer i = b.start; b.step > 0 ? i < b.stop : i > b.stop; i += b.step)
            if (next < items.size())
                list->items[static_cast<std::size_t>(i)] = items[next++];
        return;
    }
    if (auto* dict = object.object<DictValue>()) {
        if (!isHashable(index))
            fail(Code::kTypeMismatch, range, fmt::format("a {} cannot be a dict key", typeName(index)));
        chargeKey(*this, *dict, index, range);
        chargeMemory(96, range);
        dictSet(*dict, index, std::move(value));
        return;
    }
    if (object.object<InstanceValue>()) {
        if (dunder(object, "__setitem__", {index, value}, range))
            return;
        if (&underlying(object) != &object)
            return setSubscript(underlying(object), index, std::move(value), range);
        if (object.object<InstanceValue>()->type->isOpaqueBase)
            return;
    }
    if (isOpaque(object) || object.object<const MetaTensor>() || object.object<ModuleValue>())
        return;
    fail(Code::kTypeMismatch, range, fmt::format("items of a {} cannot be assigned", typeName(object)));
}

void Interpreter::deleteSubscript(const Value& object, const Value& index, const SourceRange& range)
{
    const Value& data = underlying(object);
    if (auto* list = data.object<ListValue>()) {
        chargeItems(*this, list->items.size(), range);
        if (const auto* slice = index.object<const SliceValue>()) {
            const Bounds b = clampSlice(*this, *slice, static_cast<Integer>(list->items.size()), range);
            if (b.step == 1 && b.stop > b.start)
                list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(b.start),
                                  list->items.begin() + static_cast<std::ptrdiff_t>(b.stop));
            return;
        }
        list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(position(*this, index, list->items.size(), range)));
    } else if (auto* dict = data.object<DictValue>()) {
        chargeItems(*this, 4 * dict->items.size(), range);
        chargeKey(*this, *dict, index, range);
        if (!dictErase(*dict, index))
            raise("KeyError", Code::kValueRange, range, fmt::format("the dict has no key {}", repr(index)));
    } else if (object.object<InstanceValue>()) {
        dunder(object, "__delitem__", {index}, range);
    }
}

}  // namespace tw::staging
