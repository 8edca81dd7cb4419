// The statements of a kernel and of the functions inlined into it.
#include <fmt/format.h>

#include "core/staging/array/array_impl.h"
#include "core/staging/interpreter.h"

namespace tw::staging {

using namespace syntax;

namespace {

constexpr std::size_t kMaxInlineDepth = 60;

bool isNamed(const syntax::Expr& expr, std::string_view last)
{
    if (const auto* name = std::get_if<Name>(&expr.node))
        return name->id == last;
    const auto* attribute = std::get_if<Attribute>(&expr.node);
    return attribute && attribute->name.text == last;
}

const char* refusal(const Stmt& stmt)
{
    return match(
        stmt.node, [](const Try&) { return "`try`: there are no exceptions on the device"; },
        [](const ClassDef&) { return "`class`; define it outside of the kernel"; },
        [](const Match&) { return "`match`; use `if`"; }, [](const Global&) { return "`global`"; },
        [](const Nonlocal&) { return "`nonlocal`"; }, [](const TypeAlias&) { return "`type`"; },
        [](const auto&) -> const char* { return nullptr; });
}

}  // namespace

ArrayTracer::Flow ArrayTracer::run(const Block& block)
{
    for (const StmtPtr& stmt : block)
        if (const Flow flow = run(*stmt); flow != Flow::kNormal)
            return flow;
    return Flow::kNormal;
}

ArrayTracer::Flow ArrayTracer::run(const Stmt& stmt)
{
    evaluator_.charge(1, stmt.range);
    range_ = stmt.range;
    if (const char* what = refusal(stmt))
        evaluator_.fail(Code::kUnsupportedPython, stmt.range, fmt::format("a kernel body has no {}", what));
    const auto done = [](auto&&...) { return Flow::kNormal; };
    return match(
        stmt.node, [&](const ErrorStmt&) { return done(); },
        [&](const ExprStmt& n) {
            if (!std::holds_alternative<StringLiteral>(n.value->node))
                evaluate(*n.value);
            return Flow::kNormal;
        },
        [&](const Pass&) { return done(); }, [&](const Break&) { return jump(true, stmt.range); },
        [&](const Continue&) { return jump(false, stmt.range); },
        [&](const Assign& n) {
            Value value = evaluate(*n.value);
            for (const ExprPtr& target : n.targets) {
                assign(*target, value, stmt.range);
                // a = b = e: the second name is the same array.
                if (const auto* name = std::get_if<Name>(&target->node); name && n.targets.size() > 1)
                    if (const auto it = frame().scope->names.find(name->id); it != frame().scope->names.end())
                        value = it->second;
            }
            return Flow::kNormal;
        },
        [&](const AugAssign& n) { return augmented(n, stmt.range), Flow::kNormal; },
        [&](const AnnAssign& n) {
            if (n.value)
                assign(*n.target, evaluate(*n.value), stmt.range);
            return Flow::kNormal;
        },
        [&](const Return& n) { return returned(n, stmt.range); },
        [&](const Assert& n) {
            const Value condition = evaluate(*n.condition);
            if (!isDevice(condition) && !evaluator_.truth(condition, stmt.range))
                evaluator_.fail(Code::kAssertFailed, stmt.range, "the assert does not hold");
            return Flow::kNormal;
        },
        [&](const If& n) { return branch(n, stmt.range); }, [&](const For& n) { return loop(n, stmt.range); },
        [&](const While& n) { return whileStatement(n, stmt.range); }, [&](const With& n) { return withStatement(n, stmt.range); },
        [&](const FunctionDef& n) {
            auto function = std::make_shared<FunctionValue>();
            function->name = n.name.text;
            function->def = &n;
            function->module = frame().scope->module ? frame().scope->module : function_.module;
            function->range = n.name.range;
            function->closure = frame().scope;
            for (const Parameter& p : n.parameters)
                function->defaults.push_back(p.defaultValue ? std::optional(evaluate(*p.defaultValue)) : std::nullopt);
            frame().scope->names[n.name.text] = Value(function);
            return Flow::kNormal;
        },
        [&](const auto&) -> Flow {
            evaluator_.fail(Code::kUnsupportedPython, stmt.range, "this statement is not supported in a kernel body");
        });
}

// ---- assignments ------------------------------------------------------------------------------------------------------

void ArrayTracer::assign(const syntax::Expr& target, const Value& value, const SourceRange& range)
{
    if (value.object<const OpaqueValue>() || value.object<const MetaTensor>())
        if (!std::holds_alternative<Name>(target.node))
            array(value, range);  // reports what is foreign
    match(
        target.node, [&](const Name& n) { setName(n.id, value, range); },
        [&](const TupleExpr& n) { assignItems(n.items, value, range); }, [&](const ListExpr& n) { assignItems(n.items, value, range); },
        [&](const Subscript& n) {
            const Value object = evaluate(*n.value);
            const Value index = evaluate(*n.index);
            if (isDevice(object)) {
                assignSubscript(object, index, value, range);
                return;
            }
            storeStaged(object, index, value, range);
        },
        [&](const auto&) { evaluator_.fail(Code::kUnsupportedPython, range, "this cannot be assigned to in a kernel body"); });
}

// Lists and dicts exist while staging only: they cannot change when the kernel runs.
void ArrayTracer::storeStaged(const Value& object, const Value& index, const Value& value, const SourceRange& range)
{
    if (!object.object<ListValue>() && !object.object<DictValue>())
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("only arrays, lists and dicts can be stored into inside a kernel, not {}", typeName(object)));
    if (frame().regions > 0)
        evaluator_.fail(Code::kTypeMismatch, range,
                        fmt::format("a {} cannot change in a run-time loop or branch: keep what changes there in an array", typeName(object)));
    static_cast<Interpreter&>(evaluator_).setSubscript(object, index, value, range);
}

