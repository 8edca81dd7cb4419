// The tracer of one kernel: what the evaluator's hooks do with device values, and the statements they leave.
//
// Natives (T.copy, T.Kernel, …) get at it through Native::tracer(). Statements go to the innermost open frame; a frame
// closes into the statement that it was opened for.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/visit.h"
#include "core/staging/trace/expressions.h"
#include "core/staging/trace/host_hooks.h"
#include "core/staging/trace/tracer.h"

namespace tw::staging {

// What `with T.Kernel(…)` opens.
struct LaunchSpec {
    std::vector<ir::Expr> grid;
    std::vector<ir::Var> blockVars;
    std::array<std::int64_t, 3> threads{128, 1, 1};
    std::array<ir::Var, 3> threadVars;
    std::vector<std::int64_t> cluster;
    ir::Attrs attrs;
    SourceRange range;
};

class Tracer final : public HostHooks {
public:
    enum class Form { kPrimFunc, kEager };

    Tracer(Evaluator& ev, Form form, std::shared_ptr<Environment> scope, std::string name, const SourceRange& range);

    // ---- DeviceHooks: statements ----
    std::optional<Value> assignName(const syntax::Identifier& name, const Value* old, const Value& value,
                                    const SourceRange& range) override;
    void assignSubscript(const Value& object, const Value& index, const Value& value, const SourceRange& range) override;
    std::optional<Value> augAssign(syntax::BinaryOp op, const syntax::Identifier* name, const Value& object,
                                   const std::optional<Value>& index, const Value& value, const SourceRange& range) override;
    bool declareParameter(const syntax::Identifier& name, const Value& annotation, const SourceRange& range) override;
    void forLoop(const LoopSpec& spec, const std::vector<syntax::Identifier>& targets,
                 const std::function<void(const std::vector<Value>&)>& bindTargets, const BodyCallback& body,
                 const SourceRange& range) override;
    void whileLoop(const std::function<Value()>& condition, const BodyCallback& body, const SourceRange& range) override;
    void ifElse(const Value& condition, const BodyCallback& then, const BodyCallback& otherwise,
                const SourceRange& range) override;
    void breakLoop(const SourceRange& range) override;
    void continueLoop(const SourceRange& range) override;
    void assertion(const Value& condition, const std::string& message, const SourceRange& range) override;
    void expressionStatement(const Value& value, const SourceRange& range) override;
    Value rangeLoop(const CallArguments& arguments) override;
    Value bindParameter(const syntax::Identifier& name, const Value& argument, bool isRef, const SourceRange& range) override;

    // ---- emission ----
    void emit(ir::Stmt statement, const SourceRange& range);
    // A statement of an operation, with an operation id of its own unless a parallel loop has one.
    void emitOp(ir::OpCall call, const SourceRange& range);
    // Text for the device compiler: what stands before the launches is that of each.
    void addSource(ir::OpCall call, const SourceRange& range);
    void emitStore(const ir::Buffer& buffer, std::vector<ir::Expr> indices, const Value& value, const SourceRange& range);
    void store(const ir::Region& region, const Value& value, const SourceRange& range);
    // The value in a new immutable variable; constants, variables and addresses stay what they are.
    Value bind(const std::string& name, const ir::Expr& value, const SourceRange& range);
    // The same for every value, also where a plain assignment would alias; the assignment names it.
    Value bindFresh(const ir::Expr& value, const SourceRange& range);
    // Declares a buffer here; it gets the name that it is assigned to first.
    ir::Buffer allocate(ir::BufferNode node, const SourceRange& range);
    [[nodiscard]] std::uint32_t operation() const { return openOperation_ ? openOperation_ : operations_ + 1; }

    // ---- launches and scopes ----
    Value openLaunch(std::shared_ptr<LaunchSpec> launch, const SourceRange& range);
    void closeLaunch();
    void launchSource(LaunchSpec launch);  // T.CUDASourceCodeKernel: no body
    [[nodiscard]] LaunchSpec* launch() { return launch_.get(); }
    [[nodiscard]] bool inLaunch() const { return launch_ != nullptr; }
    [[nodiscard]] bool atHostLevel() const { return frames_.size() == 1; }
    void openBranch(ir::Expr condition, const SourceRange& range);  // with T.ws(…)
    void closeBranch();

