// Methods of list, tuple, dict and set.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/work.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;
using Table = std::map<std::string_view, Method>;

ListValue& listOf(const Value& v) { return *v.object<ListValue>(); }
DictValue& dictOf(const Value& v) { return *v.object<DictValue>(); }
SetValue& setOf(const Value& v) { return *v.object<SetValue>(); }

// ---- list (and deque) -------------------------------------------------------------------------------------------------

Value append(Interpreter& in, const Value& s, Args a)
{
    in.chargeMemory(sizeof(Value), a.call);
    listOf(s).items.push_back(positional(in, a, "append", 1, 1)[0]);
    return {};
}

Value appendleft(Interpreter& in, const Value& s, Args a)
{
    auto& items = listOf(s).items;
    in.charge(static_cast<std::int64_t>(items.size() / 16), a.call);
    in.chargeMemory(sizeof(Value), a.call);
    items.insert(items.begin(), positional(in, a, "appendleft", 1, 1)[0]);
    return {};
}

Value extend(Interpreter& in, const Value& s, Args a)
{
    const Value from = positional(in, a, "extend", 1, 1)[0];
    if (isOpaque(from))
        return {};
    for (Value& item : in.iterate(from, a.call)) {
        in.chargeMemory(sizeof(Value), a.call);
        listOf(s).items.push_back(std::move(item));
    }
    return {};
}

Value insert(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "insert", 2, 2);
    auto& items = listOf(s).items;
    const auto length = static_cast<Integer>(items.size());
    Integer at = integerArgument(in, args[0], a.call, "an index");
    at = std::min(std::max<Integer>(at < 0 ? at + length : at, 0), length);
    in.charge(static_cast<std::int64_t>(length / 16), a.call);
    in.chargeMemory(sizeof(Value), a.call);
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), args[1]);
    return {};
}

Value pop(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "pop", 0, 1);
    auto& items = listOf(s).items;
    const auto length = static_cast<Integer>(items.size());
    Integer at = args.empty() ? length - 1 : integerArgument(in, args[0], a.call, "an index");
    if (at < 0)
        at += length;
    if (at < 0 || at >= length)
        in.raise("IndexError", Code::kIndexRange, a.call, "pop from an empty list or outside of it");
    const auto it = items.begin() + static_cast<std::ptrdiff_t>(at);
    chargeItems(in, static_cast<std::size_t>(length - at), a.call);
    Value out = std::move(*it);
    items.erase(it);
    return out;
}

Value popleft(Interpreter& in, const Value& s, Args a)
{
    CallArguments first = a;
    first.items.assign(1, {"", std::make_shared<Value>(0), a.call});
    return pop(in, s, first);
}

// One of many comparisons.
bool same(Interpreter& in, const Value& x, const Value& y, Args a)
{
    in.charge(1, a.call);
    return equalValues(in, x, y, a.call);
}

Value removeItem(Interpreter& in, const Value& s, Args a)
{
    const Value item = positional(in, a, "remove", 1, 1)[0];
    auto& items = listOf(s).items;
    chargeItems(in, items.size(), a.call);
    const auto it = std::find_if(items.begin(), items.end(), [&](const Value& v) { return same(in, v, item, a); });
    if (it == items.end())
        in.raise("ValueError", Code::kValueRange, a.call, fmt::format("{} is not in the list", repr(item)));
    items.erase(it);
    return {};
}

Value reverse(Interpreter& in, const Value& s, Args a)
{
    in.charge(static_cast<std::int64_t>(listOf(s).items.size()), a.call);
    std::reverse(listOf(s).items.begin(), listOf(s).items.end());
    return {};
}

Value sort(Interpreter& in, const Value& s, Args a)
{
    CallArguments all = a;
    all.items.insert(all.items.begin(), {"", std::make_shared<Value>(s), a.call});
    const Value sorted = in.call(*in.builtin("sorted"), all);
    if (const auto* list = sorted.object<ListValue>())  // else a key is foreign: the order is not known
        listOf(s).items = list->items;
    return {};
}

std::vector<Value> itemsOf(Interpreter& in, const Value& s, Args a)
{
    return s.object<ListValue>() ? listOf(s).items : in.iterate(s, a.call);
}

Value indexOf(Interpreter& in, const Value& s, Args a)
{
    const Value item = positional(in, a, "index", 1, 3)[0];
    const auto items = itemsOf(in, s, a);
    for (std::size_t i = 0; i < items.size(); ++i)
        if (same(in, items[i], item, a))
            return Value(static_cast<std::int64_t>(i));
    in.raise("ValueError", Code::kValueRange, a.call, fmt::format("{} is not in the sequence", repr(item)));
}

Value countOf(Interpreter& in, const Value& s, Args a)
{
    const Value item = positional(in, a, "count", 1, 1)[0];
    const auto items = itemsOf(in, s, a);
    return Value(static_cast<std::int64_t>(
        std::count_if(items.begin(), items.end(), [&](const Value& v) { return same(in, v, item, a); })));
}

