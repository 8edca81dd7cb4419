// Staging one instance: factories, eager kernels, prim_funcs, array kernels.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/literals.h"
#include "core/staging/session.h"
#include "core/staging/text.h"
#include "core/staging/trace/tracer.h"
#ifdef TW_WITH_ARRAY
#include "core/staging/array/array_tracer.h"
#endif

namespace tw::staging {

namespace {

// Instances of one kernel that a survey stages; the others wait until they are asked for.
constexpr int kMostTraced = 4;

}  // namespace

bool Session::traces(const Entry& entry) const { return !target_ && entry.traced < kMostTraced; }

FactoryMode Session::modeOf(const std::shared_ptr<FunctionValue>& function)
{
    return function ? factoryMode(*function) : FactoryMode::kUnknown;
}

std::uint32_t Session::recordFor(Entry& entry, Record record, bool& isNew)
{
    interpreter_->charge(8 * static_cast<std::int64_t>(entry.records.size()), record.callRange);  // each is compared below
    for (const std::uint32_t index : entry.records) {
        const Record& old = records_[index];
        const auto same = [](const std::map<std::string, Value>& a, const std::map<std::string, Value>& b) {
            return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
                       if (x.first != y.first)
                           return false;
                       const auto* s = x.second.template object<const MetaTensor>();
                       const auto* t = y.second.template object<const MetaTensor>();
                       if (s && t)
                           return s->dtype == t->dtype && equalValues(makeTuple(s->shape), makeTuple(t->shape));
                       return x.second.data.index() == y.second.data.index() && equalValues(x.second, y.second);
                   });
        };
        if (old.isDefault == record.isDefault && same(old.arguments, record.arguments) && same(old.tensors, record.tensors)) {
            isNew = false;
            return index;
        }
    }
    isNew = true;
    records_.push_back(std::move(record));
    entry.records.push_back(static_cast<std::uint32_t>(records_.size() - 1));
    return entry.records.back();
}

void Session::trace(Record& record)
{
    Traced traced;
    ++entries_[record.entry].traced;
    traceInto(record, traced);
    results_[record.key] = traced;
    record.traced = std::move(traced);
}

namespace {

// Arguments that are known only when the program runs: q.shape[0] of a tensor that foreign code made.
std::vector<std::string> unknownArguments(const Record& record)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : record.arguments)
        if (isOpaque(value))
            names.push_back(name);
    return names;
}

// Defaults that stand for "somebody says it": block_M=None of a kernel that is always tuned or called with all of them.
std::vector<std::string> openDefaults(const Record& record)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : record.arguments)
        if (value.isNone())
            names.push_back(name);
    return names;
}

bool saysNone(const Diagnostic& d)
{
    return d.message.ends_with(" not None") || d.message.starts_with("a None ");
}

}  // namespace

void Session::traceInto(Record& record, Traced& out)
{
    out.attempted = true;
    DiagnosticSink found;
    DiagnosticSink* const before = interpreter_->diagnosticsTarget();
    interpreter_->setDiagnostics(&found);
    const bool wasInside = insideTarget_;
    insideTarget_ = true;
    struct Restore {
        Session& self;
        DiagnosticSink* sink;
        bool inside;
        ~Restore()
        {
            self.interpreter_->setDiagnostics(sink);
            self.insideTarget_ = inside;
        }
    };
    {
        const Restore restore{*this, before, wasInside};
        try {
            const Interpreter::KernelExtent extent(*interpreter_);
            switch (entries_[record.entry].form) {
            case KernelForm::kPrimFunc: tracePrim(record, out); break;
            case KernelForm::kEager: traceEagerKernel(record, out); break;
            case KernelForm::kArray: traceArrayKernel(record, out); break;
            default: traceFactory(record, out); break;
            }
        } catch (const StagingStop& stop) {
            out.functions.clear();
            if (stop.cancelled)
                throw;
            if (stop.pending)
                found.report(*stop.pending);
        }
    }
    const std::string kernel = entries_[record.entry].name;
    out.diagnostics = found.take();
    // An unknown argument that reaches the kernel is no mistake of the file: somebody has to say it.
    if (const bool reached = std::erase_if(out.diagnostics, [&](const Diagnostic& d) {
            return d.code == Code::kForeignInKernel && !unknownArguments(record).empty();
        }) > 0; reached && out.missing.empty())
        out.missing = unknownArguments(record);
    if (record.isDefault && out.functions.empty() && std::ranges::any_of(out.diagnostics, saysNone) && !openDefaults(record).empty()) {
        out.missing = openDefaults(record);
        out.diagnostics.clear();
    }
    for (Diagnostic& diagnostic : out.diagnostics)
        diagnostic.kernel = kernel;
    const bool isEarly = record.isDefault && entries_[record.entry].form == KernelForm::kPrimFunc && out.functions.empty() &&
                         interpreter_->atModuleLevel() && !finished_ && !out.diagnostics.empty() &&
                         out.diagnostics.back().code == Code::kNameUndefined;
    if (isEarly && !target_)
        retries_.push_back(entries_[record.entry].records.back());
    else if (!target_)
        for (const Diagnostic& diagnostic : out.diagnostics)
            report(diagnostic, kernel);
}