    // ---- parameters and results ----
    // A parameter from its annotation; the value to bind its name to.
    Value addParameter(const std::string& name, const Value& annotation, const SourceRange& range);
    void expectParameter(const std::string& name) { expected_.insert(name); }
    void setOrder(std::vector<std::string> names) { order_ = std::move(names); }  // of the signature
    [[nodiscard]] bool isParameter(const std::string& name) const;
    ir::Buffer makeOutput(ir::BufferNode node, const SourceRange& range);  // T.empty
    [[nodiscard]] const std::vector<ir::Buffer>& outputs() const { return outputs_; }
    [[nodiscard]] std::shared_ptr<const ir::Function> finish(const std::optional<Value>& result, const SourceRange& resultRange);
    ir::Function& function() { return function_; }
    [[nodiscard]] Form form() const { return form_; }

    // Variables of T.dynamic and T.const that extents use; in order of first appearance.
    void addSymbols(const std::vector<ir::Expr>& extents);

    // ---- names ----
    // A buffer that has been used keeps its name and is no longer "just made".
    void settle(const ir::Buffer& buffer) { unnamed_.erase(buffer.get()); }
    [[nodiscard]] ir::BufferNode* editable(const ir::Buffer& buffer);  // while tracing: legacy reducers learn what they are
    [[nodiscard]] const SourceRange* endOf(const ir::Buffer& buffer) const;

    // ---- eager survey (T.const values are still to be found) ----
    struct ConstSurvey {
        std::map<std::string, ir::Var> variables;
        std::map<std::string, std::vector<ir::Expr>> shapes;  // of parameters, by name; strides after the extents
        bool reachedLaunch = false;
    };
    ConstSurvey* survey = nullptr;
    ConstSurvey* stopAtLaunchIfMissing = nullptr;
    std::map<std::string, std::int64_t> consts;         // values that T.const gives
    std::vector<std::string> missingConsts;

    std::string combiner;       // of the T.attr(T.comm_reducer(…)) that is open
    std::string namePrefix;     // of variables that a meta class makes

private:
    struct Frame {
        std::vector<ir::Stmt> statements;
        std::vector<ir::Buffer> buffers;
        bool isLoop = false;
        bool closed = false;  // after break, continue or thread_return: what follows cannot be reached
        bool warned = false;
        ir::Expr condition;   // T.ws
        SourceRange range;
    };

    void push(const SourceRange& range, bool isLoop = false);
    [[nodiscard]] std::vector<ir::Stmt> pop();
    ir::Stmt runFrame(const BodyCallback& body, const SourceRange& range, bool isLoop = false);
    std::vector<ir::Axis> nameAxes(const LoopSpec& spec, const std::vector<syntax::Identifier>& targets, const SourceRange& range);
    void emitFor(const LoopSpec& spec, std::vector<ir::Axis> axes, ir::Stmt body, const SourceRange& range);
    std::optional<Value> assignExpr(const syntax::Identifier& name, const ir::Expr& value, const SourceRange& range);
    void rename(const ir::Buffer& buffer, const std::string& name);
    void renameIndex(const ir::Expr& var, const std::string& name);
    void storeTile(const ir::Region& region, const Value& value, const SourceRange& range);
    ir::Region bindIndices(const ir::Region& region, const SourceRange& range);
    void checkSymbols();
    void returnOutputs(const std::optional<Value>& result, const SourceRange& range);

    Form form_;
    std::shared_ptr<Environment> scope_;
    ir::Function function_;
    std::vector<Frame> frames_;
    std::shared_ptr<LaunchSpec> launch_;
    std::uint32_t operations_ = 0, openOperation_ = 0;
    std::set<std::string> expected_;
    std::set<std::string> declared_;
    std::vector<std::string> order_;
    std::vector<ir::Buffer> outputs_;
    std::vector<std::pair<ir::OpCall, SourceRange>> sources_;  // before the next launch
    std::map<std::string, int> launchNames_;
    std::unordered_map<const ir::BufferNode*, std::shared_ptr<ir::BufferNode>> owned_;
    std::set<const ir::BufferNode*> unnamed_;
    std::unordered_map<const ir::BufferNode*, SourceRange> ended_;
    std::unordered_map<const ir::ExprNode*, std::shared_ptr<ir::VarNode>> unnamedVars_;
};

}  // namespace tw::staging
