// What the evaluator asks when Python code meets device objects. The evaluator knows Python; the hooks know kernels.
//
// Implemented by trace/tracer.h (the T.* dialect) and array/array_tracer.h (the array dialect). Every function may report
// diagnostics; after an error it throws StagingStop through Evaluator::fail, which unwinds to the enclosing kernel.
#pragma once

#include <functional>
#include <optional>

#include "core/staging/value.h"

namespace tw::staging {

using BodyCallback = std::function<void()>;

class DeviceHooks {
public:
    virtual ~DeviceHooks() = default;

    // ---- expressions; at least one operand is a device value (isDevice) ----
    virtual Value unary(syntax::UnaryOp op, const Value& a, const SourceRange& range) = 0;
    virtual Value binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range) = 0;
    virtual Value compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range) = 0;
    virtual Value logical(syntax::BoolOp op, const Value& a, const Value& b, const SourceRange& range) = 0;
    // `x if c else y` with a device condition.
    virtual Value conditional(const Value& condition, const Value& then, const Value& otherwise, const SourceRange& range) = 0;
    virtual Value attribute(const Value& object, const syntax::Identifier& name) = 0;
    // `index`: a value, a slice, or a tuple of them.
    virtual Value subscript(const Value& object, const Value& index, const SourceRange& range) = 0;
    virtual Value call(const Value& callee, const CallArguments& arguments) = 0;  // calling a device object, e.g. x.astype
    // Python truth of a device value outside kernel statements: constants fold, everything else is an error that says what
    // to write instead.
    virtual bool truth(const Value& value, const SourceRange& range) = 0;
    // Iterating over a device value (tuple unpacking of a launch index).
    virtual std::vector<Value> iterate(const Value& value, const SourceRange& range) = 0;

    // ---- statements of kernel-mode bodies ----
    // What to bind `name` to when `value` is assigned: emits a let for an expression, stores if `old` holds a variable or
    // reference. Empty: the assignment was a store and the name keeps its binding.
    virtual std::optional<Value> assignName(const syntax::Identifier& name, const Value* old, const Value& value,
                                            const SourceRange& range) = 0;
    virtual void assignSubscript(const Value& object, const Value& index, const Value& value, const SourceRange& range) = 0;
    // x op= value on a device target. `index` is empty for a name. As assignName for names.
    virtual std::optional<Value> augAssign(syntax::BinaryOp op, const syntax::Identifier* name, const Value& object,
                                           const std::optional<Value>& index, const Value& value,
                                           const SourceRange& range) = 0;
    // `x: T.Tensor(…)` without a value in a body: declares parameter `name` if it is one.
    virtual bool declareParameter(const syntax::Identifier& name, const Value& annotation, const SourceRange& range) = 0;
    // A `for` over a LoopSpec. `bindTargets` binds the loop's targets to the given variables and is called once, inside.
    virtual void forLoop(const LoopSpec& spec, const std::vector<syntax::Identifier>& targets,
                         const std::function<void(const std::vector<Value>&)>& bindTargets, const BodyCallback& body,
                         const SourceRange& range) = 0;
    // `condition` is evaluated once, inside the loop's scope.
    virtual void whileLoop(const std::function<Value()>& condition, const BodyCallback& body, const SourceRange& range) = 0;
    virtual void ifElse(const Value& condition, const BodyCallback& then, const BodyCallback& otherwise,
                        const SourceRange& range) = 0;  // `otherwise` may be empty
    virtual void breakLoop(const SourceRange& range) = 0;
    virtual void continueLoop(const SourceRange& range) = 0;
    virtual void assertion(const Value& condition, const std::string& message, const SourceRange& range) = 0;
    virtual void expressionStatement(const Value& value, const SourceRange& range) = 0;
    // `range(…)` inside a kernel body.
    virtual Value rangeLoop(const CallArguments& arguments) = 0;
    // A macro call: `body` runs the macro's statements with its parameters bound to what `bindParameter` returned.
    // What to write instead of a foreign function of this name ("T.exp"), or empty.
    virtual std::string functionFor(const std::string&) { return {}; }
    // A function of the file is called: a result replaces running it. The array dialect runs its statements itself.
    virtual std::optional<Value> inlineFunction(const std::shared_ptr<FunctionValue>&, const CallArguments&)
    {
        return std::nullopt;
    }
    virtual Value bindParameter(const syntax::Identifier& name, const Value& argument, bool isRef, const SourceRange& range) = 0;
};

}  // namespace tw::staging
