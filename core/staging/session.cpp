// A run: module level, discovery of kernels, what definitions mean.
#include "core/staging/session.h"

#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/literals.h"
#include "core/staging/trace/tracer.h"
#include "core/syntax/parser.h"

namespace tw::staging {

namespace {

constexpr std::int64_t kSurveySteps = 3'000'000;  // for the code around kernels

// By its text, language.md a.5: a tensor, pointer or dtype annotation makes a run-time parameter.
bool isRuntimeAnnotation(const syntax::Expr& annotation)
{
    if (const auto* quoted = std::get_if<syntax::StringLiteral>(&annotation.node)) {
        DiagnosticSink ignored;
        const auto parsed = syntax::parseExpression(quoted->value, annotation.range, ignored);
        return parsed && !std::holds_alternative<syntax::StringLiteral>(parsed->node) && isRuntimeAnnotation(*parsed);
    }
    const syntax::Expr* e = &annotation;
    bool isApplied = false;
    for (;;) {
        if (const auto* call = std::get_if<syntax::Call>(&e->node))
            e = call->callee.get(), isApplied = true;
        else if (const auto* subscript = std::get_if<syntax::Subscript>(&e->node))
            e = subscript->value.get(), isApplied = true;
        else
            break;
    }
    const auto* attribute = std::get_if<syntax::Attribute>(&e->node);
    const auto* name = std::get_if<syntax::Name>(&e->node);
    const std::string last = attribute ? attribute->name.text : name ? name->id : "";
    if (last == "Tensor" || last == "StridedTensor" || last == "Buffer" || last == "ptr")
        return isApplied || last == "ptr";
    return attribute && !isApplied && ir::parseDType(last).has_value();
}

bool isRuntimeParameter(const syntax::FunctionDef& def, const syntax::Parameter& parameter)
{
    if (parameter.annotation)
        return isRuntimeAnnotation(*parameter.annotation);
    for (const auto& stmt : def.body)
        if (const auto* declaration = std::get_if<syntax::AnnAssign>(&stmt->node); declaration && !declaration->value)
            if (const auto* name = std::get_if<syntax::Name>(&declaration->target->node); name && name->id == parameter.name.text)
                return isRuntimeAnnotation(*declaration->annotation);
    return false;
}

// A function that nothing calls but whose name says that people run it.
bool isRunnable(const FunctionValue& function)
{
    const std::string& n = function.name;
    if (!function.def || function.def->isAsync ||
        !(n == "main" || n.starts_with("main_") || n.starts_with("test_") || n.starts_with("run") || n.starts_with("bench")))
        return false;
    for (std::size_t i = 0; i < function.def->parameters.size(); ++i) {
        const auto kind = function.def->parameters[i].kind;
        if (!function.defaults[i] && kind != syntax::Parameter::Kind::kStar && kind != syntax::Parameter::Kind::kDoubleStar)
            return false;
    }
    return true;
}

}  // namespace

Session::Session(std::shared_ptr<const syntax::Module> module, const Options& options, DiagnosticSink& sink, std::stop_token stop)
    : module_(std::move(module)), sink_(sink)
{
    sources_.add(module_->source);
    Interpreter::Setup setup;
    setup.target = options.target;
    setup.stepBudget = options.stepBudget;
    setup.memoryBudget = options.memoryBudget;
    setup.stop = std::move(stop);
    setup.diagnostics = &sink_;
    setup.sources = &sources_;
    setup.readSibling = options.readSibling;
    setup.host = this;
    interpreter_ = std::make_unique<Interpreter>(std::move(setup));
    interpreter_->setSurveyBudget(std::min(kSurveySteps, options.stepBudget));
}

Session::~Session() = default;

void Session::run()
{
    globals_ = interpreter_->makeGlobals(module_, "__main__");
    try {
        interpreter_->runModule(*module_, globals_);
        callUncalled();
    } catch (const StagingStop& stop) {
        if (stop.cancelled || targetRecord_)
            return;
        // The code around the kernels runs too long: what was found until there is offered.
        if (stop.pending) {
            Diagnostic warning = *stop.pending;
            warning.severity = Severity::kWarning;
            sink_.report(std::move(warning));
        }
    }
    if (!target_)
        discoverUncalled();
}

void Session::callUncalled()
{
    const auto names = globals_->names;
    for (const auto& [name, value] : names) {
        const auto* function = value.get<std::shared_ptr<FunctionValue>>();
        if (!function || (*function)->module != module_ || called_.contains((*function)->def) || !isRunnable(**function) ||
            isCandidate(*function))
            continue;
        try {
            CallArguments none;
            none.call = none.callee = (*function)->def->name.range;
            interpreter_->callFunction(*function, none);
        } catch (const StagingStop& stop) {
            if (stop.fatal)
                throw;
        }
    }
}

// ---- entries ----------------------------------------------------------------------------------------------------------

std::uint32_t Session::entryFor(const SourceRange& range, const std::string& name, KernelForm form)
{
    const auto [it, isNew] = entryAt_.try_emplace(placeOf(range), static_cast<std::uint32_t>(entries_.size()));
    if (isNew) {
        Entry entry;
        entry.id = it->second;
        entry.name = name;
        entry.form = form;
        entry.range = range;
        entries_.push_back(std::move(entry));
    }
    return it->second;
}

CallKey Session::nextKey(const Entry& entry, const SourceRange& site)
{
    CallKey key{placeOf(entry.range), placeOf(site), 0};
    key.occurrence = occurrences_[{key.entry, key.site}]++;
    return key;
}

void Session::kernelDefined(const std::shared_ptr<KernelValue>& kernel)
{
    const bool isArray = kernel->kind == KernelValue::Kind::kArray;
    const std::uint32_t id = entryFor(kernel->range, kernel->name, isArray ? KernelForm::kArray : KernelForm::kLazy);
    Entry& entry = entries_[id];
    kernel->entry = id;
    if (entry.kernel)
        return;
    entry.kernel = kernel;
    entry.function = kernel->python;
    if (isArray || !kernel->python->def)
        return;
    const FactoryMode mode = modeOf(kernel->python);
    const auto& def = *kernel->python->def;
    const bool hasTensor = std::any_of(def.parameters.begin(), def.parameters.end(),
                                       [&](const auto& p) { return isRuntimeParameter(def, p); });
    if (mode == FactoryMode::kEager || (mode == FactoryMode::kUnknown && hasTensor))
        entry.form = KernelForm::kEager;
}

Value Session::definePrimFunc(const std::shared_ptr<FunctionValue>& function, const SourceRange& decorator)
{
    auto kernel = std::make_shared<KernelValue>();
    kernel->kind = KernelValue::Kind::kPrimFunc;
    kernel->name = function->name;
    kernel->range = function->range;
    kernel->python = function;
    function->kind = FunctionKind::kPrimFunc;
    if (!interpreter_->surveying()) {  // inside a factory: Python traces where it decorates
        kernel->function = tracePrimFunc(*interpreter_, *function, decorator);
        if (tracedInside_)
            tracedInside_->push_back(kernel);
        return kernel;
    }
    const std::uint32_t id = entryFor(function->range, function->name, KernelForm::kPrimFunc);
    kernel->entry = id;
    Entry& entry = entries_[id];
    if (!entry.kernel) {
        entry.kernel = kernel;
        entry.function = function;
    }
    Record record;
    record.entry = id;
    record.kernel = kernel;
    record.key = nextKey(entry, function->range);
    record.isDefault = true;
    if (target_) {
        if (isTarget(record.key) && !(interpreter_->atModuleLevel() && !finished_))
            reachTarget(record);
        if (const auto known = known_->find(record.key); known != known_->end() && !known->second.functions.empty())
            kernel->function = known->second.functions.front().second;
        return kernel;
    }
    bool isNew = false;
    const std::uint32_t index = recordFor(entry, std::move(record), isNew);
    kernel->record = index + 1;
    if (traces(entries_[id]))
        trace(records_[index]);
    if (!records_[index].traced.functions.empty())
        kernel->function = records_[index].traced.functions.front().second;
    return kernel;
}

void Session::report(Diagnostic diagnostic, const std::string& kernel)
{
    if (diagnostic.kernel.empty())
        diagnostic.kernel = kernel;
    // One cause is said once, whichever instance shows it first.
    for (const Diagnostic& other : sink_.all())
        if (other.code == diagnostic.code && other.range == diagnostic.range && other.severity == diagnostic.severity)
            return;
    sink_.report(std::move(diagnostic));
}

void Session::overlayParameters(const FunctionValue& function, Environment& scope)
{
    if (!target_ || target_->params.empty() || insideTarget_ || !function.def)
        return;
    const auto file = static_cast<std::uint32_t>(target_->entry >> 32);
    const auto begin = static_cast<std::uint32_t>(target_->entry);
    const auto encloses = [&](const SourceRange& range) { return range.file == file && range.begin < begin && begin < range.end; };
    const bool isConstructor = function.name == "__init__" && function.owner && encloses(function.owner->range);
    if (!encloses(function.range) && !isConstructor)
        return;
    for (const auto& parameter : function.def->parameters)
        if (const auto it = target_->params.find(parameter.name.text); it != target_->params.end()) {
            scope.names[it->first] = parseLiteral(it->second);
            usedOverlays_.insert(it->first);
        }
}

// ---- parameters -------------------------------------------------------------------------------------------------------

std::vector<std::string> Session::stagingParameters(const Entry& entry) const
{
    if (!entry.function || !entry.function->def || entry.form == KernelForm::kPrimFunc)
        return {};
    std::vector<std::string> names = objectParameters(entry);
    const auto& def = *entry.function->def;
    const bool decides = entry.form == KernelForm::kEager || entry.form == KernelForm::kArray;
    for (std::size_t i = 0; i < def.parameters.size(); ++i) {
        const auto& p = def.parameters[i];
        if (p.kind == syntax::Parameter::Kind::kStar || p.kind == syntax::Parameter::Kind::kDoubleStar || p.name.text.empty())
            continue;
        if (entry.isMethod && i == 0)
            continue;
        if (decides && isRuntimeParameter(def, p))
            continue;
        // The array dialect: a parameter without annotation and default is a tensor.
        if (entry.form == KernelForm::kArray && !p.annotation && !entry.function->defaults[i])
            continue;
        names.push_back(p.name.text);
    }
    return names;
}

}  // namespace tw::staging