void Session::tracePrim(Record& record, Traced& out)
{
    auto function = tracePrimFunc(*interpreter_, *record.kernel->python, record.kernel->range);
    if (record.compileOptions && function)
        function = applyOptions(*interpreter_, *function, *record.compileOptions);
    out.functions.emplace_back("", std::move(function));
}

// ---- factories --------------------------------------------------------------------------------------------------------

Value Session::runFactory(const Record& record)
{
    const auto& function = record.kernel ? record.kernel->python : entries_[record.entry].function;
    const auto scope = interpreter_->scopeFor(*function, false);
    const Entry& entry = entries_[record.entry];
    for (auto& [name, value] : entry.built ? withObject(entry, record.arguments) : record.arguments)
        scope->names[name] = value;
    const auto site = SourceRange{static_cast<std::uint32_t>(record.key.site >> 32), static_cast<std::uint32_t>(record.key.site),
                                  static_cast<std::uint32_t>(record.key.site) + 1};
    return interpreter_->runPrepared(function, scope, site);
}

void Session::traceFactory(Record& record, Traced& out)
{
    Entry& entry = entries_[record.entry];
    std::vector<std::shared_ptr<KernelValue>> inside;
    auto* const outer = tracedInside_;
    tracedInside_ = &inside;
    struct Restore {
        Session& self;
        std::vector<std::shared_ptr<KernelValue>>* outer;
        ~Restore() { self.tracedInside_ = outer; }
    } restore{*this, outer};
    const Value result = runFactory(record);
    collect(result, out);
    if (result.isNone() && entry.kernel && entry.form == KernelForm::kLazy)
        interpreter_->fail(Code::kReturnValue, entries_[record.entry].range,
                           fmt::format("`{}` returns nothing; a kernel factory returns the function that it defines{}", entry.name,
                                       inside.empty() ? std::string() : fmt::format(": return {}", inside.back()->name)));
    if (out.functions.empty() && entry.kernel && entry.form == KernelForm::kLazy && (asNumber(result) || result.str()))
        interpreter_->fail(Code::kReturnValue, entries_[record.entry].range,
                           fmt::format("`{}` gives {}, not a T.prim_func; a kernel factory returns the function that it defines{}",
                                       entry.name, typeName(result), inside.empty() ? std::string() : fmt::format(": return {}", inside.back()->name)));
    if (out.functions.empty())
        for (const auto& kernel : inside)
            out.functions.emplace_back(inside.size() == 1 ? "" : kernel->name, kernel->function);
    std::erase_if(out.functions, [](const auto& f) { return !f.second; });
    if (out.functions.empty()) {
        if (const auto* plain = result.object<FunctionValue>(); plain && plain->def && entry.kernel && entry.form == KernelForm::kLazy)
            interpreter_->fail(Code::kReturnValue, plain->range,
                               fmt::format("`{}` gives `{}`, which is a plain function: @T.prim_func is missing above it", entry.name, plain->name));
        if (entry.kernel && entry.form == KernelForm::kLazy)
            interpreter_->fail(Code::kReturnValue, entries_[record.entry].range,
                               fmt::format("`{}` gives {}, not a T.prim_func; a kernel factory returns the function that it defines",
                                           entry.name, typeName(result)));
        return;
    }
    CompileOptions options;
    if (record.kernel)
        options = readOptions(*interpreter_, *record.kernel);
    if (record.compileOptions)
        options = merged(std::move(options), *record.compileOptions);
    for (auto& [selector, function] : out.functions) {
        entries_[record.entry].aliases.insert(function->name);
        entries_[record.entry].aliases.insert(entries_[record.entry].name + "." + function->name);
        function = applyOptions(*interpreter_, *function, options);
    }
}

void Session::collect(const Value& value, Traced& out, int depth)
{
    const auto add = [&](const std::string& selector, const Value& one) {
        if (const auto* kernel = one.object<KernelValue>(); kernel && kernel->function)
            out.functions.emplace_back(selector, kernel->function);
    };
    add("", value);
    if (depth > 0 || !out.functions.empty())
        return;
    const auto* list = value.object<ListValue>();
    const auto* tuple = value.object<const TupleValue>();
    if (list || tuple) {
        const auto& items = list ? list->items : tuple->items;
        for (std::size_t i = 0; i < items.size(); ++i)
            add(std::to_string(i), items[i]);
    }
    if (const auto* dict = value.object<DictValue>())
        for (const auto& [key, one] : dict->items)
            add(plainText(key), one);
    out.isContainer = !out.functions.empty();
    if (out.functions.size() == 1)  // (kernel, other things): one kernel
        out.functions.front().first.clear(), out.isContainer = false;
}

