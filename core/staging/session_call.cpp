// Calls of kernels: what they say about instances, and whether they fit.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/integer_math.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/library.h"
#include "core/staging/session.h"
#include "core/staging/text.h"

namespace tw::staging {

Value Session::callKernel(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments)
{
    switch (kernel->kind) {
    case KernelValue::Kind::kFactory: return callFactory(kernel, arguments, false);
    case KernelValue::Kind::kArray:
        if (interpreter_->hooks())
            return interpreter_->inlineFunction(kernel->python, arguments);
        return callArray(kernel, nullptr, arguments);
    case KernelValue::Kind::kCompiled:
        if (kernel->origin && kernel->origin->kind == KernelValue::Kind::kArray) {
            if (interpreter_->hooks())
                return interpreter_->inlineFunction(kernel->python, arguments);
            return callArray(kernel->origin, kernel, arguments);
        }
        return callCompiled(kernel, arguments);
    case KernelValue::Kind::kPrimFunc: break;
    }
    return makeOpaque(kernel->name);
}

// The arguments of a call by parameter; a call that does not fit is an error of the file, reported at the call.
bool Session::bindCall(const Entry& entry, const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments,
                       Record& record)
{
    const auto scope = interpreter_->scopeFor(*function, false);
    DiagnosticSink found;
    DiagnosticSink* const before = interpreter_->diagnosticsTarget();
    interpreter_->setDiagnostics(&found);
    bool fits = true;
    // Keywords that are no parameters may name T.const extents.
    CallArguments own = arguments;
    if (entry.form == KernelForm::kEager) {
        const auto& parameters = function->def->parameters;
        std::erase_if(own.items, [&](const CallArgument& a) {
            const bool known = a.keyword.empty() || std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) {
                return p.name.text == a.keyword || p.kind == syntax::Parameter::Kind::kDoubleStar;
            });
            if (!known)
                if (const auto i = asInteger(*a.value))
                    record.dims[a.keyword] = static_cast<std::int64_t>(*i);
            return !known;
        });
    }
    try {
        std::optional<Interpreter::KernelExtent> extent;
        if (!interpreter_->insideTry())  // else the file's own `except` may take it
            extent.emplace(*interpreter_);
        interpreter_->bindParameters(*function, own, scope);
    } catch (const StagingStop& stop) {
        interpreter_->setDiagnostics(before);
        if (stop.fatal || interpreter_->insideTry())
            throw;
        fits = false;
    }
    interpreter_->setDiagnostics(before);
    for (Diagnostic& diagnostic : found.take())
        report(std::move(diagnostic), entry.name);
    record.arguments = {scope->names.begin(), scope->names.end()};
    return fits;
}