void ArrayTracer::assignItems(const std::vector<ExprPtr>& targets, const Value& value, const SourceRange& range)
{
    std::vector<Value> items = evaluator_.iterate(value, range);
    const auto star = std::find_if(targets.begin(), targets.end(),
                                   [](const ExprPtr& t) { return std::holds_alternative<Starred>(t->node); });
    const std::size_t fixed = targets.size() - (star == targets.end() ? 0 : 1);
    if (items.size() < fixed || (star == targets.end() && items.size() != fixed))
        evaluator_.fail(Code::kTypeMismatch, range, fmt::format("{} values cannot be unpacked into {} names", items.size(), fixed));
    // a, b = b, a: everything is read before anything is stored.
    for (Value& item : items) {
        const auto* ref = item.get<ArrayRef>();
        const bool stores = std::any_of(targets.begin(), targets.end(), [&](const ExprPtr& t) {
            const auto* name = std::get_if<Name>(&t->node);
            return !name || frame().cells.contains(name->id);
        });
        if (ref && stores && targets.size() > 1)
            item = (*ref)->shape.empty() ? settled("held", item) : Value(materialise(*ref, "held"));
    }
    std::size_t next = 0;
    for (auto it = targets.begin(); it != targets.end(); ++it) {
        if (it != star) {
            assign(**it, items[next++], range);
            continue;
        }
        std::vector<Value> rest;
        for (std::size_t i = 0; i < items.size() - fixed; ++i)
            rest.push_back(items[next++]);
        assign(*std::get<Starred>((*it)->node).value, makeList(std::move(rest)), range);
    }
}

void ArrayTracer::augmented(const AugAssign& node, const SourceRange& range)
{
    if (const auto* item = std::get_if<Subscript>(&node.target->node)) {
        const Value object = evaluate(*item->value);
        const Value index = evaluate(*item->index);
        const Value value = evaluate(*node.value);
        if (isDevice(object)) {
            augAssign(node.op, nullptr, object, index, value, range);
            return;
        }
        const Value old = evaluate(*node.target);
        const bool isPlain = !isDevice(old) && !isDevice(value);
        if (auto made = isPlain ? evaluator_.binary(node.op, old, value, range) : augAssign(node.op, nullptr, old, std::nullopt, value, range))
            storeStaged(object, index, *made, range);
        return;
    }
    const auto* name = std::get_if<Name>(&node.target->node);
    if (!name)
        evaluator_.fail(Code::kUnsupportedPython, range, "this cannot be the target of an augmented assignment in a kernel body");
    const Value old = evaluate(*node.target);
    const Value value = evaluate(*node.value);
    if (!isDevice(old) && !isDevice(value)) {
        setName(name->id, evaluator_.binary(node.op, old, value, range), range);
        return;
    }
    if (auto bound = augAssign(node.op, nullptr, old, std::nullopt, value, range))
        setName(name->id, *bound, range);
}

