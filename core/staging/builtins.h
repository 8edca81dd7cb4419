// The names that need no import.
#pragma once

#include <memory>

#include "core/staging/arguments.h"
#include "core/staging/interpreter.h"

namespace tw::staging {

// Functions, types and exceptions of Python. Types are objects that a file could change, so every interpreter has its own.
[[nodiscard]] std::shared_ptr<Environment> makeBuiltins();
void addBuiltinFunctions(Environment& scope);
void addReflectionFunctions(Environment& scope);
void addBuiltinTypes(Environment& scope);
void addExceptions(Environment& scope);

using BuiltinFunction = Value (*)(Interpreter&, const CallArguments&);
void addFunctions(Environment& scope, const std::vector<std::pair<const char*, BuiltinFunction>>& functions);

// Methods of values that have no class of the file's own. Nothing if there is none of that name.
using Method = Value (*)(Interpreter&, const Value& self, const CallArguments&);
[[nodiscard]] Method stringMethod(std::string_view name);
[[nodiscard]] Method listMethod(std::string_view name);
[[nodiscard]] Method tupleMethod(std::string_view name);
[[nodiscard]] Method dictMethod(std::string_view name);
[[nodiscard]] Method setMethod(std::string_view name);
[[nodiscard]] Method numberMethod(std::string_view name);
[[nodiscard]] std::optional<Value> tensorAttribute(Interpreter& interpreter, const Value& tensor, const std::string& name);
[[nodiscard]] std::vector<std::string> methodNames(const Value& value);

// What class statements with bases of ours (Enum, NamedTuple) turn into.
void finishClass(Interpreter& interpreter, const std::shared_ptr<ClassValue>& type, const SourceRange& range);

// Class bodies note their annotated names, in order, for @dataclass and NamedTuple.
[[nodiscard]] Value makeFieldList(const Value& old, const std::string& name);

}  // namespace tw::staging
