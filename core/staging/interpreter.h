// The evaluator's own class. Natives, hooks and tracers use core/staging/evaluator.h.
//
// One Interpreter runs one file once, on one thread: nothing is shared between two of them but immutable tables.
#pragma once

#include <set>
#include <unordered_map>

#include "core/staging/evaluator.h"
#include "core/staging/kernel_host.h"
#include "core/support/check.h"

namespace tw::staging {

// A parameter of a signature written as text, or of a function of the file.
struct SignatureParameter {
    std::string name;
    syntax::Parameter::Kind kind = syntax::Parameter::Kind::kNormal;
    bool hasDefault = false;
};

enum class Flow { kNormal, kBreak, kContinue, kReturn };

class Interpreter final : public Evaluator {
public:
    struct Setup {
        target::Target target;
        std::int64_t stepBudget = 0, memoryBudget = 0;
        std::stop_token stop;
        DiagnosticSink* diagnostics = nullptr;
        SourceSet* sources = nullptr;  // siblings are added here
        std::function<std::optional<std::string>(const std::string&)> readSibling;
        KernelHost* host = nullptr;
    };
    explicit Interpreter(Setup setup);
    ~Interpreter() override;

    // ---- Evaluator ----
    DiagnosticSink& diagnostics() override { return *setup_.diagnostics; }
    Value evaluate(const syntax::Expr& expr, const std::shared_ptr<Environment>& scope) override;
    Value call(const Value& callee, const CallArguments& arguments) override;
    Value call(const Value& callee, std::vector<Value> positional, const SourceRange& range) override;
    Value attribute(const Value& object, const syntax::Identifier& name) override;
    bool truth(const Value& value, const SourceRange& range) override;
    std::vector<Value> iterate(const Value& value, const SourceRange& range) override;
    Value binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range) override;
    BoundArguments bind(const std::string& signature, const CallArguments& arguments,
                        const std::string& functionName) override;
    std::shared_ptr<Environment> scopeFor(const FunctionValue& function, bool kernelMode) override;
    void bindParameters(const FunctionValue& function, const CallArguments& arguments,
                        const std::shared_ptr<Environment>& scope) override;
    std::optional<Value> runBody(const syntax::Block& body, const std::shared_ptr<Environment>& scope) override;
    std::optional<Value> annotation(const FunctionValue& function, const syntax::Parameter& parameter,
                                    const std::shared_ptr<Environment>& scope) override;
    std::shared_ptr<Environment> currentScope() override;
    Value definePrimFunc(const std::shared_ptr<FunctionValue>& function, const SourceRange& decorator) override;
    DeviceHooks* hooks() override { return hooks_; }
    void setHooks(DeviceHooks* hooks) override { hooks_ = hooks; }
    bool surveying() const override { return kernelDepth_ == 0; }
    const target::Target& target() const override { return setup_.target; }
    void charge(std::int64_t steps, const SourceRange& range) override;
    SourceRange currentRange() const override { return current_; }

