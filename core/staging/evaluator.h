// The bounded evaluator of staging Python, as natives and hooks see it.
//
// It runs statements and expressions of the syntax tree on staging values, in one of two modes: plain (Python's own
// semantics) and kernel mode (bodies of prim_funcs, eager kernels, macros: language.md b.2), where statements on device
// values go to the hooks. No I/O, no recursion without limit, every step charged to a budget.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/staging/hooks.h"
#include "core/staging/program.h"
#include "core/staging/value.h"

namespace tw::staging {

// Unwinds to the enclosing kernel, call or statement after an error. Thrown by Evaluator::fail only; never leaves
// core/staging. An error inside a Python `try`, or outside any kernel in survey mode, is not reported yet: it travels in
// `pending`, and whoever ends the unwinding decides.
struct StagingStop {
    bool cancelled = false;
    bool fatal = false;  // a budget is gone: no `except` catches it
    std::shared_ptr<Diagnostic> pending;   // not reported yet
    std::shared_ptr<Value> exception;      // the Python exception, if it is one that `except` may name
    bool raised = false;                   // by the file's own raise or assert
    bool generatorFull = false;            // a generator gave more values than are kept
};

// Names of one scope. Class and function scopes chain to the scope that encloses their text; `globals` ends the chain.
struct Environment {
    std::shared_ptr<Environment> parent;  // lexically enclosing function scope or globals; null for globals
    std::map<std::string, Value, std::less<>> names;
    // Names that ended with a device construct (loop, if, launch): where it stood, for "used outside".
    std::map<std::string, SourceRange, std::less<>> ended;
    std::vector<std::string> nonlocals, globalsDeclared;
    std::shared_ptr<const syntax::Module> module;  // whose text this is
    bool kernelMode = false;
    bool isMacro = false;  // kernel mode of a macro: messages about `return` differ
    bool isClass = false;  // a class body: functions inside do not see its names
};

// Arguments bound to a signature written like Python's: "src, dst, *, coalesced_width=None, annotations=None". "*args" and
// "**kwargs" collect. Wrong calls are reported with the nearest name or the missing ones, then StagingStop.
class BoundArguments {
public:
    [[nodiscard]] const Value& operator[](const std::string& name) const;  // None where absent (defaults count as absent)
    [[nodiscard]] bool has(const std::string& name) const;                 // given by the caller
    [[nodiscard]] SourceRange range(const std::string& name) const;        // the argument's text, or the call's
    [[nodiscard]] const std::vector<Value>& rest() const { return rest_; }  // *args
    [[nodiscard]] const std::vector<std::pair<std::string, Value>>& keywords() const { return keywords_; }  // **kwargs

private:
    friend class Interpreter;
    std::map<std::string, std::pair<Value, SourceRange>> values_;
    std::vector<Value> rest_;
    std::vector<SourceRange> restRanges_;
    std::vector<std::pair<std::string, Value>> keywords_;
    SourceRange call_;
};

class Evaluator {
public:
    virtual ~Evaluator() = default;

    // ---- errors ----
    [[noreturn]] void fail(Code code, const SourceRange& range, std::string message)
    {
        Diagnostic diagnostic;
        diagnostic.code = code;
        diagnostic.range = range;
        diagnostic.message = std::move(message);
        fail(std::move(diagnostic));
    }
    [[noreturn]] void fail(Diagnostic diagnostic)
    {
        unwind(std::move(diagnostic));
        __builtin_unreachable();  // virtual functions are not seen to be noreturn
    }
    virtual DiagnosticSink& diagnostics() = 0;

    // ---- Python ----
    virtual Value evaluate(const syntax::Expr& expr, const std::shared_ptr<Environment>& scope) = 0;
    virtual Value call(const Value& callee, const CallArguments& arguments) = 0;
    // call(f, {a, b}) without source text of the arguments' own.
    virtual Value call(const Value& callee, std::vector<Value> positional, const SourceRange& range) = 0;
    virtual Value attribute(const Value& object, const syntax::Identifier& name) = 0;
    virtual bool truth(const Value& value, const SourceRange& range) = 0;
    virtual std::vector<Value> iterate(const Value& value, const SourceRange& range) = 0;
    virtual Value binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range) = 0;
    virtual Value compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range) = 0;
    virtual BoundArguments bind(const std::string& signature, const CallArguments& arguments,
                                const std::string& functionName) = 0;

    // Python's own function or type of that name.
    virtual Value builtinFunction(const std::string& name) = 0;

    // ---- functions and kernels ----
    // A fresh scope below the function's closure (parameters not bound yet).
    virtual std::shared_ptr<Environment> scopeFor(const FunctionValue& function, bool kernelMode) = 0;
    // Binds call arguments to the parameters of `function` in `scope` (defaults, *args, **kwargs).
    virtual void bindParameters(const FunctionValue& function, const CallArguments& arguments,
                                const std::shared_ptr<Environment>& scope) = 0;
    // What `@T.prim_func def f` binds: traces it now (tracePrimFunc), or later where the survey does not need the IR. The
    // native of T.prim_func calls this and nothing else.
    virtual Value definePrimFunc(const std::shared_ptr<FunctionValue>& function, const SourceRange& decorator) = 0;
    // Runs a body; gives the value of its `return`, or empty if it fell off the end. In kernel mode `return` is legal only
    // as the last statement (a return in the middle is reported).
    virtual std::optional<Value> runBody(const syntax::Block& body, const std::shared_ptr<Environment>& scope) = 0;
    // A parameter's annotation in the function's closure and scope; quoted ones are parsed. Empty if it has none.
    virtual std::optional<Value> annotation(const FunctionValue& function, const syntax::Parameter& parameter,
                                            const std::shared_ptr<Environment>& scope) = 0;
    virtual std::shared_ptr<Environment> currentScope() = 0;

    // ---- state ----
    virtual DeviceHooks* hooks() = 0;  // null outside kernels
    virtual void setHooks(DeviceHooks* hooks) = 0;
    virtual bool surveying() const = 0;  // survey mode: foreign conditions survey both arms, foreign errors are silent
    virtual const target::Target& target() const = 0;
    virtual void charge(std::int64_t steps, const SourceRange& range) = 0;  // StagingStop when the budget is gone
    virtual SourceRange currentRange() const = 0;  // of the statement that is running

private:
    virtual void unwind(Diagnostic diagnostic) = 0;  // always throws StagingStop
};

}  // namespace tw::staging
