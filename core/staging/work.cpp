#include "core/staging/work.h"

#include <fmt/format.h>

#include "core/staging/containers.h"
#include "core/staging/interpreter.h"

namespace tw::staging {

Value makeSet(Interpreter& interpreter, const std::vector<Value>& items, const SourceRange& range, bool frozen)
{
    auto set = std::make_shared<SetValue>();
    set->frozen = frozen;
    for (const Value& item : items) {
        if (!isHashable(item))
            interpreter.fail(Code::kTypeMismatch, range, fmt::format("a {} cannot be in a set", typeName(item)));
        chargeKey(interpreter, *set, item, range);
        interpreter.chargeMemory(96, range);
        setAdd(*set, item);
    }
    return set;
}

Value callMethod(Interpreter& interpreter, BuiltinMethod method, const Value& self, const CallArguments& arguments)
{
    const auto* text = self.str();
    if (!text)
        return method(interpreter, self, arguments);
    chargeText(interpreter, text->size(), arguments.call);
    Value result = method(interpreter, self, arguments);
    const auto* made = result.object<ListValue>();
    const std::size_t parts = made ? made->items.size() : 0;
    chargeItems(interpreter, parts, arguments.call);
    interpreter.chargeMemory(static_cast<Integer>(parts * 64) + sizeOf(result), arguments.call);
    return result;
}

std::string_view firstCodePoint(std::string_view text)
{
    std::size_t n = std::min<std::size_t>(1, text.size());
    while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80)
        ++n;
    return text.substr(0, n);
}

void chargeKey(Evaluator& evaluator, const Value& key, const SourceRange& range)
{
    if (const auto* text = key.str())
        chargeText(evaluator, text->size(), range);
    else if (const auto* tuple = key.object<const TupleValue>())
        chargeItems(evaluator, tuple->items.size(), range);
    else if (const auto* set = key.object<SetValue>())
        chargeItems(evaluator, 16 * set->items.size(), range);
}

// One rival is the usual hit or miss.
static void chargeRivals(Evaluator& evaluator, const std::vector<const Value*>& rivals, const Value& key, const SourceRange& range)
{
    for (std::size_t i = 0; i < rivals.size() && rivals.size() > 1; ++i)
        if (equalValues(evaluator, *rivals[i], key, range))
            return;
    chargeItems(evaluator, rivals.size(), range);
}

void chargeKey(Evaluator& evaluator, const DictValue& dict, const Value& key, const SourceRange& range)
{
    chargeKey(evaluator, key, range);
    chargeRivals(evaluator, rivals(dict, key), key, range);
}

void chargeKey(Evaluator& evaluator, const SetValue& set, const Value& key, const SourceRange& range)
{
    chargeKey(evaluator, key, range);
    chargeRivals(evaluator, rivals(set, key), key, range);
}

std::int64_t sizeOf(const Value& value)
{
    constexpr std::int64_t kHead = 48;  // of an object on the heap
    if (const auto* text = value.str())
        return kHead + static_cast<std::int64_t>(text->size());
    if (const auto* tuple = value.object<const TupleValue>())
        return kHead + static_cast<std::int64_t>(tuple->items.size() * sizeof(Value));
    if (const auto* list = value.object<ListValue>())
        return kHead + static_cast<std::int64_t>(list->items.size() * sizeof(Value));
    return 0;
}

}  // namespace tw::staging
