// What one operation costs where it looks at many things. `evaluate` charges a step an operation; comparing two lists, copying
// a slice or printing a value is one operation and may touch a million items, so it is charged here, beside the work. The
// rates make the budget of steps last for a few seconds of a processor whatever a file spends it on.
#pragma once

#include <algorithm>

#include "core/staging/evaluator.h"

namespace tw::staging {

class Interpreter;

// `items` values were looked at or copied.
inline void chargeItems(Evaluator& evaluator, std::size_t items, const SourceRange& range)
{
    evaluator.charge(static_cast<std::int64_t>(items / 8), range);
}

// `bytes` of text were searched, compared or copied.
inline void chargeText(Evaluator& evaluator, std::size_t bytes, const SourceRange& range)
{
    evaluator.charge(static_cast<std::int64_t>(bytes / 256), range);
}

// A search for `part` in `text`: at worst every place is compared until the last character of `part`.
inline void chargeSearch(Evaluator& evaluator, const std::string& text, const std::string& part, const SourceRange& range)
{
    const std::size_t least = std::min(part.size(), text.size());
    evaluator.charge(static_cast<std::int64_t>((text.size() + least * (text.size() - least) / 16) / 256), range);
}

// `bytes` of text were made from values, digit by digit.
inline void chargePrint(Evaluator& evaluator, std::size_t bytes, const SourceRange& range)
{
    evaluator.charge(static_cast<std::int64_t>(bytes / 8), range);
}

// As equalValues(a, b), charging what it looks at.
[[nodiscard]] bool equalValues(Evaluator& evaluator, const Value& a, const Value& b, const SourceRange& range);

// Looking `key` up: its text or items are hashed and compared.
void chargeKey(Evaluator& evaluator, const Value& key, const SourceRange& range);
// The same in a table whose items may be chosen to have equal hashes: each of them is compared.
void chargeKey(Evaluator& evaluator, const DictValue& dict, const Value& key, const SourceRange& range);
void chargeKey(Evaluator& evaluator, const SetValue& set, const Value& key, const SourceRange& range);

// A set of items: each is checked and charged.
[[nodiscard]] Value makeSet(Interpreter& interpreter, const std::vector<Value>& items, const SourceRange& range, bool frozen = false);

// Calls a method of str and charges the text that it reads and makes; of other values, calls it: those charge themselves.
using BuiltinMethod = Value (*)(Interpreter&, const Value& self, const CallArguments&);
[[nodiscard]] Value callMethod(Interpreter& interpreter, BuiltinMethod method, const Value& self, const CallArguments& arguments);

// The first code point of UTF-8 text as its bytes; empty if there is none.
[[nodiscard]] std::string_view firstCodePoint(std::string_view text);

// Bytes that a fresh value takes beside those of the `Value` that holds it, estimated.
[[nodiscard]] std::int64_t sizeOf(const Value& value);

}  // namespace tw::staging