Value clearList(Interpreter&, const Value& s, Args) { return listOf(s).items.clear(), Value(); }
Value copyList(Interpreter& in, const Value& s, Args a)
{
    in.chargeMemory(static_cast<Integer>(listOf(s).items.size() * sizeof(Value)), a.call);
    return makeList(listOf(s).items);
}

// ---- dict -------------------------------------------------------------------------------------------------------------

Value getItem(Interpreter& in, const Value& s, Args a)
{
    const auto args = in.bind("key, default=None", a, "get");
    chargeKey(in, dictOf(s), args["key"], a.call);
    const Value* found = isHashable(args["key"]) ? dictFind(dictOf(s), args["key"]) : nullptr;
    return found ? *found : args["default"];
}

Value setDefault(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "setdefault", 1, 2);
    chargeKey(in, dictOf(s), args[0], a.call);
    if (const Value* found = dictFind(dictOf(s), args[0]))
        return *found;
    const Value value = args.size() > 1 ? args[1] : Value();
    in.chargeMemory(128, a.call);
    dictSet(dictOf(s), args[0], value);
    return value;
}

Value popItem(Interpreter& in, const Value& s, Args a)
{
    const auto args = positional(in, a, "pop", 1, 2);
    chargeItems(in, 4 * dictOf(s).items.size(), a.call);
    chargeKey(in, dictOf(s), args[0], a.call);
    if (const Value* found = dictFind(dictOf(s), args[0])) {
        Value out = *found;
        dictErase(dictOf(s), args[0]);
        return out;
    }
    if (args.size() < 2)
        in.raise("KeyError", Code::kValueRange, a.call, fmt::format("the dict has no key {}", repr(args[0])));
    return args[1];
}

Value popLast(Interpreter& in, const Value& s, Args a)
{
    if (dictOf(s).items.empty())
        in.raise("KeyError", Code::kValueRange, a.call, "popitem of an empty dict");
    chargeItems(in, 4 * dictOf(s).items.size(), a.call);
    const auto [key, value] = dictOf(s).items.back();
    chargeKey(in, dictOf(s), key, a.call);
    dictErase(dictOf(s), key);
    return makeTuple({key, value});
}

// So many items of a dict or set are made.
void chargeTable(Interpreter& in, std::size_t items, Args a)
{
    chargeItems(in, 8 * items, a.call);
    in.chargeMemory(static_cast<Integer>(items) * 96, a.call);
}

Value update(Interpreter& in, const Value& s, Args a)
{
    for (const CallArgument& argument : a.items) {
        in.chargeMemory(128, a.call);
        if (!argument.keyword.empty()) {
            dictSet(dictOf(s), Value(argument.keyword), *argument.value);
            continue;
        }
        const Value from = underlying(*argument.value);
        if (isOpaque(from))
            continue;
        if (const auto* dict = from.object<DictValue>()) {
            chargeTable(in, dict->items.size(), a);
            const auto items = dict->items;
            for (const auto& [key, value] : items) {
                chargeKey(in, dictOf(s), key, a.call);
                dictSet(dictOf(s), key, value);
            }
            continue;
        }
        for (const Value& pair : in.iterate(from, a.call)) {
            chargeTable(in, 1, a);
            const auto both = in.iterate(pair, a.call);
            if (both.size() != 2)
                continue;
            chargeKey(in, dictOf(s), both[0], a.call);
            dictSet(dictOf(s), both[0], both[1]);
        }
    }
    return {};
}

Value keys(Interpreter& in, const Value& s, Args a)
{
    chargeTable(in, dictOf(s).items.size(), a);
    auto out = std::make_shared<SetValue>();
    out->frozen = true;
    out->index = dictOf(s).index;  // the same items in the same places
    for (const auto& [key, value] : dictOf(s).items)
        out->items.push_back(key);
    return out;
}

Value values(Interpreter& in, const Value& s, Args a)
{
    chargeItems(in, dictOf(s).items.size(), a.call);
    std::vector<Value> out;
    for (const auto& [key, value] : dictOf(s).items)
        out.push_back(value);
    return makeList(std::move(out));
}

Value items(Interpreter& in, const Value& s, Args a)
{
    chargeItems(in, 8 * dictOf(s).items.size(), a.call);
    in.chargeMemory(static_cast<Integer>(dictOf(s).items.size() * 144), a.call);
    std::vector<Value> out;
    for (const auto& [key, value] : dictOf(s).items)
        out.push_back(makeTuple({key, value}));
    return makeList(std::move(out));
}

Value clearDict(Interpreter&, const Value& s, Args)
{
    dictOf(s) = DictValue();
    return {};
}
Value copyDict(Interpreter& in, const Value& s, Args a)
{
    chargeTable(in, dictOf(s).items.size(), a);
    return copyOf(dictOf(s));
}

// ---- set --------------------------------------------------------------------------------------------------------------

Value addItem(Interpreter& in, const Value& s, Args a)
{
    in.chargeMemory(96, a.call);
    const Value item = positional(in, a, "add", 1, 1)[0];
    if (!isHashable(item))
        in.fail(Code::kTypeMismatch, a.call, fmt::format("a {} cannot be in a set", typeName(item)));
    chargeKey(in, setOf(s), item, a.call);
    setAdd(setOf(s), item);
    return {};
}