// ---- branches ---------------------------------------------------------------------------------------------------------

ir::Expr ArrayTracer::conditionOf(const Value& value, const SourceRange& range)
{
    const ArrayRef condition = array(value, range);
    if (!condition->shape.empty())
        evaluator_.fail(Code::kRuntimeCondition, range,
                        fmt::format("a condition is one scalar, but this is an array of shape {}; choose element by element with "
                                    "tl.where, or reduce it with tl.any or tl.all", arrayShapeText(condition->shape)));
    return convert(condition->at({}), ir::kBool);
}

ArrayTracer::Flow ArrayTracer::branch(const If& node, const SourceRange& range)
{
    const Value condition = evaluate(*node.condition);
    if (!isDevice(condition))
        return run(evaluator_.truth(condition, node.condition->range) ? node.then : node.orElse);
    const ir::Expr test = conditionOf(condition, node.condition->range);
    if (const auto* known = ir::asInt(test))
        return run(*known != 0 ? node.then : node.orElse);
    const ir::Expr fixed = frozen(test, "test");
    region({&node.then, &node.orElse}, range, [&] {
        const ir::Stmt then = collect([&] { run(node.then); });
        const ir::Stmt otherwise = node.orElse.empty() ? nullptr : collect([&] { run(node.orElse); });
        emit(std::make_shared<const ir::If>(fixed, then, otherwise, ir::Provenance{range, 0}));
    });
    return Flow::kNormal;
}

ArrayTracer::Flow ArrayTracer::jump(bool isBreak, const SourceRange& range)
{
    const char* word = isBreak ? "break" : "continue";
    if (frame().innermostIsStaged) {
        if (frame().regions > frame().stagedRegions)
            evaluator_.fail(Code::kNotSupported, range,
                            fmt::format("not supported: `{}` under a run-time condition in a loop over Python values; loop over a range", word));
        return isBreak ? Flow::kBreak : Flow::kContinue;
    }
    if (frame().deviceLoops == 0)
        evaluator_.fail(Code::kStructure, range, fmt::format("`{}` outside of a loop", word));
    if (isBreak)
        emit(std::make_shared<const ir::Break>(ir::Provenance{range, 0}));
    else
        emit(std::make_shared<const ir::Continue>(ir::Provenance{range, 0}));
    return Flow::kEnded;
}

// ---- loops ------------------------------------------------------------------------------------------------------------

// The bounds of `range(…)` or `tl.threading(…)`, which become run-time loops; empty for anything else.
std::optional<std::vector<Value>> ArrayTracer::loopBounds(const syntax::Expr& iterable)
{
    const auto* call = std::get_if<Call>(&iterable.node);
    if (!call || !(isNamed(*call->callee, "range") || isNamed(*call->callee, "threading")))
        return std::nullopt;
    const Value callee = evaluate(*call->callee);
    if (const auto* type = callee.object<const NativeFunction>(); type && type->name != "range" && type->name != "threading")
        return std::nullopt;
    std::vector<Value> bounds;
    Value tile(1);
    SourceRange tileRange = iterable.range;
    for (const Argument& argument : call->arguments) {
        const bool isTile = argument.kind == Argument::Kind::kKeyword && argument.keyword.text == "tile";
        if (argument.kind != Argument::Kind::kPositional && !isTile)
            evaluator_.fail(Code::kCallArguments, argument.range, "a loop takes its bounds, and tile=");
        Value value = evaluate(*argument.value);
        if (isTile) {
            tile = value;
            tileRange = argument.range;
        } else {
            bounds.push_back(std::move(value));
        }
    }
    if (bounds.empty() || bounds.size() > 3)
        evaluator_.fail(Code::kCallArguments, iterable.range, "a loop takes one to three bounds");
    if (bounds.size() == 1)
        bounds.insert(bounds.begin(), Value(0));
    if (bounds.size() == 2)
        bounds.push_back(tile);
    if (isNamed(*call->callee, "threading"))
        if (const auto* n = bounds[2].get<Integer>(); n && *n < 1)
            evaluator_.fail(Code::kValueRange, tileRange,
                            fmt::format("a tile of {} elements: the tile must be positive, at least 1", static_cast<std::int64_t>(*n)));
    return bounds;
}

