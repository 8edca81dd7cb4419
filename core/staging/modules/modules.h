// The modules that staging Python may import, as far as real kernel files use them (language-stats.md §9).
//
// Pure functions of their arguments: nothing reads the machine, a file or a clock. What a module has but we do not know is
// an opaque value, not an error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/staging/evaluator.h"

namespace tw::staging {

// "math", "itertools", "functools", "operator", "typing", "collections", "os", "os.path", "argparse", "numpy", "torch" and
// their submodules. Null for a module that none of these is. Others (dataclasses, enum, tilelang, …) are made elsewhere.
[[nodiscard]] std::shared_ptr<ModuleValue> makeStandardModule(const std::string& name);

// The pieces, one a file.
[[nodiscard]] std::optional<Value> mathMember(const std::string& name);
[[nodiscard]] std::optional<Value> itertoolsMember(const std::string& name);
[[nodiscard]] std::optional<Value> functoolsMember(const std::string& name);
[[nodiscard]] std::optional<Value> operatorMember(const std::string& name);
[[nodiscard]] std::optional<Value> typingMember(const std::string& name);
[[nodiscard]] std::optional<Value> osMember(const std::string& name);
[[nodiscard]] std::optional<Value> argparseMember(const std::string& name);
// torch.X and numpy.X: dtypes, tensor makers (they give MetaTensors), device queries answered for the chosen target; the
// rest is opaque. `path` is what follows the module's name: "randn", "cuda.is_available".
[[nodiscard]] std::optional<Value> tensorLibraryMember(const std::string& module, const std::string& path);
// The function of that name if its results' shapes are known for tensors; `otherwise` serves what it is given else.
[[nodiscard]] std::optional<Value> tensorFunction(const std::string& module, const std::string& name, const std::optional<Value>& otherwise);

}  // namespace tw::staging
