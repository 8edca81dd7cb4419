// Modules of ours that make classes and kernels, and so need the interpreter itself.
#pragma once

#include "core/staging/interpreter.h"

namespace tw::staging {

// "dataclasses", "enum", "collections", "contextlib", "abc", "sys", "copy", "types", "random", …; null for others.
[[nodiscard]] std::shared_ptr<ModuleValue> makeLibraryModule(Interpreter& interpreter, const std::string& name);
// "tilelang", "tilelang.autotuner", "tilelang.transform", "tilelang.utils", …; null for others.
[[nodiscard]] std::shared_ptr<ModuleValue> makeTilelangModule(Interpreter& interpreter, const std::string& name);

// The pieces.
[[nodiscard]] std::optional<Value> dataclassesMember(Interpreter& interpreter, const std::string& name);
[[nodiscard]] std::optional<Value> enumMember(Interpreter& interpreter, const std::string& name);
[[nodiscard]] std::optional<Value> collectionsMember(Interpreter& interpreter, const std::string& name);
[[nodiscard]] std::optional<Value> contextlibMember(Interpreter& interpreter, const std::string& name);

// The string key of `PassConfigKey.NAME`, and all names.
[[nodiscard]] std::optional<std::string> passConfigKey(std::string_view member);
[[nodiscard]] std::vector<std::string> passConfigNames();
[[nodiscard]] bool isPassConfigString(std::string_view key);

}  // namespace tw::staging
