// Staging: a parsed file to its kernels, their instances, and the IR of an instance.
//
// The whole of Python's compile-time part runs in here: bounded, deterministic, without I/O.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/diagnostic.h"
#include "core/syntax/ast.h"
#include "core/target/target.h"

namespace tw::staging {

enum class KernelForm { kLazy, kEager, kPrimFunc, kFactory, kArray };
[[nodiscard]] std::string_view formName(KernelForm form);  // "lazy", "eager", "primfunc", "factory", "array"

// name -> Python literal text ("128", "'float16'", "(64, 128)", "None").
using Bindings = std::map<std::string, std::string>;

struct KernelParameter {
    std::string name;
    std::optional<std::string> defaultText;  // repr of the default, empty if it has none
    bool isNumber = false;                   // an int default or value: a spin box fits
    SourceRange range;                       // where the default (or the parameter) stands
};

struct Instance {
    std::string name;  // "default", "call:LINE", "call:LINE#2"
    SourceRange range;
    Bindings params;  // every parameter of the kernel whose value is known, as literals
    Bindings dims;    // symbolic extents whose values the call determines
    enum class Origin { kDefault, kCall, kParam } origin = Origin::kDefault;
    std::uint32_t id = 0;  // key into the Program: the values themselves (functions, dtypes) that literals cannot say
};

struct Kernel {
    std::string name;  // as the file's author calls it
    std::vector<std::string> aliases;  // the inner prim_func's name, "factory.inner"
    KernelForm form{};
    SourceRange range;
    std::vector<KernelParameter> parameters;
    std::map<std::string, std::vector<std::string>> tunable;  // autotuning: NAME -> values (literals)
    std::vector<Bindings> configs;                            // the configurations themselves
    std::vector<Instance> instances;
    std::vector<std::string> missing;  // parameters without default or call: what --param must give
    std::uint32_t id = 0;
};

struct Options {
    target::Target target;  // answers device queries of the staged code
    std::int64_t stepBudget = 20'000'000;
    std::int64_t memoryBudget = 512LL << 20;  // bytes, estimated
    // Text of a sibling module ("helpers" or "pkg/helpers") beside the opened file, or nothing. Called for imports that no
    // module of ours answers. Must not execute anything.
    std::function<std::optional<std::string>(const std::string& relativePath)> readSibling;
};

// A surveyed file. Immutable; many threads may trace from it at once.
class Program {
public:
    struct State;
    explicit Program(std::shared_ptr<const State> state);

    [[nodiscard]] const std::vector<Kernel>& kernels() const;  // in order of the file
    // By name or alias; null if there is none.
    [[nodiscard]] const Kernel* find(const std::string& name) const;
    [[nodiscard]] const SourceSet& sources() const;  // the opened file and its siblings
    [[nodiscard]] const State& state() const { return *state_; }

private:
    std::shared_ptr<const State> state_;
};

// Runs the module level and the `__main__` part in survey mode. Diagnostics: kernels' own errors and calls that contradict
// their kernel. A file with syntax errors still gives the kernels that parse.
[[nodiscard]] std::shared_ptr<const Program> survey(std::shared_ptr<const syntax::Module> module, const Options& options,
                                                    DiagnosticSink& diagnostics, std::stop_token stop = {});

// What to trace: an instance overlaid with parameters and extents.
struct GivenTensor {
    ir::DType dtype;
    std::vector<std::int64_t> shape;
};
struct TraceRequest {
    std::string kernel;
    std::string instance;  // empty: the first one
    Bindings params;       // factory arguments, compile-time constants, T.const extents
    Bindings dims;         // symbolic extents: T.const names get their value here; T.dynamic ones stay symbolic
    // Inputs at hand, by parameter: they decide shapes and dtypes of an array kernel's parameters without annotation.
    std::map<std::string, GivenTensor> tensors;
};
struct TraceResult {
    std::shared_ptr<const ir::Function> function;  // tile stage; empty if there was an error
    Instance instance;                             // as traced, overlays applied
    std::vector<std::string> missing;              // parameters or T.const extents that nobody gave
};
[[nodiscard]] TraceResult trace(const Program& program, const TraceRequest& request, const Options& options,
                                DiagnosticSink& diagnostics, std::stop_token stop = {});

// Reads the text form of a function back (core/ir/print.h). Empty, with diagnostics, if it is not one.
[[nodiscard]] std::shared_ptr<const ir::Function> readFunction(const std::string& text, DiagnosticSink& diagnostics);

}  // namespace tw::staging
