// The array dialect (`import tilelang as tl`, array.md): traces whole-array arithmetic to IR.
//
// An array kernel becomes one launch of one block with one thread whose body is parallel nests over global buffers: the
// meaning of the sequential NumPy program, statement by statement. Scheduling it on tiles is a later pass's business.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/staging/evaluator.h"
#include "core/staging/kernel_value.h"

namespace tw::staging {

// The names of module `tilelang` that belong to the array dialect: kernel, compile (of plain functions), Tensor, zeros, dot,
// threading, shared_memory, float32, … The evaluator merges them with tilelang's own (jit, autotune, cdiv, …).
[[nodiscard]] std::shared_ptr<ModuleValue> makeArrayModule();

// Names in the extents of `function`'s annotations that nothing defines where it stands now: symbolic extents. Asked when
// `def` executes, because a name that is bound later stays symbolic.
[[nodiscard]] std::set<std::string> symbolicExtents(const FunctionValue& function);

struct ArrayCall {
    std::map<std::string, Value> parameters;   // compile-time parameters and options, by name
    std::map<std::string, Value> tensors;      // MetaTensors of a call, by parameter name: shapes and dtypes
    std::map<std::string, std::int64_t> dims;  // symbolic extents that have a value
    std::map<std::string, std::int64_t> otherwise;  // values of those that no tensor determines either
    std::shared_ptr<const KernelValue> compiled;  // what tl.compile made, for the target and the places of options; or null
};
struct ArrayResult {
    std::shared_ptr<const ir::Function> function;
    std::vector<std::string> missing;
    std::map<std::string, std::int64_t> dims;
};
// `kernel.kind` is kArray. Calls that contradict the annotations are reported at the call (`callRange`).
[[nodiscard]] ArrayResult traceArray(Evaluator& evaluator, const KernelValue& kernel, const ArrayCall& call,
                                     const SourceRange& callRange);

}  // namespace tw::staging
