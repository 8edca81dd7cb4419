// Traces kernel bodies of the T.* dialect to tile-stage IR.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/staging/evaluator.h"
#include "core/staging/kernel_value.h"

namespace tw::staging {

// The module `tilelang.language`: every T.* name (operations, dtypes, annotations, loops, contexts, decorators prim_func,
// macro, inline, meta_class). Unknown names: the nearest one is suggested by the evaluator from `names`.
[[nodiscard]] std::shared_ptr<ModuleValue> makeTileLanguageModule();
// Other modules of the dialect: "tilelang.layout", "tilelang.math", "tilelang.intrinsics", "tilelang.carver.arch",
// "tvm.tirx", "tilelang.tools.cuda.iket", … Null for modules it does not know.
[[nodiscard]] std::shared_ptr<ModuleValue> makeTileModule(const std::string& name);

// What the evaluator asks where no kernel is open (Evaluator::hooks() is null): expressions build, so that
// T.dynamic("n") * 2 works in a factory; statements, truth and iteration report. Lives as long as `evaluator`.
[[nodiscard]] std::unique_ptr<DeviceHooks> makeHostHooks(Evaluator& evaluator);

// Calling a dtype: T.float32(1.5) is a typed constant, T.int32(x) a cast, T.bfloat16x2(a, b) a vector.
[[nodiscard]] Value callDType(Evaluator& evaluator, ir::DType type, const CallArguments& arguments);
// Attributes of dtypes (bits, lanes, with_lanes, …), layouts (index, inverse, …) and device values (shape, dtype, astype, …).
// Nothing if there is none of that name; dtypes then still have the methods of their name as a string.
[[nodiscard]] std::optional<Value> tileAttribute(Evaluator& evaluator, const Value& object, const std::string& name);

// Traces `@T.prim_func def f`. Reports and throws StagingStop on an error of the kernel.
[[nodiscard]] std::shared_ptr<const ir::Function> tracePrimFunc(Evaluator& evaluator, const FunctionValue& function,
                                                                const SourceRange& decorator);

// What an eager kernel is traced with (language.md a.5).
struct EagerCall {
    std::map<std::string, Value> staging;       // values of staging parameters and, by name, of T.const extents
    std::map<std::string, Value> tensors;       // MetaTensors given by a call: T.const extents are solved from them
    std::map<std::string, std::int64_t> dims;   // --dim: T.const extents by name
};
struct EagerResult {
    std::shared_ptr<const ir::Function> function;
    std::vector<std::string> missing;           // T.const names that nothing determines: function is then empty
    std::map<std::string, std::int64_t> consts; // the extents that were used
    std::vector<std::string> tensorParameters;  // parameters that turned out to be run-time tensors or scalars
};
[[nodiscard]] EagerResult traceEager(Evaluator& evaluator, const FunctionValue& function, const EagerCall& call);

// Whether `function` has a nested @T.prim_func in its text, or is a kernel itself (uses T.Kernel directly).
enum class FactoryMode { kLazy, kEager, kUnknown };
[[nodiscard]] FactoryMode factoryMode(const FunctionValue& function);

}  // namespace tw::staging
