// Errors, budgets, names.
#include "core/staging/interpreter.h"

#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/guards.h"
#include "core/staging/trace/tracer.h"

namespace tw::staging {
namespace {

// The C++ stack that staging may use; deeper recursion of the file is an error of the file.
constexpr std::ptrdiff_t kStackBytes = 3 << 20;

// What finding, saying and unwinding an error takes, in steps.
constexpr std::int64_t kUnwindSteps = 60, kNearestSteps = 500;
// What a kernel can spend whatever the kernels before it have spent.
constexpr std::int64_t kLeastBudget = 200'000;

// Where the stack ends now. Not the address of a variable: a sanitizer may keep those elsewhere.
const char* stackTop() { return static_cast<const char*>(__builtin_frame_address(0)); }

const char* exceptionFor(Code code)
{
    switch (code) {
    case Code::kNameUndefined:
    case Code::kNameScope: return "NameError";
    case Code::kAttributeUnknown: return "AttributeError";
    case Code::kValueRange: return "ValueError";
    case Code::kImport: return "ImportError";
    case Code::kAssertFailed: return "AssertionError";
    case Code::kIndexRange: return "IndexError";
    case Code::kRecursion: return "RecursionError";
    case Code::kNotSupported: return "NotImplementedError";
    default: return "TypeError";
    }
}

// How a construct that ended a name reads in a message: by its first word.
std::string constructName(std::string_view text)
{
    for (const char* word : {"for", "while", "if", "elif", "else", "with"})
        if (text.starts_with(word))
            return std::string(word) == "with" ? "kernel launch or `with`" : fmt::format("`{}`", word);
    return "block";
}

}  // namespace

Interpreter::Interpreter(Setup setup) : setup_(std::move(setup)), stepLimit_(setup_.stepBudget), surveyLimit_(setup_.stepBudget)
{
    stackBase_ = stackTop();
    builtins_ = makeBuiltins();
    factoryHooks_ = makeHostHooks(*this);
}

// Functions hold the scope they close over and scopes hold the functions: the names are let go by hand.
Interpreter::~Interpreter()
{
    for (const auto& weak : classes_)
        if (const auto type = weak.lock())
            type->attributes.clear();
    for (const auto& weak : scopes_)
        if (const auto scope = weak.lock())
            scope->names.clear();
}

void Interpreter::unwind(Diagnostic diagnostic)
{
    if (!diagnostic.range.isKnown())
        diagnostic.range = current_;
    const char* type = exceptionFor(diagnostic.code);
    stop(std::move(diagnostic), type, std::nullopt, false);
}

void Interpreter::raise(const char* type, Code code, const SourceRange& range, const std::string& message)
{
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.range = range.isKnown() ? range : current_;
    diagnostic.message = message;
    stop(std::move(diagnostic), type, std::nullopt, false);
}

void Interpreter::stop(Diagnostic diagnostic, const char* type, std::optional<Value> exception, bool raised)
{
    charge(kUnwindSteps, diagnostic.range);
    StagingStop unwinding;
    unwinding.raised = raised;
    if (!exception) {
        auto object = std::make_shared<InstanceValue>();
        object->type = builtinClass(type);
        object->attributes["args"] = makeTuple({Value(diagnostic.message)});
        exception = Value(object);
    }
    unwinding.exception = std::make_shared<Value>(std::move(*exception));
    if (kernelDepth_ > 0 && tryDepth_ == 0)
        diagnostics().report(std::move(diagnostic));
    else
        unwinding.pending = std::make_shared<Diagnostic>(std::move(diagnostic));
    throw unwinding;
}

void Interpreter::exhausted(const SourceRange& range, const char* what)
{
    const bool inLoop = !loopRanges_.empty();
    Diagnostic diagnostic;
    diagnostic.code = Code::kBudget;
    diagnostic.range = inLoop ? loopRanges_.back() : range;
    diagnostic.message =
        fmt::format("this {} does not end within the {} budget of staging; it may be endless or far too long",
                    inLoop ? "loop" : "computation", what);
    StagingStop unwinding;
    unwinding.fatal = true;
    if (kernelDepth_ > 0)
        diagnostics().report(std::move(diagnostic));
    else
        unwinding.pending = std::make_shared<Diagnostic>(std::move(diagnostic));
    throw unwinding;
}

void Interpreter::charge(std::int64_t steps, const SourceRange& range)
{
    steps_ += steps;
    if (steps_ > stepLimit_)
        exhausted(range, "step");
    checkStack(range);  // iterators over iterators nest without calls
    if ((steps_ & 0xFF) < steps && setup_.stop.stop_requested()) {
        StagingStop unwinding;
        unwinding.cancelled = unwinding.fatal = true;
        throw unwinding;
    }
}

void Interpreter::chargeMemory(Integer bytes, const SourceRange& range)
{
    if (bytes > setup_.memoryBudget || (memory_ += static_cast<std::int64_t>(bytes)) > setup_.memoryBudget)
        exhausted(range, "memory");
}

void Interpreter::checkStack(const SourceRange& range)
{
    const std::ptrdiff_t used = stackBase_ - stackTop();
    if (used < kStackBytes && used > -kStackBytes && frames_.size() < 400)
        return;
    const std::string name = frames_.empty() || !frames_.back().function ? "the expression"
                                                                         : "`" + frames_.back().function->name + "`";
    StagingStop unwinding;
    unwinding.fatal = true;
    Diagnostic diagnostic;
    diagnostic.code = Code::kRecursion;
    const bool inCall = !frames_.empty() && frames_.back().call.isKnown();
    diagnostic.range = inCall ? frames_.back().call : range;
    diagnostic.message = fmt::format("{} calls itself without end: the recursion is too deep", name);
    if (kernelDepth_ > 0)
        diagnostics().report(std::move(diagnostic));
    else
        unwinding.pending = std::make_shared<Diagnostic>(std::move(diagnostic));
    throw unwinding;
}

int Interpreter::line(const SourceRange& range) const
{
    return range.file < setup_.sources->size() ? setup_.sources->file(range.file).lineColumn(range.begin).line : 0;
}

std::vector<SourceRange> Interpreter::callStack() const
{
    std::vector<SourceRange> calls;
    for (const Frame& frame : frames_)
        calls.push_back(frame.call);
    return calls;
}

std::shared_ptr<Environment> Interpreter::currentScope()
{
    return frames_.empty() ? nullptr : frames_.back().scope;
}

const Value* Interpreter::builtin(const std::string& name) const
{
    const auto it = builtins_->names.find(name);
    return it == builtins_->names.end() ? nullptr : &it->second;
}

std::shared_ptr<ClassValue> Interpreter::builtinClass(const std::string& name) const
{
    const Value* value = builtin(name);
    const auto* type = value ? value->get<std::shared_ptr<ClassValue>>() : nullptr;
    TW_CHECK(type != nullptr, "no builtin class " + name);
    return *type;
}

// ---- names ------------------------------------------------------------------------------------------------------------

const Value* Interpreter::findName(const std::shared_ptr<Environment>& scope, const std::string& name, const SourceRange& range)
{
    for (const Environment* level = scope.get(); level; level = level->parent.get()) {
        if (const auto it = level->names.find(name); it != level->names.end())
            return &it->second;
        if (!level->ended.empty())
            if (const auto it = level->ended.find(name); it != level->ended.end())
                outOfScope(name, it->second, range);
    }
    return builtin(name);
}

void Interpreter::outOfScope(const std::string& name, const SourceRange& construct, const SourceRange& range)
{
    const auto text = construct.file < sources().size() ? sources().file(construct.file).slice(construct) : std::string_view();
    const std::string what = constructName(text);
    Diagnostic diagnostic;
    diagnostic.code = Code::kNameScope;
    diagnostic.range = range;
    diagnostic.message = fmt::format("`{}` is defined only inside the {} at line {} and is out of scope here", name, what,
                                     line(construct));
    diagnostic.notes.push_back({construct, fmt::format("the scope of `{}` ends with this block; declare it before, with T.alloc_var "
                                                       "or as a buffer, to keep its value", name)});
    fail(std::move(diagnostic));
}

void Interpreter::undefined(const std::shared_ptr<Environment>& scope, const std::string& name, const SourceRange& range)
{
    charge(kNearestSteps, range);
    std::vector<std::string> known;
    for (const Environment* level = scope.get(); level; level = level->parent.get())
        for (const auto& [other, value] : level->names)
            known.push_back(other);
    for (const auto& [other, value] : builtins_->names)
        known.push_back(other);
    Diagnostic diagnostic;
    diagnostic.code = Code::kNameUndefined;
    diagnostic.range = range;
    diagnostic.message = fmt::format("the name `{}` is not defined", name);
    if (const std::string near = nearestName(name, known); !near.empty()) {
        diagnostic.message += fmt::format("; did you mean `{}`?", near);
        diagnostic.fixits.push_back({range, near});
    }
    fail(std::move(diagnostic));
}

void Interpreter::bindName(const std::shared_ptr<Environment>& scope, const std::string& name, Value value)
{
    Environment* target = scope.get();
    const auto declares = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!scope->globalsDeclared.empty() && declares(scope->globalsDeclared)) {
        while (target->parent)
            target = target->parent.get();
    } else if (!scope->nonlocals.empty() && declares(scope->nonlocals)) {
        target = scope->parent.get();
        while (target && target->parent && !target->names.contains(name))
            target = target->parent.get();
    }
    for (auto it = undo_.rbegin(); it != undo_.rend(); ++it) {
        if ((*it)->scope != target)
            continue;
        const auto old = target->names.find(name);
        (*it)->undo.emplace_back(name, old == target->names.end() ? std::nullopt : std::optional(old->second));
        break;
    }
    target->names.insert_or_assign(name, std::move(value));
    if (!target->ended.empty())
        target->ended.erase(name);
}