template <bool mustExist>
Value discard(Interpreter& in, const Value& s, Args a)
{
    const Value item = positional(in, a, "discard", 1, 1)[0];
    chargeItems(in, 4 * setOf(s).items.size(), a.call);
    chargeKey(in, setOf(s), item, a.call);
    if (!setErase(setOf(s), item) && mustExist)
        in.raise("KeyError", Code::kValueRange, a.call, fmt::format("{} is not in the set", repr(item)));
    return {};
}

template <syntax::BinaryOp op>
Value algebra(Interpreter& in, const Value& s, Args a)
{
    Value out = s;
    for (const CallArgument& argument : a.items)
        out = in.binary(op, out, makeSet(in, in.iterate(*argument.value, argument.range), a.call), a.call);
    return out;
}

Value updateSet(Interpreter& in, const Value& s, Args a)
{
    for (const CallArgument& argument : a.items)
        for (const Value& item : in.iterate(*argument.value, argument.range)) {
            in.chargeMemory(96, a.call);
            chargeKey(in, setOf(s), item, a.call);
            setAdd(setOf(s), item);
        }
    return {};
}

template <syntax::CompareOp op>
Value relation(Interpreter& in, const Value& s, Args a)
{
    return in.compare(op, s, makeSet(in, in.iterate(positional(in, a, "issubset", 1, 1)[0], a.call), a.call), a.call);
}

Value isDisjoint(Interpreter& in, const Value& s, Args a)
{
    for (const Value& item : in.iterate(positional(in, a, "isdisjoint", 1, 1)[0], a.call)) {
        chargeKey(in, setOf(s), item, a.call);
        if (setContains(setOf(s), item))
            return false;
    }
    return true;
}

Value popAny(Interpreter& in, const Value& s, Args a)
{
    if (setOf(s).items.empty())
        in.raise("KeyError", Code::kValueRange, a.call, "pop from an empty set");
    chargeItems(in, 4 * setOf(s).items.size(), a.call);
    const Value item = setOf(s).items.front();
    chargeKey(in, setOf(s), item, a.call);
    setErase(setOf(s), item);
    return item;
}

Value clearSet(Interpreter&, const Value& s, Args)
{
    setOf(s).items.clear();
    setOf(s).index.clear();
    return {};
}
Value copySet(Interpreter& in, const Value& s, Args a)
{
    chargeTable(in, setOf(s).items.size(), a);
    auto out = std::make_shared<SetValue>(setOf(s));
    out->frozen = false;
    return out;
}

Method look(const Table& table, std::string_view name)
{
    const auto it = table.find(name);
    return it == table.end() ? nullptr : it->second;
}

using enum syntax::BinaryOp;
using enum syntax::CompareOp;

const Table& lists()
{
    static const Table kTable = {{"append", append}, {"extend", extend}, {"insert", insert}, {"pop", pop},
        {"popleft", popleft}, {"appendleft", appendleft}, {"remove", removeItem}, {"reverse", reverse}, {"sort", sort},
        {"index", indexOf}, {"count", countOf}, {"clear", clearList}, {"copy", copyList}};
    return kTable;
}
const Table& tuples()
{
    static const Table kTable = {{"index", indexOf}, {"count", countOf}};
    return kTable;
}
const Table& dicts()
{
    static const Table kTable = {{"get", getItem}, {"setdefault", setDefault}, {"pop", popItem}, {"popitem", popLast},
        {"update", update}, {"keys", keys}, {"values", values}, {"items", items}, {"clear", clearDict}, {"copy", copyDict}};
    return kTable;
}
const Table& sets()
{
    static const Table kTable = {{"add", addItem}, {"discard", discard<false>}, {"remove", discard<true>},
        {"union", algebra<kBitOr>}, {"intersection", algebra<kBitAnd>}, {"difference", algebra<kSub>},
        {"symmetric_difference", algebra<kBitXor>}, {"update", updateSet}, {"issubset", relation<kLe>},
        {"issuperset", relation<kGe>}, {"isdisjoint", isDisjoint}, {"pop", popAny}, {"clear", clearSet}, {"copy", copySet}};
    return kTable;
}

}  // namespace

Method listMethod(std::string_view name) { return look(lists(), name); }
Method tupleMethod(std::string_view name) { return look(tuples(), name); }
Method dictMethod(std::string_view name) { return look(dicts(), name); }
Method setMethod(std::string_view name) { return look(sets(), name); }

std::vector<std::string> methodNames(const Value& value)
{
    const Table* table = value.object<ListValue>()          ? &lists()
                         : value.object<const TupleValue>() ? &tuples()
                         : value.object<DictValue>()        ? &dicts()
                         : value.object<SetValue>()         ? &sets()
                                                            : nullptr;
    std::vector<std::string> out;
    if (table)
        for (const auto& [name, method] : *table)
            out.emplace_back(name);
    return out;
}

}  // namespace tw::staging
