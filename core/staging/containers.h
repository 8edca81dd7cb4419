// Dicts and sets of staging Python: insertion order, lookup by hash.
#pragma once

#include "core/staging/value.h"

namespace tw::staging {

// The value stored under `key`, or null.
[[nodiscard]] Value* dictFind(DictValue& dict, const Value& key);
[[nodiscard]] const Value* dictFind(const DictValue& dict, const Value& key);
void dictSet(DictValue& dict, const Value& key, Value value);
bool dictErase(DictValue& dict, const Value& key);  // whether it was there
[[nodiscard]] Value makeDict(std::vector<std::pair<Value, Value>> items = {});
[[nodiscard]] Value copyOf(const DictValue& dict);

[[nodiscard]] bool setContains(const SetValue& set, const Value& item);
bool setAdd(SetValue& set, const Value& item);  // whether it is new
bool setErase(SetValue& set, const Value& item);
[[nodiscard]] Value makeSet(const std::vector<Value>& items, bool frozen = false);
[[nodiscard]] Value copyOf(const SetValue& set);

// What a lookup of `key` compares it with, first to last: the values whose hash is its own.
[[nodiscard]] std::vector<const Value*> rivals(const DictValue& dict, const Value& key);
[[nodiscard]] std::vector<const Value*> rivals(const SetValue& set, const Value& key);

// Lists, dicts and sets cannot be keys.
[[nodiscard]] bool isHashable(const Value& value);

// Number of items of a range.
[[nodiscard]] Integer rangeLength(const RangeValue& range);

}  // namespace tw::staging
