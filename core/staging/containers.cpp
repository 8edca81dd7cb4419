#include "core/staging/containers.h"

namespace tw::staging {
namespace {

template <class Items, class KeyOf>
std::optional<std::size_t> position(const Items& items, const std::multimap<std::size_t, std::size_t>& index,
                                    const Value& key, KeyOf keyOf)
{
    const auto [first, last] = index.equal_range(hashValue(key));
    for (auto it = first; it != last; ++it)
        if (equalValues(keyOf(items[it->second]), key))
            return it->second;
    return std::nullopt;
}

const Value& keyOfPair(const std::pair<Value, Value>& item) { return item.first; }
const Value& keyOfItem(const Value& item) { return item; }

// Positions behind an erased item move up by one.
void closeGap(std::multimap<std::size_t, std::size_t>& index, std::size_t gone)
{
    for (auto it = index.begin(); it != index.end();) {
        if (it->second == gone) {
            it = index.erase(it);
            continue;
        }
        if (it->second > gone)
            --it->second;
        ++it;
    }
}

}  // namespace

Value* dictFind(DictValue& dict, const Value& key)
{
    const auto at = position(dict.items, dict.index, key, keyOfPair);
    return at ? &dict.items[*at].second : nullptr;
}

const Value* dictFind(const DictValue& dict, const Value& key)
{
    const auto at = position(dict.items, dict.index, key, keyOfPair);
    return at ? &dict.items[*at].second : nullptr;
}

void dictSet(DictValue& dict, const Value& key, Value value)
{
    if (Value* old = dictFind(dict, key)) {
        *old = std::move(value);
        return;
    }
    dict.index.emplace(hashValue(key), dict.items.size());
    dict.items.emplace_back(key, std::move(value));
}

bool dictErase(DictValue& dict, const Value& key)
{
    const auto at = position(dict.items, dict.index, key, keyOfPair);
    if (!at)
        return false;
    dict.items.erase(dict.items.begin() + static_cast<std::ptrdiff_t>(*at));
    closeGap(dict.index, *at);
    return true;
}

Value makeDict(std::vector<std::pair<Value, Value>> items)
{
    auto dict = std::make_shared<DictValue>();
    for (auto& [key, value] : items)
        dictSet(*dict, key, std::move(value));
    return dict;
}

bool setContains(const SetValue& set, const Value& item)
{
    return position(set.items, set.index, item, keyOfItem).has_value();
}

bool setAdd(SetValue& set, const Value& item)
{
    if (setContains(set, item))
        return false;
    set.index.emplace(hashValue(item), set.items.size());
    set.items.push_back(item);
    return true;
}

bool setErase(SetValue& set, const Value& item)
{
    const auto at = position(set.items, set.index, item, keyOfItem);
    if (!at)
        return false;
    set.items.erase(set.items.begin() + static_cast<std::ptrdiff_t>(*at));
    closeGap(set.index, *at);
    return true;
}

Value makeSet(const std::vector<Value>& items, bool frozen)
{
    auto set = std::make_shared<SetValue>();
    set->frozen = frozen;
    for (const Value& item : items)
        setAdd(*set, item);
    return set;
}

Value copyOf(const DictValue& dict) { return std::make_shared<DictValue>(dict); }
Value copyOf(const SetValue& set) { return std::make_shared<SetValue>(set); }

template <class Table, class KeyOf>
static std::vector<const Value*> rivalsIn(const Table& table, const Value& key, KeyOf keyOf)
{
    std::vector<const Value*> out;
    const auto [first, last] = table.index.equal_range(hashValue(key));
    for (auto it = first; it != last; ++it)
        out.push_back(&keyOf(table.items[it->second]));
    return out;
}

std::vector<const Value*> rivals(const DictValue& dict, const Value& key) { return rivalsIn(dict, key, keyOfPair); }
std::vector<const Value*> rivals(const SetValue& set, const Value& key) { return rivalsIn(set, key, keyOfItem); }

// Looks at no more than `left` values: a tuple of tuples may hold the same one over and over.
static bool isHashable(const Value& value, int& left)
{
    if (value.object<ListValue>() || value.object<DictValue>())
        return false;
    if (const auto* set = value.object<SetValue>())
        return set->frozen;
    if (const auto* tuple = value.object<const TupleValue>())
        for (const Value& item : tuple->items)
            if (left-- > 0 && !isHashable(item, left))
                return false;
    return true;
}

bool isHashable(const Value& value)
{
    int left = 1000;
    return isHashable(value, left);
}

Integer rangeLength(const RangeValue& range)
{
    if (range.step > 0)
        return range.stop > range.start ? (range.stop - range.start - 1) / range.step + 1 : 0;
    return range.start > range.stop ? (range.start - range.stop - 1) / -range.step + 1 : 0;
}

}  // namespace tw::staging