Value Session::callFactory(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments, bool compileOnly)
{
    const std::uint32_t id = kernel->entry;
    if (!interpreter_->surveying()) {  // called by another kernel's factory
        entries_[id].usedInside = true;
        Record record;
        record.entry = id;
        record.kernel = kernel;
        const auto scope = interpreter_->scopeFor(*kernel->python, false);
        interpreter_->bindParameters(*kernel->python, arguments, scope);
        record.arguments = {scope->names.begin(), scope->names.end()};
        Traced traced;
        if (modeOf(kernel->python) != FactoryMode::kEager)
            traceFactory(record, traced);
        return compiledValue(record, 0, traced);
    }
    Record record;
    record.entry = id;
    record.kernel = kernel;
    record.key = nextKey(entries_[id], arguments.call);
    record.callRange = arguments.call;
    CallArguments given = tunedArguments(*interpreter_, *kernel, arguments);
    const bool isEager = entries_[id].form == KernelForm::kEager;
    if (isEager && compileOnly) {
        // f.compile(M=…, N=…): tensors need not be given.
        const auto staging = stagingParameters(entries_[id]);
        auto left = std::count_if(given.items.begin(), given.items.end(), [](const auto& a) { return a.keyword.empty(); });
        for (const auto& parameter : kernel->python->def->parameters) {
            const std::string& name = parameter.name.text;
            const bool isTensor = std::find(staging.begin(), staging.end(), name) == staging.end();
            if (left-- <= 0 && isTensor && !keyword(given, name))
                given.items.push_back({name, std::make_shared<Value>(makeOpaque(name)), given.call});
        }
    }
    if (!bindCall(entries_[id], kernel->python, given, record))
        return makeOpaque(kernel->name);
    const auto names = stagingParameters(entries_[id]);
    if (isEager) {
        std::map<std::string, Value> staging;
        for (auto& [name, value] : record.arguments)
            if (std::find(names.begin(), names.end(), name) != names.end())
                staging[name] = value;
            else if (value.object<const MetaTensor>())
                record.tensors[name] = value;
        record.arguments = std::move(staging);
    }
    // Tuning takes the first configuration unless the caller sets a tuned parameter.
    if (!kernel->configs.empty()) {
        const auto isGiven = [&](const std::string& name) {
            if (keyword(arguments, name))
                return true;
            std::size_t position = 0;
            for (const auto& parameter : kernel->python->def->parameters) {
                if (parameter.name.text == name)
                    break;
                ++position;
            }
            std::size_t count = 0;
            for (const CallArgument& a : arguments.items)
                count += a.keyword.empty();
            return position < count;
        };
        const auto& config = kernel->configs.front();
        if (std::none_of(config.begin(), config.end(), [&](const auto& item) { return isGiven(item.first); }))
            for (const auto& [name, value] : config)
                record.arguments[name] = value;
    }
    return finishCall(entries_[id], std::move(record), isEager && !compileOnly);
}

Value Session::callPlainFactory(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments)
{
    const std::uint32_t id = entryFor(function->range, function->name, KernelForm::kFactory);
    Entry& entry = entries_[id];
    if (!entry.function) {
        entry.function = function;
        if (function->owner) {
            entry.isMethod = takesObject(*function);
            entry.name = function->owner->name + "." + function->name;
        }
    }
    Record record;
    record.entry = id;
    record.key = nextKey(entry, arguments.call);
    record.callRange = arguments.call;
    record.kernel = std::make_shared<KernelValue>();  // carries the closure of this very function
    record.kernel->kind = KernelValue::Kind::kFactory;
    record.kernel->name = function->name;
    record.kernel->range = function->range;
    record.kernel->python = function;
    record.kernel->entry = id;
    if (!bindCall(entry, function, arguments, record))
        return makeOpaque(function->name);
    return finishCall(entries_[id], std::move(record), false);
}

// Traces, or takes what the survey found; gives what the call gives.
Value Session::finishCall(Entry& given, Record record, bool runs)
{
    const std::uint32_t id = given.id;
    if (target_) {
        if (isTarget(record.key))
            reachTarget(record);
        const auto known = known_->find(record.key);
        if (known == known_->end() || !known->second.attempted)
            return compiledValue(record, 0, Traced{});
        if (known->second.functions.empty()) {  // no factory after all: what is asked for may be defined inside of it
            Traced again;
            traceInto(record, again);
            return makeOpaque(entries_[id].name);
        }
        return runs ? returnedTensors(*known->second.functions.front().second) : compiledValue(record, 0, known->second);
    }
    bool isNew = false;
    const CallKey key = record.key;
    const std::uint32_t index = recordFor(given, std::move(record), isNew);
    if (isNew && traces(entries_[id]))
        trace(records_[index]);
    const Record& made = records_[index];
    results_[key] = made.traced;
    if (made.traced.attempted && made.traced.functions.empty())
        return makeOpaque(entries_[id].name);
    if (runs)
        return made.traced.functions.empty() ? makeOpaque(entries_[id].name) : returnedTensors(*made.traced.functions.front().second);
    return compiledValue(made, index + 1, made.traced);
}