ArrayTracer::Flow ArrayTracer::loop(const For& node, const SourceRange& range)
{
    if (node.isAsync)
        evaluator_.fail(Code::kUnsupportedPython, range, "`async for` is not supported in a kernel body: kernels have no coroutines");
    if (const auto bounds = loopBounds(*node.iterable))
        return deviceLoop(node, *bounds, range);
    const Value iterable = evaluate(*node.iterable);
    if (iterable.object<const OpaqueValue>() || iterable.object<const MetaTensor>())
        array(iterable, node.iterable->range);
    return stagedLoop(node, evaluator_.iterate(iterable, node.iterable->range), range);
}

ArrayTracer::Flow ArrayTracer::stagedLoop(const For& node, const std::vector<Value>& items, const SourceRange& range)
{
    const bool before = std::exchange(frame().innermostIsStaged, true);
    const int regions = std::exchange(frame().stagedRegions, frame().regions);
    Flow flow = Flow::kNormal;
    for (const Value& item : items) {
        evaluator_.charge(1, range);
        assign(*node.target, item, range);
        flow = run(node.body);
        if (flow == Flow::kBreak || flow == Flow::kReturn)
            break;
        flow = Flow::kNormal;
    }
    frame().innermostIsStaged = before;
    frame().stagedRegions = regions;
    if (flow == Flow::kReturn)
        return flow;
    return flow == Flow::kBreak || node.orElse.empty() ? Flow::kNormal : run(node.orElse);
}

ArrayTracer::Flow ArrayTracer::deviceLoop(const For& node, const std::vector<Value>& bounds, const SourceRange& range)
{
    const auto* name = std::get_if<Name>(&node.target->node);
    if (!name)
        evaluator_.fail(Code::kUnsupportedPython, node.target->range, "a loop over a range has one name");
    if (!node.orElse.empty())
        evaluator_.fail(Code::kUnsupportedPython, node.orElse.front()->range, "`else` of a loop is not supported in a kernel body");
    const SourceRange& head = node.iterable->range;
    const auto* stepValue = bounds[2].get<Integer>();
    if (!stepValue)
        evaluator_.fail(Code::kNotSupported, head, "not supported: a loop whose step is not known while staging");
    const auto step = static_cast<std::int64_t>(*stepValue);
    if (step == 0)
        evaluator_.fail(Code::kValueRange, head, "the step of a loop must not be zero");
    const ir::Expr begin = frozen(integer(bounds[0], head, "the begin of a loop"), "begin");
    const ir::Expr end = frozen(integer(bounds[1], head, "the end of a loop"), "end");
    const ir::Var var = freshVar(name->id == "_" ? "it" : name->id);
    facts_.loops[var.get()] = {begin, end, step};
    noteLoop(name->id, begin, end, step);
    const bool staged = std::exchange(frame().innermostIsStaged, false);
    ++frame().deviceLoops;
    region({&node.body}, range, [&] {
        const bool seenLater = frame().cells.contains(name->id);
        const ir::Stmt body = collect([&] {
            auto scalar = std::make_shared<ArrayValue>();
            scalar->dtype = ir::kInt32;
            scalar->weak = true;
            scalar->at = [var](const Exprs&) -> ir::Expr { return var; };
            if (seenLater)
                setName(name->id, Value(ArrayRef(scalar)), range);
            else
                frame().scope->names[name->id] = Value(ArrayRef(scalar));
            run(node.body);
        });
        ir::Axis axis{var, begin, end, ir::intImm(step)};
        emit(std::make_shared<const ir::For>(ir::ForKind::kSerial, std::vector<ir::Axis>{axis}, body, ir::Attrs{}, ir::Provenance{range, 0}));
    });
    --frame().deviceLoops;
    frame().innermostIsStaged = staged;
    return Flow::kNormal;
}