    // ---- for natives of ours and the host ----
    [[noreturn]] void raise(const char* type, Code code, const SourceRange& range, const std::string& message);
    void chargeMemory(Integer bytes, const SourceRange& range);
    std::optional<Value> findAttribute(const Value& object, const std::string& name, const SourceRange& range);
    void setAttribute(const Value& object, const std::string& name, Value value, const SourceRange& range);
    Value subscript(const Value& object, const Value& index, const SourceRange& range);
    void setSubscript(const Value& object, const Value& index, Value value, const SourceRange& range);
    void deleteSubscript(const Value& object, const Value& index, const SourceRange& range);
    std::shared_ptr<IteratorValue> iterator(const Value& value, const SourceRange& range);
    std::optional<bool> knownTruth(const Value& value, const SourceRange& range);  // empty: opaque
    std::string text(const Value& value, const SourceRange& range);                // str()
    Value unary(syntax::UnaryOp op, const Value& a, const SourceRange& range);
    bool isInstance(const Value& value, const Value& type, const SourceRange& range);
    Value typeOf(const Value& value);
    const Value* builtin(const std::string& name) const;
    Value builtinFunction(const std::string& name) override { return *builtin(name); }
    std::shared_ptr<ClassValue> builtinClass(const std::string& name) const;
    std::shared_ptr<Environment> makeGlobals(const std::shared_ptr<const syntax::Module>& module, const std::string& name);
    void runModule(const syntax::Module& module, const std::shared_ptr<Environment>& globals);
    Value importModule(const std::string& name, const SourceRange& range);  // never fails: unknown modules are opaque
    void bindName(const std::shared_ptr<Environment>& scope, const std::string& name, Value value);
    Value callFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments);
    Value runFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments);  // asks no host
    Value instantiate(const std::shared_ptr<ClassValue>& type, const CallArguments& arguments);
    std::optional<Value> classAttribute(const ClassValue& type, const std::string& name) const;
    DeviceHooks& device() { return hooks_ ? *hooks_ : *factoryHooks_; }
    SourceSet& sources() { return *setup_.sources; }
    KernelHost& host() { return *setup_.host; }
    [[nodiscard]] std::int64_t stepBudget() const { return setup_.stepBudget; }  // of the next kernel
    void setSurveyBudget(std::int64_t steps) { stepLimit_ = surveyLimit_ = steps; }
    Value runPrepared(const std::shared_ptr<FunctionValue>& function, const std::shared_ptr<Environment>& scope,
                      const SourceRange& call);
    Value inlineFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
    {
        return callMacro(function, arguments);
    }
    [[nodiscard]] bool insideTry() const { return tryDepth_ > 0; }
    [[nodiscard]] bool atModuleLevel() const { return frames_.size() <= 1; }
    [[nodiscard]] bool stopRequested() const { return setup_.stop.stop_requested(); }
    void setDiagnostics(DiagnosticSink* sink) { setup_.diagnostics = sink; }
    DiagnosticSink* diagnosticsTarget() { return setup_.diagnostics; }
    int line(const SourceRange& range) const;
    std::vector<SourceRange> callStack() const;  // innermost last
    const FunctionValue* currentFunction() const { return frames_.empty() ? nullptr : frames_.back().function; }

    // Errors below are the kernel's own: they are reported, budgets are the kernel's.
    class KernelExtent {
    public:
        explicit KernelExtent(Interpreter& interpreter);
        ~KernelExtent();
        KernelExtent(const KernelExtent&) = delete;
        KernelExtent& operator=(const KernelExtent&) = delete;

    private:
        Interpreter& interpreter_;
        std::int64_t steps_, memory_;
        int tries_;
        DeviceHooks* hooks_;
    };