Value Session::compiledValue(const Record& record, std::uint32_t index, const Traced& traced)
{
    const Entry& entry = entries_[record.entry];
    const auto one = [&](const std::shared_ptr<const ir::Function>& function) -> Value {
        auto compiled = std::make_shared<KernelValue>();
        const bool isPlain = entry.form == KernelForm::kFactory;
        compiled->kind = isPlain ? KernelValue::Kind::kPrimFunc : KernelValue::Kind::kCompiled;
        compiled->name = entry.name;
        compiled->range = entry.range;
        compiled->python = isPlain ? nullptr : entry.function;
        compiled->origin = record.kernel;
        compiled->function = function;
        compiled->entry = record.entry;
        compiled->record = index;
        compiled->arguments = record.arguments;
        return compiled;
    };
    if (!traced.isContainer)
        return one(traced.functions.empty() ? nullptr : traced.functions.front().second);
    std::vector<Value> items;
    const bool isDict = std::any_of(traced.functions.begin(), traced.functions.end(), [](const auto& f) {
        return f.first.find_first_not_of("0123456789") != std::string::npos;
    });
    const Value dict = makeDict();
    for (const auto& [selector, function] : traced.functions) {
        items.push_back(one(function));
        dictSet(*dict.object<DictValue>(), Value(selector), items.back());
    }
    return isDict ? dict : makeTuple(std::move(items));
}

Value Session::returnedTensors(const ir::Function& function)
{
    std::vector<Value> out;
    for (const int index : function.returned) {
        const auto* buffer = std::get_if<ir::Buffer>(&function.params[static_cast<std::size_t>(index)].value);
        if (!buffer)
            continue;
        std::vector<Value> shape;
        for (const ir::Expr& extent : (*buffer)->shape) {
            const auto* constant = ir::asInt(extent);
            shape.push_back(constant ? Value(*constant) : makeOpaque((*buffer)->name));
        }
        out.push_back(makeTensor(std::move(shape), (*buffer)->dtype, function.name));
    }
    if (out.empty())
        return Value();
    return out.size() == 1 ? out.front() : makeTuple(std::move(out));
}

// ---- tilelang.compile(prim_func, …) -----------------------------------------------------------------------------------

Value Session::kernelCompiled(const std::shared_ptr<KernelValue>& compiled, const CallArguments& call)
{
    const auto& origin = compiled->origin;
    if (origin->kind == KernelValue::Kind::kArray)
        checkArrayCompile(compiled, call);
    if (origin->kind != KernelValue::Kind::kPrimFunc && origin->kind != KernelValue::Kind::kCompiled)
        return compiled;
    const std::uint32_t index = origin->record;
    compiled->record = index;
    compiled->entry = origin->entry;
    DiagnosticSink found;
    DiagnosticSink* const before = interpreter_->diagnosticsTarget();
    interpreter_->setDiagnostics(&found);
    try {
        const Interpreter::KernelExtent extent(*interpreter_);
        CompileOptions options = readOptions(*interpreter_, *compiled);
        if (index > 0 && !target_) {
            Record& record = records_[index - 1];
            if (!record.compileOptions) {
                record.compileOptions = options;
                for (auto& [selector, function] : record.traced.functions)
                    if (function->returned.empty())
                        function = applyOptions(*interpreter_, *function, options);
            }
        }
        if (origin->function)
            compiled->function = origin->function->returned.empty() ? applyOptions(*interpreter_, *origin->function, options)
                                                                    : origin->function;
    } catch (const StagingStop& stop) {
        interpreter_->setDiagnostics(before);
        if (stop.fatal)
            throw;
        const std::string name = index > 0 && !target_ ? entries_[records_[index - 1].entry].name : origin->name;
        for (Diagnostic& diagnostic : found.take())
            report(std::move(diagnostic), name);
        return makeOpaque(origin->name);
    }
    interpreter_->setDiagnostics(before);
    for (Diagnostic& diagnostic : found.take())
        report(std::move(diagnostic), origin->name);
    (void)call;
    return compiled;
}

// tl.compile(kernel, options=…) without a call still says what does not fit. Nothing is offered: calls are the instances.
void Session::checkArrayCompile(const std::shared_ptr<KernelValue>& compiled, const CallArguments& call)
{
    const Entry& entry = entries_[compiled->origin->entry];
    if (!interpreter_->surveying() || target_ || !entry.function)
        return;
    Record record;
    record.entry = compiled->origin->entry;
    record.kernel = compiled->origin;
    record.compiled = compiled;
    record.callRange = call.call;
    for (const std::string& name : stagingParameters(entry))
        if (auto value = defaultOf(entry, name))
            record.arguments[name] = std::move(*value);
    for (const auto& [name, value] : compiled->options)
        if (const auto* dict = name == "options" ? value.object<DictValue>() : nullptr)
            for (const auto& [key, item] : dict->items)
                record.arguments[plainText(key)] = item;
    Traced traced;
    traceInto(record, traced);
}

