// Kernels as values of staging Python: what decorators make and what compiled kernels are.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/staging/program.h"
#include "core/staging/value.h"

namespace tw::staging {

struct KernelValue {
    enum class Kind {
        kPrimFunc,  // traced: `function` holds the IR
        kFactory,   // @tilelang.jit: `python` makes the prim_func (lazy) or is the kernel (eager); decided on first use
        kArray,     // @tl.kernel or tl.compile of a plain function
        kCompiled   // tilelang.compile(prim_func) or factory(…): callable with tensors
    };
    Kind kind{};
    std::string name;
    SourceRange range;
    std::shared_ptr<FunctionValue> python;          // kFactory, kArray; the body of kPrimFunc
    std::shared_ptr<const ir::Function> function;   // kPrimFunc, kCompiled
    std::shared_ptr<KernelValue> origin;            // kCompiled: the factory or prim_func it was made from
    std::vector<std::pair<std::string, Value>> options;  // of the decorator or compile call: out_idx, target, pass_configs, …
    std::map<std::string, SourceRange> optionRanges;     // where an option stands
    std::optional<std::set<std::string>> symbolic;       // kArray: extents that nothing defined when `def` ran
    std::uint32_t entry = 0;                             // the survey's number for the kernel
    std::uint32_t record = 0;                            // and for its arguments, plus one; 0: not recorded
    std::vector<std::map<std::string, Value>> configs;   // @tilelang.autotune
    std::map<std::string, Value> arguments;         // kCompiled: the factory's arguments
};

}  // namespace tw::staging