// ---- eager and array kernels ------------------------------------------------------------------------------------------

void Session::traceEagerKernel(Record& record, Traced& out)
{
    EagerCall call;
    call.staging = record.arguments;
    call.tensors = record.tensors;
    call.dims = record.dims;
    EagerResult result = traceEager(*interpreter_, *record.kernel->python, call);
    out.missing = std::move(result.missing);
    out.dims = std::move(result.consts);
    for (const auto& [name, value] : record.arguments)
        out.dims.erase(name);  // compile-time parameters are no extents
    if (!result.function)
        return;
    // Open extents (T.dynamic) that the call's tensors have.
    for (const ir::Param& param : result.function->params) {
        const auto* buffer = std::get_if<ir::Buffer>(&param.value);
        const auto given = buffer ? record.tensors.find((*buffer)->name) : record.tensors.end();
        const auto* tensor = given == record.tensors.end() ? nullptr : given->second.object<const MetaTensor>();
        if (!tensor || tensor->shape.size() != (*buffer)->shape.size())
            continue;
        for (std::size_t axis = 0; axis < tensor->shape.size(); ++axis) {
            const auto* extent = tensor->shape[axis].get<Integer>();
            if (const auto* var = ir::as<ir::VarNode>((*buffer)->shape[axis]); var && extent)
                out.dims.emplace(var->name, static_cast<std::int64_t>(*extent));
        }
    }
    checkEagerTensors(*result.function, record);
    const CompileOptions options = readOptions(*interpreter_, *record.kernel);
    if (options.outIdx && !options.outIdx->empty())
        interpreter_->fail(Code::kOutIndex, options.outIdxRange,
                           fmt::format("out_idx is for factories; the eager kernel `{}` returns its T.empty tensors", record.kernel->name));
    out.functions.emplace_back("", applyOptions(*interpreter_, *result.function, options));
}

void Session::traceArrayKernel(Record& record, Traced& out)
{
#ifdef TW_WITH_ARRAY
    ArrayCall call;
    call.parameters = record.arguments;
    call.tensors = record.tensors;
    call.dims = record.dims;
    call.otherwise = record.callDims;
    call.compiled = record.compiled;
    const SourceRange site{static_cast<std::uint32_t>(record.key.site >> 32), static_cast<std::uint32_t>(record.key.site),
                           static_cast<std::uint32_t>(record.key.site) + 1};
    ArrayResult result = traceArray(*interpreter_, *record.kernel, call, record.callRange.isKnown() ? record.callRange : site);
    out.missing = std::move(result.missing);
    out.dims = std::move(result.dims);
    if (result.function)
        out.functions.emplace_back("", applyOptions(*interpreter_, *result.function, record.compileOptions.value_or(CompileOptions())));
#else
    (void)out;
    interpreter_->fail(Code::kNotSupported, record.kernel->range, "not supported: array kernels");
#endif
}

// ---- instances without a call ----------------------------------------------------------------------------------------

// Tensors without annotation get their shapes from a call.
bool Session::hasShapes(const Entry& entry) const
{
    const auto& parameters = entry.function->def->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (!parameters[i].annotation && !entry.function->defaults[i])
            return false;
    return true;
}

void Session::addRest(const Entry& entry, std::map<std::string, Value>& arguments)
{
    for (const auto& parameter : entry.function->def->parameters) {
        if (parameter.kind == syntax::Parameter::Kind::kStar)
            arguments[parameter.name.text] = makeTuple({});
        if (parameter.kind == syntax::Parameter::Kind::kDoubleStar)
            arguments[parameter.name.text] = makeDict();
    }
}

void Session::traceDefaults()
{
    finished_ = true;
    for (const std::uint32_t index : retries_)
        trace(records_[index]);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        Entry& entry = entries_[i];
        if (!entry.function || entry.form == KernelForm::kPrimFunc || (entry.usedInside && !entry.kernel) ||
            (entry.isMethod && !entry.built))
            continue;
        const auto names = stagingParameters(entry);
        if (!std::all_of(names.begin(), names.end(), [&](const std::string& name) { return hasDefault(entry, name); }))
            continue;
        if (entry.form == KernelForm::kArray && !hasShapes(entry))
            continue;
        Record record;
        record.entry = i;
        record.kernel = entry.kernel;
        record.key = {placeOf(entry.range), placeOf(entry.range), -1};
        record.isDefault = true;
        for (const std::string& name : names)
            record.arguments[name] = *defaultOf(entry, name);
        addRest(entry, record.arguments);
        bool isNew = false;
        const std::uint32_t index = recordFor(entry, std::move(record), isNew);
        auto& order = entries_[i].records;
        order.erase(std::find(order.begin(), order.end(), index));
        order.insert(order.begin(), index);
        if (isNew && traces(entries_[i]))
            trace(records_[index]);
    }
}

}  // namespace tw::staging