std::shared_ptr<Environment> Interpreter::scopeFor(const FunctionValue& function, bool kernelMode)
{
    auto scope = std::make_shared<Environment>();
    scope->parent = function.closure;
    scope->module = function.module;
    scope->kernelMode = kernelMode;
    scope->isMacro = kernelMode && function.kind == FunctionKind::kMacro;
    return scope;
}

Value Interpreter::definePrimFunc(const std::shared_ptr<FunctionValue>& function, const SourceRange& decorator)
{
    return setup_.host->definePrimFunc(function, decorator);
}

// ---- kernel extents ---------------------------------------------------------------------------------------------------

Interpreter::KernelExtent::KernelExtent(Interpreter& interpreter)
    : interpreter_(interpreter), steps_(interpreter.steps_), memory_(interpreter.memory_), tries_(interpreter.tryDepth_),
      hooks_(interpreter.hooks_)
{
    if (interpreter.kernelDepth_++ > 0)
        return;
    interpreter.steps_ = 0;
    interpreter.memory_ = 0;
    interpreter.tryDepth_ = 0;
    interpreter.hooks_ = nullptr;
    interpreter.stepLimit_ = interpreter.setup_.stepBudget;
}

Interpreter::KernelExtent::~KernelExtent()
{
    if (--interpreter_.kernelDepth_ > 0)
        return;
    // One kernel that uses its budget up is a slip, a file full of them an attack: each leaves less to those behind it.
    std::int64_t& budget = interpreter_.setup_.stepBudget;
    if (interpreter_.steps_ > budget / 2 && budget > kLeastBudget)
        budget = std::max(budget / 2, kLeastBudget);
    interpreter_.steps_ = steps_;
    interpreter_.memory_ = memory_;
    interpreter_.tryDepth_ = tries_;
    interpreter_.hooks_ = hooks_;
    interpreter_.stepLimit_ = interpreter_.surveyLimit_;
}

}  // namespace tw::staging
