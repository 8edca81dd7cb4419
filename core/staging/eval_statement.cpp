// Statements: dispatch, branches, jumps, definitions.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/guards.h"
#include "core/staging/text.h"
#include "core/staging/walk.h"
#include "core/support/hint.h"

namespace tw::staging {

using namespace syntax;

namespace {

void declare(const std::vector<Identifier>& names, std::vector<std::string>& declared)
{
    for (const Identifier& name : names)
        if (std::find(declared.begin(), declared.end(), name.text) == declared.end())
            declared.push_back(name.text);
}

}  // namespace

// A statement of a kernel that names something and does nothing.
static void warnUnused(const Value& value, std::string_view text, const SourceRange& range, DiagnosticSink& diagnostics)
{
    if (value.object<const NativeFunction>() || value.object<FunctionValue>())
        hintIgnored(diagnostics, range, fmt::format("this names a function and does nothing; write {}() to call it", text));
    if (value.object<const LoopSpec>())
        hintIgnored(diagnostics, range, fmt::format("a loop without `for` does nothing; write `for … in {}:`", text));
}

Flow Interpreter::execBlock(const Block& block, const std::shared_ptr<Environment>& scope)
{
    // Contexts opened by an expression statement stay open to the end of the block.
    struct Opened {
        Evaluator& evaluator;
        std::vector<std::shared_ptr<const ContextValue>> contexts;
    } opened{*this, {}};
    Flow flow = Flow::kNormal;
    for (std::size_t i = 0; i < block.size() && flow == Flow::kNormal; ++i) {
        const Stmt& stmt = *block[i];
        const auto* expression = scope->kernelMode ? std::get_if<ExprStmt>(&stmt.node) : nullptr;
        if (expression) {
            charge(1, stmt.range);
            current_ = stmt.range;
            const Value value = evaluate(*expression->value, scope);
            if (const auto* context = value.get<std::shared_ptr<const ContextValue>>()) {
                (*context)->enter(*this, stmt.range);
                opened.contexts.push_back(*context);
            } else if (hooks_) {
                warnUnused(value, sources().file(stmt.range.file).slice(stmt.range), stmt.range, diagnostics());
                hooks_->expressionStatement(value, stmt.range);
            }
            continue;
        }
        flow = exec(stmt, scope);
        if (flow == Flow::kReturn && scope->kernelMode && i + 1 < block.size() && std::holds_alternative<Return>(stmt.node))
            fail(Code::kEarlyReturn, stmt.range,
                 "a `return` in the middle of a kernel body: it may stand at the end only; to end a thread early use "
                 "T.thread_return()");
    }
    for (auto it = opened.contexts.rbegin(); it != opened.contexts.rend(); ++it)
        (*it)->leave(*this);
    return flow;
}

Flow Interpreter::exec(const Stmt& stmt, const std::shared_ptr<Environment>& scope)
{
    charge(1, stmt.range);
    current_ = stmt.range;
    if (kernelDepth_ > 0 || tryDepth_ > 0)
        return execNode(stmt, scope);
    // Survey: what is foreign or not understood costs its statement, not the file.
    try {
        return execNode(stmt, scope);
    } catch (const StagingStop& stop) {
        if (stop.fatal || (stop.raised && frames_.size() > 1))
            throw;
        bindTargetsOpaque(stmt, scope);
        if (!std::holds_alternative<Return>(stmt.node) || frames_.empty())
            return Flow::kNormal;
        frames_.back().result = makeOpaque("return");
        return Flow::kReturn;
    }
}

void Interpreter::refuseInKernel(const Stmt& stmt)
{
    const auto refuse = [&](const SourceRange& range, const char* what, const char* instead) {
        fail(Code::kUnsupportedPython, range, fmt::format("{} is not supported in a kernel body{}", what, instead));
    };
    if (std::holds_alternative<Try>(stmt.node))
        refuse(stmt.range, "`try`", ": there are no exceptions on the device");
    if (std::holds_alternative<ClassDef>(stmt.node))
        refuse(stmt.range, "`class`", "; define it outside of the kernel");
    if (const auto* loop = std::get_if<For>(&stmt.node); loop && loop->isAsync)
        refuse(stmt.range, "`async for`", ": kernels have no coroutines");
    if (const auto* with = std::get_if<With>(&stmt.node); with && with->isAsync)
        refuse(stmt.range, "`async with`", ": kernels have no coroutines");
    if (const auto* def = std::get_if<FunctionDef>(&stmt.node); def && def->isAsync)
        refuse(stmt.range, "`async def`", ": kernels have no coroutines");
}

Flow Interpreter::execNode(const Stmt& stmt, const std::shared_ptr<Environment>& scope)
{
    if (scope->kernelMode)
        refuseInKernel(stmt);
    const auto done = [](auto&&...) { return Flow::kNormal; };
    return match(
        stmt.node,
        [&](const ErrorStmt&) -> Flow {
            if (kernelDepth_ > 0)
                throw StagingStop{};  // the parser has said what is wrong: nothing more can be said of this kernel
            return Flow::kNormal;
        },
        [&](const ExprStmt& n) { return execExpression(n, scope, stmt.range), Flow::kNormal; },
        [&](const Pass&) { return done(); }, [&](const Break&) { return execJump(true, scope, stmt.range); },
        [&](const Continue&) { return execJump(false, scope, stmt.range); },
        [&](const Assign& n) { return execAssign(n, scope, stmt.range), Flow::kNormal; },
        [&](const AugAssign& n) { return execAugAssign(n, scope, stmt.range), Flow::kNormal; },
        [&](const AnnAssign& n) { return execAnnAssign(n, scope, stmt.range), Flow::kNormal; },
        [&](const Return& n) { return execReturn(n, scope, stmt.range); },
        [&](const Delete& n) { return execDelete(n, scope), Flow::kNormal; },
        [&](const Raise& n) { return execRaise(n, scope, stmt.range), Flow::kNormal; },
        [&](const Global& n) {
            declare(n.names, scope->globalsDeclared);
            return Flow::kNormal;
        },
        [&](const Nonlocal& n) {
            declare(n.names, scope->nonlocals);
            return Flow::kNormal;
        },
        [&](const Import& n) { return execImport(n, scope), Flow::kNormal; },
        [&](const ImportFrom& n) { return execImportFrom(n, scope, stmt.range), Flow::kNormal; },
        [&](const Assert& n) { return execAssert(n, scope, stmt.range), Flow::kNormal; },
        [&](const TypeAlias& n) { return bindName(scope, n.name.text, makeOpaque("type")), Flow::kNormal; },
        [&](const If& n) { return execIf(n, scope, stmt.range); }, [&](const While& n) { return execWhile(n, scope, stmt.range); },
        [&](const For& n) { return execFor(n, scope, stmt.range); }, [&](const Try& n) { return execTry(n, scope); },
        [&](const With& n) { return execWith(n, 0, scope, stmt.range); },
        [&](const Match& n) { return execMatch(n, scope, stmt.range); },
        [&](const FunctionDef& n) { return execFunctionDef(n, scope, stmt.range), Flow::kNormal; },
        [&](const ClassDef& n) { return execClassDef(n, scope, stmt.range), Flow::kNormal; });
}

void Interpreter::execExpression(const ExprStmt& node, const std::shared_ptr<Environment>& scope, const SourceRange&)
{
    evaluate(*node.value, scope);
}

// ---- branches ---------------------------------------------------------------------------------------------------------

Flow Interpreter::execIf(const If& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const Value condition = evaluate(*node.condition, scope);
    if (isDevice(condition) && !ir::asInt(condition.expr()) && scope->kernelMode) {
        Frame& frame = frames_.back();
        ++frame.deviceDepth;
        if (!frame.loops.empty())
            ++frame.loops.back().deviceIfs;
        const std::size_t depth = frames_.size();
        const auto arm = [&](const Block& block) {
            const DeviceScope names(*this, scope, range);
            execBlock(block, scope);
        };
        const auto restore = [&] {
            TW_CHECK(frames_.size() == depth, "frames");
            --frames_.back().deviceDepth;
            if (!frames_.back().loops.empty())
                --frames_.back().loops.back().deviceIfs;
        };
        hooks_->ifElse(condition, [&] { arm(node.then); },
                       node.orElse.empty() ? BodyCallback() : BodyCallback([&] { arm(node.orElse); }), range);
        restore();
        return Flow::kNormal;
    }
    const auto known = knownTruth(condition, node.condition->range);
    if (known)
        return execBlock(*known ? node.then : node.orElse, scope);
    if (scope->kernelMode)
        foreign(condition, node.condition->range);
    return execOpaqueIf(node, scope);
}

// Surveys both arms and joins what they bind.
Flow Interpreter::execOpaqueIf(const If& node, const std::shared_ptr<Environment>& scope)
{
    struct Arm {
        std::map<std::string, Value> bound;
        Flow flow = Flow::kNormal;
        bool ended = false;  // by an error
        Value result;
    };
    const auto survey = [&](const Block& block) {
        Arm arm;
        DeviceScope names(*this, scope, std::nullopt);
        // Inside a kernel's factory an arm that may not be the one is no place to report errors.
        struct Quiet {
            int& depth;
            int by;
            Quiet(int& d, int b) : depth(d), by(b) { depth += by; }
            ~Quiet() { depth -= by; }
        } quiet(tryDepth_, kernelDepth_ > 0 ? 1 : 0);
        try {
            arm.flow = execBlock(block, scope);
        } catch (const StagingStop& stop) {
            if (stop.fatal)
                throw;
            arm.ended = true;
        }
        if (arm.flow == Flow::kReturn && !frames_.empty())
            arm.result = std::move(frames_.back().result);
        arm.bound = names.close();
        return arm;
    };
    Arm arms[2] = {survey(node.then), survey(node.orElse)};
    const auto leaves = [](const Arm& arm) { return arm.ended || arm.flow != Flow::kNormal; };
    if (leaves(arms[0]) && leaves(arms[1])) {
        Arm& taken = arms[arms[0].ended ? 1 : 0];
        if (arms[0].flow == Flow::kReturn && arms[1].flow == Flow::kReturn)
            taken.result = joinValues(arms[0].result, arms[1].result);
        if (!frames_.empty())
            frames_.back().result = std::move(taken.result);
        return taken.ended ? Flow::kReturn : taken.flow;
    }
    for (const Arm& arm : arms)
        if (arm.flow == Flow::kReturn && !frames_.empty())
            frames_.back().alternatives.push_back(arm.result);
    for (const Arm& arm : arms) {
        if (leaves(arm))
            continue;
        const Arm& other = &arm == &arms[0] ? arms[1] : arms[0];
        for (const auto& [name, value] : arm.bound) {
            const auto it = leaves(other) ? other.bound.end() : other.bound.find(name);
            const Value* old = nullptr;
            if (it == other.bound.end() && !leaves(other))
                if (const auto before = scope->names.find(name); before != scope->names.end())
                    old = &before->second;
            bindName(scope, name, it != other.bound.end() ? joinValues(value, it->second) : old ? joinValues(value, *old) : value);
        }
        if (!leaves(other))
            for (const auto& [name, value] : other.bound)
                if (!arm.bound.contains(name))
                    bindName(scope, name, scope->names.contains(name) ? joinValues(scope->names[name], value) : value);
        break;
    }
    return Flow::kNormal;
}

// ---- jumps ------------------------------------------------------------------------------------------------------------

Flow Interpreter::execJump(bool isBreak, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const char* word = isBreak ? "break" : "continue";
    if (frames_.empty() || frames_.back().loops.empty()) {
        if (scope->kernelMode)
            fail(Code::kStructure, range, fmt::format("`{}` stands outside of a loop; T.thread_return() ends a thread early", word));
        return isBreak ? Flow::kBreak : Flow::kContinue;
    }
    const LoopContext& loop = frames_.back().loops.back();
    if (loop.device) {
        if (isBreak)
            device().breakLoop(range);
        else
            device().continueLoop(range);
    } else if (scope->kernelMode && loop.deviceIfs > 0) {
        fail(Code::kRuntimeCondition, range,
             fmt::format("`{}` of a loop that is unrolled while staging stands under a run-time condition", word));
    }
    return isBreak ? Flow::kBreak : Flow::kContinue;
}

Flow Interpreter::execReturn(const Return& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    if (scope->kernelMode && !frames_.empty() && frames_.back().deviceDepth > 0) {
        if (scope->isMacro)
            fail(Code::kEarlyReturn, range,
                 "a `return` inside a device `if` or loop cannot end a macro early; choose the value with T.if_then_else and "
                 "return it at the end");
        fail(Code::kEarlyReturn, range,
             "a `return` inside a device `if` or loop is not an early exit; to end this thread use T.thread_return()");
    }
    Value value = node.value ? evaluate(*node.value, scope) : Value();
    if (frames_.empty())
        return Flow::kReturn;
    frames_.back().result = std::move(value);
    return Flow::kReturn;
}

void Interpreter::execAssert(const Assert& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const Value condition = evaluate(*node.condition, scope);
    const auto message = [&] {
        return node.message ? text(evaluate(*node.message, scope), range) : std::string();
    };
    if (isDevice(condition) && !ir::asInt(condition.expr())) {
        device().assertion(condition, message(), range);
        return;
    }
    if (knownTruth(condition, node.condition->range).value_or(true))
        return;
    const std::string said = message();
    auto object = std::make_shared<InstanceValue>();
    object->type = builtinClass("AssertionError");
    object->attributes["args"] = said.empty() ? makeTuple({}) : makeTuple({Value(said)});
    Diagnostic diagnostic;
    diagnostic.code = Code::kAssertFailed;
    diagnostic.range = range;
    const std::string source(sources().file(node.condition->range.file).slice(node.condition->range));
    diagnostic.message = said.empty() ? fmt::format("the assertion `{}` does not hold", source)
                                      : fmt::format("the assertion `{}` does not hold: {}", source, said);
    stop(std::move(diagnostic), "AssertionError", Value(object), true);
}

void Interpreter::bindOpaque(const Expr& target, const std::shared_ptr<Environment>& scope)
{
    std::vector<std::string> names;
    collectBoundNames(target, names);
    for (const std::string& name : names)
        bindName(scope, name, makeOpaque(name));
}

void Interpreter::bindTargetsOpaque(const Stmt& stmt, const std::shared_ptr<Environment>& scope)
{
    match(
        stmt.node,
        [&](const Assign& n) {
            for (const auto& target : n.targets)
                bindOpaque(*target, scope);
        },
        [&](const AnnAssign& n) { bindOpaque(*n.target, scope); }, [&](const AugAssign& n) { bindOpaque(*n.target, scope); },
        [&](const FunctionDef& n) { bindName(scope, n.name.text, makeOpaque(n.name.text)); },
        [&](const ClassDef& n) { bindName(scope, n.name.text, makeOpaque(n.name.text)); },
        [&](const With& n) {
            for (const WithItem& item : n.items)
                if (item.target)
                    bindOpaque(*item.target, scope);
        },
        [](const auto&) {});
}

}  // namespace tw::staging
