// Calls: functions, macros, methods, generators, foreign functions.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/guards.h"
#include "core/staging/integer_math.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/trace/tracer.h"
#include "core/staging/walk.h"

namespace tw::staging {

using namespace syntax;

namespace {

constexpr std::int64_t kCallSteps = 4;  // a scope, a frame, names for the arguments

// A macro is a part of kernels: calling it elsewhere is an error wherever it stands, also in code that is only surveyed.
[[noreturn]] void refuseMacro(Interpreter& in, const FunctionValue& function, const SourceRange& call)
{
    Diagnostic diagnostic;
    diagnostic.code = Code::kNotInKernel;
    diagnostic.range = call;
    diagnostic.message = fmt::format("the macro `{}` can only be called inside a kernel", function.name);
    const auto& said = in.diagnostics().all();
    const bool isNew = std::none_of(said.begin(), said.end(), [&](const Diagnostic& other) {
        return other.code == diagnostic.code && other.range == diagnostic.range;
    });
    if (in.surveying() && !in.insideTry() && isNew)
        in.diagnostics().report(diagnostic);
    in.fail(std::move(diagnostic));
}

}  // namespace

CallArguments Interpreter::evalArguments(const std::vector<Argument>& arguments, const std::shared_ptr<Environment>& scope,
                                         const SourceRange& call, const SourceRange& callee)
{
    CallArguments out;
    out.call = call;
    out.callee = callee;
    out.items.reserve(arguments.size());
    const auto add = [&](std::string keyword, Value value, const SourceRange& range) {
        out.items.push_back({std::move(keyword), std::make_shared<Value>(std::move(value)), range});
    };
    for (const Argument& argument : arguments) {
        Value value = evaluate(*argument.value, scope);
        if (argument.kind == Argument::Kind::kStar) {
            std::vector<Value> items = iterate(value, argument.range);
            chargeMemory(static_cast<Integer>(items.size() * 128), argument.range);
            for (Value& item : items)
                add("", std::move(item), argument.range);
        } else if (argument.kind == Argument::Kind::kDoubleStar) {
            const Value mapping = underlying(value);
            const auto* dict = mapping.object<DictValue>();
            if (!dict && !isOpaque(value))
                fail(Code::kTypeMismatch, argument.range, fmt::format("`**` takes a dict, not {}", typeName(value)));
            for (std::size_t i = 0; dict && i < dict->items.size(); ++i)
                add(plainText(dict->items[i].first), dict->items[i].second, argument.range);
        } else {
            add(argument.kind == Argument::Kind::kKeyword ? argument.keyword.text : "", std::move(value), argument.range);
        }
    }
    return out;
}

Value Interpreter::evalCall(const Call& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    const Value callee = evaluate(*node.callee, scope);
    // super(): the class and the object of the method that is running.
    const auto* type = callee.object<ClassValue>();
    if (type && type->name == "super" && node.arguments.empty() && !frames_.empty()) {
        auto proxy = std::make_shared<InstanceValue>();
        proxy->type = builtinClass("super");
        const FunctionValue* function = nullptr;
        for (auto it = frames_.rbegin(); it != frames_.rend() && !function; ++it)
            if (it->function && it->function->owner && !it->function->def->parameters.empty()) {
                function = it->function;
                proxy->attributes["$self"] = it->scope->names[function->def->parameters[0].name.text];
                proxy->attributes["$owner"] = Value(function->owner);
            }
        if (!function)
            fail(Code::kTypeMismatch, range, "super() stands only in methods");
        return proxy;
    }
    const CallArguments arguments = evalArguments(node.arguments, scope, range, node.callee->range);
    return callValue(callee, arguments);
}

Value Interpreter::call(const Value& callee, const CallArguments& arguments) { return callValue(callee, arguments); }

Value Interpreter::call(const Value& callee, std::vector<Value> items, const SourceRange& range)
{
    CallArguments arguments;
    arguments.call = arguments.callee = range;
    for (Value& item : items)
        arguments.items.push_back({"", std::make_shared<Value>(std::move(item)), range});
    return callValue(callee, arguments);
}

Value Interpreter::callValue(const Value& callee, const CallArguments& arguments)
{
    checkStack(arguments.call);
    if (const auto* function = callee.get<std::shared_ptr<FunctionValue>>())
        return callFunction(*function, arguments);
    if (const auto* native = callee.object<const NativeFunction>())
        return native->call(*this, arguments);
    if (const auto* method = callee.object<const BoundMethod>())
        return callBound(*method, arguments);
    if (const auto* type = callee.get<std::shared_ptr<ClassValue>>())
        return instantiate(*type, arguments);
    if (const auto* kernel = callee.get<std::shared_ptr<KernelValue>>())
        return setup_.host->callKernel(*kernel, arguments);
    if (const auto* opaque = callee.object<const OpaqueValue>())
        return callOpaque(opaque->path, arguments);
    if (const auto* dtype = callee.get<ir::DType>()) {
        const bool plain = surveying() && arguments.items.size() == 1 && !isDevice(*arguments.items[0].value);
        if (!plain)
            return callDType(*this, *dtype, arguments);
        const Value& value = *arguments.items[0].value;
        const auto number = asNumber(value);
        return !number ? value : dtype->isFloating() ? Value(*number) : Value(toInteger(*number).value_or(0));
    }
    if (const auto* object = callee.object<InstanceValue>()) {
        if (const auto method = classAttribute(*object->type, "__call__"))
            return callValue(bindMethod(*method, callee, object->type, arguments.call), arguments);
        if (object->type->isOpaqueBase) {
            if (const auto forward = classAttribute(*object->type, "forward"))
                return callValue(bindMethod(*forward, callee, object->type, arguments.call), arguments);
            return callOpaque(object->type->name, arguments);
        }
    }
    if (callee.object<const MetaTensor>())
        return makeOpaque("tensor");
    if (isDevice(callee) || callee.get<LayoutValue>())
        return device().call(callee, arguments);
    fail(Code::kTypeMismatch, arguments.callee, fmt::format("a {} cannot be called", typeName(callee)));
}

Value Interpreter::callOpaque(const std::string& path, const CallArguments& arguments)
{
    for (const CallArgument& argument : arguments.items) {
        if (!isDevice(*argument.value) || !hooks_)
            continue;
        const std::string last = path.substr(path.rfind('.') + 1);
        const auto language = makeTileLanguageModule();
        const bool known = std::find(language->names.begin(), language->names.end(), last) != language->names.end();
        const std::string own = hooks_->functionFor(last);
        fail(Code::kForeignInKernel, arguments.callee,
             fmt::format("`{}` is a foreign function: it cannot be called on device values inside a kernel{}", path,
                         !own.empty() ? "; use " + own : known ? fmt::format("; use T.{}", last) : std::string()));
    }
    // do_bench(lambda: kernel(a, b)): what a foreign function may call is surveyed.
    for (const CallArgument& argument : arguments.items) {
        const auto* function = argument.value->get<std::shared_ptr<FunctionValue>>();
        if (!function || !surveying() || (*function)->kind != FunctionKind::kPlain)
            continue;
        bool callable = true;
        const auto& parameters = parametersOf(**function);
        for (std::size_t i = 0; i < parameters.size(); ++i)
            callable = callable && ((*function)->defaults[i] || parameters[i].kind == Parameter::Kind::kStar ||
                                    parameters[i].kind == Parameter::Kind::kDoubleStar);
        if (!callable)
            continue;
        try {
            CallArguments none;
            none.call = none.callee = argument.range;
            callFunction(*function, none);
        } catch (const StagingStop& stop) {
            if (stop.fatal)
                throw;
        }
    }
    return makeOpaque(path);
}

// ---- functions of the file --------------------------------------------------------------------------------------------

Value Interpreter::callFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
{
    if (function->kind == FunctionKind::kMacro)
        return callMacro(function, arguments);
    if (auto replaced = setup_.host->enterFunction(function, arguments))
        return *replaced;
    return runFunction(function, arguments);
}

Value Interpreter::runFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
{
    if (hooks_)
        if (auto inlined = hooks_->inlineFunction(function, arguments))
            return *inlined;
    charge(kCallSteps + static_cast<std::int64_t>(arguments.items.size()), arguments.call);
    const auto scope = scopeFor(*function, false);
    bindParameters(*function, arguments, scope);
    if (function->def && function->def->isAsync)
        return makeOpaque("coroutine");
    setup_.host->overlayParameters(*function, *scope);
    return runPrepared(function, scope, arguments.call);
}

Value Interpreter::runPrepared(const std::shared_ptr<FunctionValue>& function, const std::shared_ptr<Environment>& scope,
                               const SourceRange& call)
{
    const FrameGuard frame(*this, function.get(), scope, call);
    if (function->lambda)
        return evaluate(*function->lambda->body, scope);
    if (isGenerator(*function))
        return runGenerator(*function, scope);
    return runBody(function->def->body, scope).value_or(Value());
}

Value Interpreter::callMacro(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
{
    if (!hooks_)
        refuseMacro(*this, *function, arguments.call);
    const auto scope = scopeFor(*function, true);
    scope->isMacro = true;
    bindParameters(*function, arguments, scope);
    const FrameGuard frame(*this, function.get(), scope, arguments.call);
    for (const Parameter& parameter : parametersOf(*function)) {
        if (parameter.kind == Parameter::Kind::kStar || parameter.kind == Parameter::Kind::kDoubleStar)
            continue;
        const auto* attribute = parameter.annotation ? std::get_if<Attribute>(&parameter.annotation->node) : nullptr;
        const auto* name = parameter.annotation ? std::get_if<Name>(&parameter.annotation->node) : nullptr;
        const std::string last = attribute ? attribute->name.text : name ? name->id : "";
        Value& bound = scope->names[parameter.name.text];
        SourceRange range = arguments.call;
        for (const CallArgument& argument : arguments.items)
            if (argument.value->data.index() == bound.data.index() && hashValue(*argument.value) == hashValue(bound))
                range = argument.range;
        bound = hooks_->bindParameter(parameter.name, bound, last == "Ref" || last == "Var", range);
    }
    if (function->lambda)
        return evaluate(*function->lambda->body, scope);
    return runBody(function->def->body, scope).value_or(Value());
}

Value Interpreter::callBound(const BoundMethod& method, const CallArguments& arguments)
{
    CallArguments all;
    all.call = arguments.call;
    all.callee = arguments.callee;
    all.items.reserve(arguments.items.size() + 1);
    all.items.push_back({"", std::make_shared<Value>(method.self), arguments.callee});
    all.items.insert(all.items.end(), arguments.items.begin(), arguments.items.end());
    const auto* function = method.function.get<std::shared_ptr<FunctionValue>>();
    const auto* object = method.self.object<InstanceValue>();
    if (function && object && object->type->isMeta && hooks_ && (*function)->kind == FunctionKind::kPlain &&
        storesSubscript(**function))
        return callMacro(*function, all);
    return callValue(method.function, all);
}

std::optional<Value> Interpreter::runBody(const Block& body, const std::shared_ptr<Environment>& scope)
{
    const auto run = [&]() -> std::optional<Value> {
        const Flow flow = execBlock(body, scope);
        Frame& now = frames_.back();
        if (flow != Flow::kReturn && now.alternatives.empty())
            return std::nullopt;
        Value result = flow == Flow::kReturn ? std::move(now.result) : Value();
        for (const Value& other : now.alternatives)
            result = result.isNone() ? other : other.isNone() ? result : joinValues(result, other);
        return result;
    };
    if (!frames_.empty() && frames_.back().scope == scope)
        return run();
    const FrameGuard frame(*this, nullptr, scope, current_);
    return run();
}

Value Interpreter::runGenerator(const FunctionValue& function, const std::shared_ptr<Environment>& scope)
{
    auto values = std::make_shared<std::vector<Value>>();
    frames_.back().yields = values.get();
    bool truncated = false;
    try {
        runBody(function.def->body, scope);
    } catch (const StagingStop& stop) {
        if (!stop.generatorFull)
            throw;
        truncated = true;
    }
    auto generator = std::make_shared<IteratorValue>();
    generator->next = [this, values, truncated, i = std::size_t{0}](Evaluator&) mutable -> std::optional<Value> {
        if (i < values->size())
            return (*values)[i++];
        if (truncated)
            exhausted(current_, "generator");
        return std::nullopt;
    };
    return generator;
}

bool Interpreter::isGenerator(const FunctionValue& function)
{
    if (!function.def)
        return false;
    const auto [it, isNew] = generators_.try_emplace(function.def, false);
    if (!isNew)
        return it->second;
    bool found = false;
    Walker walker;
    walker.onExpr = [&](const Expr& e) {
        found = found || std::holds_alternative<Yield>(e.node);
        return !found && !std::holds_alternative<Lambda>(e.node);
    };
    walker.onStmt = [&](const Stmt& s) {
        return !std::holds_alternative<FunctionDef>(s.node) && !std::holds_alternative<ClassDef>(s.node);
    };
    walker.walk(function.def->body);
    return generators_[function.def] = found;
}

bool Interpreter::storesSubscript(const FunctionValue& function)
{
    if (!function.def)
        return false;
    const auto [it, isNew] = stores_.try_emplace(function.def, false);
    if (!isNew)
        return it->second;
    bool found = false;
    Walker walker;
    walker.onStmt = [&](const Stmt& s) {
        if (const auto* assign = std::get_if<Assign>(&s.node))
            for (const auto& target : assign->targets)
                found = found || std::holds_alternative<Subscript>(target->node);
        if (const auto* assign = std::get_if<AugAssign>(&s.node))
            found = found || std::holds_alternative<Subscript>(assign->target->node);
        return true;
    };
    walker.walk(function.def->body);
    return stores_[function.def] = found;
}

}  // namespace tw::staging