private:
    void unwind(Diagnostic diagnostic) override;
    // A loop around kernels may spend half of the steps that are left, so that what stands behind it is read, too.
    [[nodiscard]] std::int64_t loopLimit() const { return steps_ + (stepLimit_ - steps_) / 2; }
    bool isLeftEarly(std::int64_t limit, const SourceRange& head);
    friend class KernelExtent;
    struct UndoScope {
        Environment* scope;
        std::vector<std::pair<std::string, std::optional<Value>>> undo;
    };
    struct LoopContext {
        bool device = false;
        int deviceIfs = 0;
        SourceRange range;
    };
    struct Frame {
        const FunctionValue* function = nullptr;
        std::shared_ptr<Environment> scope;
        SourceRange call;
        Value result;
        std::vector<Value>* yields = nullptr;
        std::vector<Value> alternatives;  // returned under opaque conditions
        std::vector<LoopContext> loops;
        int deviceDepth = 0;  // device constructs open in this body
    };
    class FrameGuard;
    class LoopGuard;
    class DeviceScope;

    // core
    [[noreturn]] void stop(Diagnostic diagnostic, const char* type, std::optional<Value> exception, bool raised);
    [[noreturn]] void exhausted(const SourceRange& range, const char* what);
    void checkStack(const SourceRange& range);
    const Value* findName(const std::shared_ptr<Environment>& scope, const std::string& name, const SourceRange& range);
    [[noreturn]] void undefined(const std::shared_ptr<Environment>& scope, const std::string& name, const SourceRange& range);
    [[noreturn]] void outOfScope(const std::string& name, const SourceRange& construct, const SourceRange& range);
    [[noreturn]] void foreign(const Value& value, const SourceRange& range);

    // expressions
    Value evaluateNode(const syntax::Expr& expr, const std::shared_ptr<Environment>& scope);
    Value evalFormat(const std::vector<syntax::FormatPiece>& pieces, const std::shared_ptr<Environment>& scope,
                     const SourceRange& range);
    Value evalLogical(const syntax::Logical& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Value evalCompare(const syntax::Compare& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Value evalConditional(const syntax::Conditional& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Value evalCall(const syntax::Call& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Value evalSubscript(const syntax::Subscript& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Value evalIndex(const syntax::Expr& index, const std::shared_ptr<Environment>& scope);
    std::vector<Value> evalItems(const std::vector<syntax::ExprPtr>& items, const std::shared_ptr<Environment>& scope);
    Value evalDict(const syntax::DictExpr& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Value evalComprehension(const syntax::Comprehension& node, const std::shared_ptr<Environment>& scope,
                            const SourceRange& range);
    Value evalGenerator(const syntax::Comprehension& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void comprehend(const syntax::Comprehension& node, std::size_t clause, const std::shared_ptr<Environment>& scope,
                    const std::function<void()>& element);
    Value evalLambda(const syntax::Lambda& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    CallArguments evalArguments(const std::vector<syntax::Argument>& arguments, const std::shared_ptr<Environment>& scope,
                                const SourceRange& call, const SourceRange& callee);
    std::optional<Value> dunder(const Value& object, const char* name, std::vector<Value> arguments, const SourceRange& range);
    Value joinValues(const Value& a, const Value& b);

    // operators
    std::optional<Value> binaryInstances(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range);
    std::optional<Value> binaryContainers(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range);
    Value binaryNumbers(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range);
    Value binaryIntegers(syntax::BinaryOp op, Integer a, Integer b, const SourceRange& range);
    Value binaryFloats(syntax::BinaryOp op, double a, double b, const SourceRange& range);
    Value repeated(const Value& sequence, Integer count, const SourceRange& range);
    std::optional<int> order(const Value& a, const Value& b, const SourceRange& range);
    Value contains(const Value& container, const Value& item, const SourceRange& range);
    [[noreturn]] void badOperands(const char* symbol, const Value& a, const Value& b, const SourceRange& range);

    // calls
    Value callValue(const Value& callee, const CallArguments& arguments);
    Value callMacro(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments);
    Value callBound(const BoundMethod& method, const CallArguments& arguments);
    Value callOpaque(const std::string& path, const CallArguments& arguments);
    // The positions of arguments among parameters: for each parameter the argument, or null; the rest in `rest`, `extra`.
    struct Matched {
        std::vector<const CallArgument*> given;
        std::vector<const CallArgument*> rest, extra;
    };
    Matched matchArguments(const std::vector<SignatureParameter>& parameters, const CallArguments& arguments,
                           const std::string& functionName);
    const std::vector<SignatureParameter>& signature(const std::string& text);
    Value runGenerator(const FunctionValue& function, const std::shared_ptr<Environment>& scope);
    bool isGenerator(const FunctionValue& function);
    bool storesSubscript(const FunctionValue& function);

    // statements
    Flow execBlock(const syntax::Block& block, const std::shared_ptr<Environment>& scope);
    Flow exec(const syntax::Stmt& stmt, const std::shared_ptr<Environment>& scope);
    Flow execNode(const syntax::Stmt& stmt, const std::shared_ptr<Environment>& scope);
    Flow execIf(const syntax::If& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execOpaqueIf(const syntax::If& node, const std::shared_ptr<Environment>& scope);
    Flow execFor(const syntax::For& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execDeviceFor(const syntax::For& node, const LoopSpec& spec, const std::shared_ptr<Environment>& scope,
                       const SourceRange& range);
    Flow execWhile(const syntax::While& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execDeviceWhile(const syntax::While& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execWith(const syntax::With& node, std::size_t item, const std::shared_ptr<Environment>& scope,
                  const SourceRange& range);
    Flow execWithItem(const syntax::With& node, std::size_t item, const Value& context,
                      const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execContext(const syntax::With& node, std::size_t item, const ContextValue& context,
                     const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void bindContextTarget(const syntax::Expr& target, const Value& value, const std::shared_ptr<Environment>& scope);
    Flow execTry(const syntax::Try& node, const std::shared_ptr<Environment>& scope);
    Flow execHandlers(const syntax::Try& node, const StagingStop& stop, const std::shared_ptr<Environment>& scope);
    Flow execReturn(const syntax::Return& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execJump(bool isBreak, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    Flow execMatch(const syntax::Match& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    bool matchPattern(const syntax::Pattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope);
    bool matchSequence(const syntax::SequencePattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope,
                       const SourceRange& range);
    bool matchMapping(const syntax::MappingPattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope);
    bool matchClass(const syntax::ClassPattern& pattern, const Value& subject, const std::shared_ptr<Environment>& scope,
                    const SourceRange& range);
    void execAssert(const syntax::Assert& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execRaise(const syntax::Raise& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execExpression(const syntax::ExprStmt& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execAssign(const syntax::Assign& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execAugAssign(const syntax::AugAssign& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execAnnAssign(const syntax::AnnAssign& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execDelete(const syntax::Delete& node, const std::shared_ptr<Environment>& scope);
    void execFunctionDef(const syntax::FunctionDef& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execClassDef(const syntax::ClassDef& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void execImport(const syntax::Import& node, const std::shared_ptr<Environment>& scope);
    void execImportFrom(const syntax::ImportFrom& node, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    bool decoratesKernel(const syntax::Expr& decorator, const std::shared_ptr<Environment>& scope);
    void refuseInKernel(const syntax::Stmt& stmt);
    void bindTargetsOpaque(const syntax::Stmt& stmt, const std::shared_ptr<Environment>& scope);
    void bindOpaque(const syntax::Expr& target, const std::shared_ptr<Environment>& scope);
    void assign(const syntax::Expr& target, Value value, const std::shared_ptr<Environment>& scope, const SourceRange& range);
    void assignNamed(const syntax::Identifier& name, Value value, const std::shared_ptr<Environment>& scope,
                     const SourceRange& range);
    void assignItems(const std::vector<syntax::ExprPtr>& targets, const Value& value, const std::shared_ptr<Environment>& scope,
                     const SourceRange& range);
    bool storesThrough(const std::vector<syntax::ExprPtr>& targets, const std::shared_ptr<Environment>& scope);
    Value deviceTemporary(const Value& value, const SourceRange& range);
    std::shared_ptr<FunctionValue> makeFunction(const std::vector<syntax::Parameter>& parameters,
                                                const std::shared_ptr<Environment>& scope);

    // classes and attributes
    std::optional<Value> instanceAttribute(const Value& object, const std::string& name, const SourceRange& range);
    std::optional<Value> typeAttribute(const std::shared_ptr<ClassValue>& type, const std::string& name);
    std::optional<Value> superAttribute(const InstanceValue& proxy, const std::string& name, const SourceRange& range);
    Value bindMethod(const Value& found, const Value& self, const std::shared_ptr<ClassValue>& type, const SourceRange& range);
    std::vector<std::shared_ptr<ClassValue>> resolutionOrder(const std::vector<std::shared_ptr<ClassValue>>& bases);
    [[noreturn]] void unknownAttribute(const Value& object, const syntax::Identifier& name);

    // modules
    std::optional<Value> ownModule(const std::string& name);
    std::optional<Value> siblingModule(const std::string& name, const SourceRange& range);
    void requireImportable(const Value& module, const syntax::Identifier& name);
    Value moduleMember(const Value& module, const std::string& moduleName, const syntax::Identifier& name);
    void importStar(const Value& module, const std::shared_ptr<Environment>& scope);

    Setup setup_;
    std::unique_ptr<DeviceHooks> factoryHooks_;
    DeviceHooks* hooks_ = nullptr;
    std::shared_ptr<Environment> builtins_;
    std::map<std::string, Value> modules_;
    std::vector<Frame> frames_;
    std::vector<UndoScope*> undo_;
    std::vector<SourceRange> loopRanges_;
    std::vector<std::shared_ptr<Value>> handled_;  // exceptions of the running `except` blocks
    SourceRange current_;
    std::int64_t steps_ = 0, stepLimit_ = 0, surveyLimit_ = 0;
    bool saidLong_ = false;  // that a loop around kernels is left early
    std::int64_t memory_ = 0;
    int kernelDepth_ = 0;
    int tryDepth_ = 0;
    const char* stackBase_ = nullptr;
    std::unordered_map<const syntax::FunctionDef*, bool> generators_, stores_;
    std::unordered_map<std::string, std::vector<SignatureParameter>> signatures_;
    std::vector<syntax::ExprPtr> parsedAnnotations_;
    std::vector<std::shared_ptr<const syntax::Module>> parsedModules_;
    std::vector<std::weak_ptr<Environment>> scopes_;    // to break the cycles of closures at the end
    std::vector<std::weak_ptr<ClassValue>> classes_;
};

// Whether the value is foreign: nothing is known about it.
[[nodiscard]] inline bool isOpaque(const Value& value) { return value.object<const OpaqueValue>() != nullptr; }
// What a subclass of a builtin container or number holds (class Counter(dict), IntEnum members), or the value itself.
[[nodiscard]] const Value& underlying(const Value& value);
[[nodiscard]] const std::vector<syntax::Parameter>& parametersOf(const FunctionValue& function);

}  // namespace tw::staging
