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
[[nodiscard]] std::optional<Value> sysMember(Interpreter& interpreter, const std::string& name);
[[nodiscard]] std::optional<Value> typesMember(Interpreter& interpreter, const std::string& name);
[[nodiscard]] std::optional<Value> copyMember(Interpreter& interpreter, const std::string& name);
[[nodiscard]] std::optional<Value> abcMember(Interpreter& interpreter, const std::string& name);

// A field that a class declares by annotation, for @dataclass and NamedTuple; `fieldsOf`: the inherited ones first.
struct FieldSpec {
    std::string name;
    std::optional<Value> byDefault, factory;
    bool init = true;
};
[[nodiscard]] std::vector<FieldSpec> fieldsOf(const ClassValue& type);

// A function of ours that needs the interpreter.
[[nodiscard]] Value native(std::string name, std::function<Value(Interpreter&, const CallArguments&)> f);
// A class without members: its name alone means something.
[[nodiscard]] Value markerClass(const char* name);

// @tilelang.jit without options.
[[nodiscard]] Value plainFactory(Interpreter& interpreter, const Value& function, const SourceRange& range);
[[nodiscard]] Value autotune(Interpreter& interpreter, const CallArguments& arguments);  // the decorator
// A call of a kernel whose configurations depend on its arguments: finds them. Where they stay unknown, parameters that they would set are
// opaque in what it gives.
[[nodiscard]] CallArguments tunedArguments(Interpreter& interpreter, KernelValue& kernel, const CallArguments& arguments);
[[nodiscard]] Value autoTuner();                                                         // the class

// The string key of `PassConfigKey.NAME`, and all names.
[[nodiscard]] std::optional<std::string> passConfigKey(std::string_view member);
[[nodiscard]] std::vector<std::string> passConfigNames();
[[nodiscard]] bool isPassConfigString(std::string_view key);

}  // namespace tw::staging