void ArrayTracer::noteLoop(const std::string& name, const ir::Expr& begin, const ir::Expr& end, std::int64_t step)
{
    if (std::any_of(loops_.begin(), loops_.end(), [&](const NamedLoop& l) { return l.name == name; }))
        return;
    const auto* low = ir::asInt(begin);
    const auto* high = ir::asInt(end);
    loops_.push_back({name, low && high ? std::optional(*high - *low) : std::nullopt, step});
}

ArrayTracer::Flow ArrayTracer::whileStatement(const While& node, const SourceRange& range)
{
    if (!node.orElse.empty())
        evaluator_.fail(Code::kUnsupportedPython, node.orElse.front()->range, "`else` of a loop is not supported in a kernel body");
    if (const auto* literal = std::get_if<BoolLiteral>(&node.condition->node); literal && !literal->value)
        return Flow::kNormal;
    const bool staged = std::exchange(frame().innermostIsStaged, false);
    ++frame().deviceLoops;
    region({&node.body}, range, [&] {
        ir::Expr test;
        bool prepared = false;
        const ir::Stmt body = collect([&] {
            const std::size_t before = current_->size();
            test = conditionOf(evaluate(*node.condition), node.condition->range);
            prepared = current_->size() > before;
            if (prepared)  // the condition needs statements of its own: they run at the head of every pass
                emit(std::make_shared<const ir::If>(ir::unary(ir::UnaryOp::kNot, test), std::make_shared<const ir::Break>(here()), nullptr, here()));
            run(node.body);
        });
        const auto* constant = ir::asInt(test);
        if (constant && *constant != 0)
            evaluator_.fail(Code::kEndlessLoop, node.condition->range,
                            "the condition of this `while` does not change and is true, so the loop never ends; give it a run-time condition");
        emit(std::make_shared<const ir::While>(prepared ? ir::boolImm(true) : test, body, ir::Provenance{range, 0}));
    });
    --frame().deviceLoops;
    frame().innermostIsStaged = staged;
    return Flow::kNormal;
}

ArrayTracer::Flow ArrayTracer::withStatement(const With& node, const SourceRange&)
{
    for (const WithItem& item : node.items)
        evaluator_.fail(Code::kUnsupportedPython, item.context->range, "`with` is not supported in the body of an array kernel");
    return Flow::kNormal;
}

// ---- functions --------------------------------------------------------------------------------------------------------

ArrayTracer::Flow ArrayTracer::returned(const Return& node, const SourceRange& range)
{
    if (frame().regions > 0)
        evaluator_.fail(Code::kEarlyReturn, range,
                        "a `return` in a run-time branch or loop: `return` stands only at the end of the kernel; compute both cases and "
                        "choose with tl.where");
    Value value = node.value ? evaluate(*node.value) : Value();
    frame().result = frame().isKernel ? value : settled("result", value);
    frame().resultRange = range;
    frame().resultExpr = node.value.get();
    return Flow::kReturn;
}

std::optional<Value> ArrayTracer::inlineFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
{
    if (frames_.size() > kMaxInlineDepth)
        evaluator_.fail(Code::kRecursion, arguments.call, fmt::format("`{}` calls itself without end", function->name));
    if (function->def && function->def->isAsync)
        evaluator_.fail(Code::kUnsupportedPython, arguments.call, "a coroutine cannot be called in a kernel");
    const Scope scope = evaluator_.scopeFor(*function, false);
    evaluator_.bindParameters(*function, arguments, scope);
    bindNames(scope);
    Frame frame;
    frame.scope = scope;
    static const Block kEmpty;
    frame.body = function->def ? &function->def->body : &kEmpty;
    frames_.push_back(std::move(frame));
    struct Leave {
        std::vector<Frame>& frames;
        ~Leave() { frames.pop_back(); }
    } leave{frames_};
    for (auto& [name, value] : scope->names)
        if (const auto* ref = value.get<ArrayRef>(); ref && !(*ref)->storage && !(*ref)->shape.empty())
            value = settled(name, value);
    if (function->lambda)
        return evaluator_.evaluate(*function->lambda->body, scope);
    run(function->def->body);
    return frames_.back().result.value_or(Value());
}

}  // namespace tw::staging