// ---- calling compiled kernels -----------------------------------------------------------------------------------------

Value Session::callCompiled(const std::shared_ptr<KernelValue>& kernel, const CallArguments& arguments)
{
    if (!kernel->function)
        return makeOpaque(kernel->name);
    const bool records = kernel->record > 0 && !target_ && interpreter_->surveying();
    if (interpreter_->surveying() && !target_)
        checkTensors(*kernel, *kernel->function, arguments, records ? &records_[kernel->record - 1] : nullptr);
    return returnedTensors(*kernel->function);
}

Value Session::callArray(const std::shared_ptr<KernelValue>& kernel, const std::shared_ptr<KernelValue>& compiled,
                         const CallArguments& arguments)
{
    Record record;
    record.entry = kernel->entry;
    record.kernel = kernel;
    record.key = nextKey(entries_[kernel->entry], arguments.call);
    record.callRange = arguments.call;
    if (!bindCall(entries_[kernel->entry], kernel->python, arguments, record))
        return makeOpaque(kernel->name);
    std::map<std::string, Value> parameters;
    const auto names = stagingParameters(entries_[kernel->entry]);
    for (auto& [name, value] : record.arguments) {
        if (value.object<const MetaTensor>())
            record.tensors[name] = value;
        else if (!isOpaque(value) && std::find(names.begin(), names.end(), name) != names.end())
            parameters[name] = value;
    }
    if (compiled) {
        record.compiled = compiled;
        for (const auto& [name, value] : compiled->options)
            if (const auto* dict = name == "options" ? value.object<DictValue>() : nullptr)
                for (const auto& [key, item] : dict->items)
                    parameters[plainText(key)] = item;
        record.compileOptions = readOptions(*interpreter_, *compiled);
    }
    record.arguments = std::move(parameters);
    return finishCall(entries_[kernel->entry], std::move(record), true);
}

// ---- attributes -------------------------------------------------------------------------------------------------------

std::optional<Value> Session::kernelAttribute(const std::shared_ptr<KernelValue>& kernel, const std::string& name)
{
    if (name == "__name__")
        return Value(kernel->name);
    if (kernel->kind == KernelValue::Kind::kFactory && (name == "compile" || name == "get_tir" || name == "get_kernel_source"))
        return makeNative(name, [this, kernel, name](Evaluator&, const CallArguments& arguments) {
            Value compiled = callFactory(kernel, arguments, true);
            return name == "get_kernel_source" ? makeOpaque(kernel->name + "." + name) : compiled;
        });
    if (kernel->kind == KernelValue::Kind::kFactory && name == "par_compile")
        return makeNative(name, [this, kernel](Evaluator&, const CallArguments& arguments) {
            std::vector<Value> out;
            for (const Value& one : interpreter_->iterate(*arguments.items.at(0).value, arguments.call)) {
                CallArguments each{{}, arguments.call, arguments.callee};
                if (const auto* dict = one.object<DictValue>())
                    for (const auto& [key, value] : dict->items)
                        each.items.push_back({plainText(key), std::make_shared<Value>(value), arguments.call});
                else
                    for (const Value& value : interpreter_->iterate(one, arguments.call))
                        each.items.push_back({"", std::make_shared<Value>(value), arguments.call});
                out.push_back(callFactory(kernel, each, true));
            }
            return makeList(std::move(out));
        });
    if (name == "prim_func") {
        auto prim = std::make_shared<KernelValue>(*kernel);
        prim->kind = KernelValue::Kind::kPrimFunc;
        return Value(prim);
    }
    if (name == "with_attr" || name == "without_attr" || name == "specialize")
        return makeNative(name, [kernel](Evaluator&, const CallArguments&) { return Value(kernel); });
    return makeOpaque(kernel->name + "." + name);
}

}  // namespace tw::staging
