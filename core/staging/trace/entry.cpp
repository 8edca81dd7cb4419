// Tracing a whole kernel: prim_funcs and eager kernels (language.md a.2, a.5).
#include <fmt/format.h>

#include "core/staging/trace/function_tracer.h"

namespace tw::staging {

namespace {

// Makes a tracer the evaluator's hooks while it lives.
class HooksGuard {
public:
    HooksGuard(Evaluator& ev, DeviceHooks* hooks) : ev_(ev), old_(ev.hooks()) { ev.setHooks(hooks); }
    ~HooksGuard() { ev_.setHooks(old_); }
    HooksGuard(const HooksGuard&) = delete;
    HooksGuard& operator=(const HooksGuard&) = delete;

private:
    Evaluator& ev_;
    DeviceHooks* old_;
};

// Names that the body declares with a value-less annotation statement at its top level.
std::set<std::string> declaredInBody(const syntax::Block& body)
{
    std::set<std::string> names;
    for (const auto& statement : body)
        if (const auto* declaration = std::get_if<syntax::AnnAssign>(&statement->node); declaration && !declaration->value)
            if (const auto* name = std::get_if<syntax::Name>(&declaration->target->node))
                names.insert(name->id);
    return names;
}

std::vector<std::string> parameterNames(const syntax::FunctionDef& def)
{
    std::vector<std::string> names;
    for (const auto& p : def.parameters)
        names.push_back(p.name.text);
    return names;
}

// Where the body's `return` stands, for messages about its value.
SourceRange returnRange(const syntax::Block& body, const SourceRange& otherwise)
{
    SourceRange found = otherwise;
    for (const auto& statement : body) {
        if (std::holds_alternative<syntax::Return>(statement->node))
            found = statement->range;
        if (const auto* with = std::get_if<syntax::With>(&statement->node))
            found = returnRange(with->body, found);
    }
    return found;
}

bool isVariadic(const syntax::Parameter& p)
{
    return p.kind == syntax::Parameter::Kind::kStar || p.kind == syntax::Parameter::Kind::kDoubleStar;
}

SourceRange annotationRange(const syntax::Parameter& p)
{
    return p.annotation ? cover(p.name.range, p.annotation->range) : p.name.range;
}

}  // namespace

std::shared_ptr<const ir::Function> tracePrimFunc(Evaluator& ev, const FunctionValue& function, const SourceRange&)
{
    if (!function.def)
        ev.fail(Code::kTypeMismatch, function.range, "@T.prim_func decorates a function written with def");
    const auto scope = ev.scopeFor(function, true);
    Tracer tracer(ev, Tracer::Form::kPrimFunc, scope, function.name, function.range);
    const HooksGuard guard(ev, &tracer);
    const auto inBody = declaredInBody(function.def->body);
    tracer.setOrder(parameterNames(*function.def));
    for (const auto& p : function.def->parameters) {
        if (isVariadic(p) || p.kind == syntax::Parameter::Kind::kPositionalOnly)
            ev.fail(Code::kParameter, p.name.range, fmt::format("parameter {} of a prim_func must be an ordinary parameter", p.name.text));
        if (const auto annotation = ev.annotation(function, p, scope)) {
            scope->names[p.name.text] = tracer.addParameter(p.name.text, *annotation, annotationRange(p));
            continue;
        }
        if (inBody.count(p.name.text) == 0)
            ev.fail(Code::kParameter, p.name.range,
                    fmt::format("parameter {} is not annotated; give it a type such as T.Tensor((n,), T.float32) or T.float32", p.name.text));
        tracer.expectParameter(p.name.text);
    }
    const auto result = ev.runBody(function.def->body, scope);
    return tracer.finish(result, returnRange(function.def->body, function.range));
}

namespace {

// Whether the annotation of a parameter says that it is a run-time value: a tensor, a pointer or a dtype object.
bool isRuntimeAnnotation(const Value& annotation)
{
    const auto* native = annotation.object<const NativeFunction>();
    return annotation.buffer() || annotation.get<ir::DType>() || (native && native->name == "ptr");
}

// One run of an eager kernel's body. `survey` runs stop at the first launch.
class EagerRun {
public:
    EagerRun(Evaluator& ev, const FunctionValue& function, const EagerCall& call)
        : ev_(ev), function_(function), call_(call), scope_(ev.scopeFor(function, true)),
          tracer_(ev, Tracer::Form::kEager, scope_, function.name, function.range)
    {
    }

    Tracer& tracer() { return tracer_; }
    const std::vector<std::string>& tensorParameters() const { return tensorParameters_; }
    const std::vector<std::string>& missing() const { return missing_; }

    void bindParameters()
    {
        const HooksGuard guard(ev_, &tracer_);
        const auto inBody = declaredInBody(function_.def->body);
        tracer_.setOrder(parameterNames(*function_.def));
        for (std::size_t i = 0; i < function_.def->parameters.size(); ++i)
            bindParameter(function_.def->parameters[i], i, inBody);
    }

    std::shared_ptr<const ir::Function> run()
    {
        const HooksGuard guard(ev_, &tracer_);
        const auto result = ev_.runBody(function_.def->body, scope_);
        if (!tracer_.missingConsts.empty())
            return nullptr;
        return tracer_.finish(result, returnRange(function_.def->body, function_.range));
    }

private:
    void bindParameter(const syntax::Parameter& p, std::size_t index, const std::set<std::string>& inBody)
    {
        const std::string& name = p.name.text;
        if (isVariadic(p)) {
            scope_->names[name] = p.kind == syntax::Parameter::Kind::kStar ? makeTuple({}) : Value(std::make_shared<DictValue>());
            return;
        }
        const auto annotation = ev_.annotation(function_, p, scope_);
        if (annotation && isRuntimeAnnotation(*annotation)) {
            scope_->names[name] = tracer_.addParameter(name, *annotation, annotationRange(p));
            tensorParameters_.push_back(name);
            return;
        }
        if (inBody.count(name) != 0) {
            tracer_.expectParameter(name);
            tensorParameters_.push_back(name);
            return;
        }
        if (const auto given = call_.staging.find(name); given != call_.staging.end())
            scope_->names[name] = given->second;
        else if (index < function_.defaults.size() && function_.defaults[index])
            scope_->names[name] = *function_.defaults[index];
        else if (const auto dim = call_.dims.find(name); dim != call_.dims.end())
            scope_->names[name] = Value(dim->second);
        else
            missing_.push_back(name);
    }

    Evaluator& ev_;
    const FunctionValue& function_;
    const EagerCall& call_;
    std::shared_ptr<Environment> scope_;
    Tracer tracer_;
    std::vector<std::string> tensorParameters_, missing_;
};

// Extents of a given tensor, then its strides (it lies row-major); unknown ones are empty.
std::vector<std::optional<std::int64_t>> extentsAndStrides(const MetaTensor& tensor)
{
    std::vector<std::optional<std::int64_t>> out;
    for (const Value& value : tensor.shape) {
        const auto* extent = value.get<Integer>();
        out.push_back(extent ? std::optional(static_cast<std::int64_t>(*extent)) : std::nullopt);
    }
    const std::size_t rank = out.size();
    out.resize(2 * rank);
    std::optional<std::int64_t> stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
        out[rank + axis] = stride;
        stride = stride && out[axis] ? std::optional(*stride * *out[axis]) : std::nullopt;
    }
    return out;
}

// Values of T.const names: by name, or the first extent or stride of a given tensor in which the name stands alone.
std::map<std::string, std::int64_t> solveConsts(const Tracer::ConstSurvey& survey, const FunctionValue& function, const EagerCall& call)
{
    std::map<std::string, std::int64_t> values;
    for (const auto& p : function.def->parameters) {
        const auto shape = survey.shapes.find(p.name.text);
        const auto given = call.tensors.find(p.name.text);
        if (shape == survey.shapes.end() || given == call.tensors.end())
            continue;
        const auto* meta = given->second.object<const MetaTensor>();
        if (!meta)
            continue;
        const auto known = extentsAndStrides(*meta);
        for (std::size_t axis = 0; axis < shape->second.size() && axis < known.size(); ++axis)
            for (const auto& [name, var] : survey.variables)
                if (shape->second[axis].get() == var.get() && known[axis])
                    values.emplace(name, *known[axis]);
    }
    return values;
}

// Every T.const stands alone in an extent or stride of a parameter; else no call could determine it.
void checkConstsAreUsed(Evaluator& ev, const Tracer::ConstSurvey& survey)
{
    if (!survey.reachedLaunch)
        return;
    for (const auto& item : survey.variables) {
        const std::string& name = item.first;
        const bool isUsed = std::any_of(survey.shapes.begin(), survey.shapes.end(), [&](const auto& shape) {
            return std::any_of(shape.second.begin(), shape.second.end(), [&](const ir::Expr& e) {
                const auto* alone = ir::as<ir::VarNode>(e);
                return alone && alone->name == name;  // a macro may declare it again
            });
        });
        if (!isUsed)
            ev.fail(Code::kParameter, item.second->where.range,
                    fmt::format("{} of T.const stands in no tensor's shape or strides by itself, so no call can determine it; make it a "
                                "parameter of the kernel", name));
    }
}

// What is reported while it lives may be forgotten at the end.
class HeldDiagnostics {
public:
    explicit HeldDiagnostics(DiagnosticSink& sink) : sink_(sink), before_(sink.take()) {}
    ~HeldDiagnostics()
    {
        auto since = sink_.take();
        for (auto& d : before_)
            sink_.report(std::move(d));
        if (!forgotten_)
            for (auto& d : since)
                sink_.report(std::move(d));
    }
    HeldDiagnostics(const HeldDiagnostics&) = delete;
    HeldDiagnostics& operator=(const HeldDiagnostics&) = delete;
    void forget() { forgotten_ = true; }

private:
    DiagnosticSink& sink_;
    std::vector<Diagnostic> before_;
    bool forgotten_ = false;
};

std::map<std::string, std::int64_t> namedConsts(const EagerCall& call)
{
    std::map<std::string, std::int64_t> values = call.dims;
    for (const auto& [name, value] : call.staging)
        if (const auto* i = value.get<Integer>())
            values.emplace(name, static_cast<std::int64_t>(*i));
    return values;
}

// The first run: T.const names without a value in `known` are variables, until the launch opens. Its errors are its own
// unless they hide a value.
Tracer::ConstSurvey surveyConsts(Evaluator& ev, const FunctionValue& function, const EagerCall& call,
                                 const std::map<std::string, std::int64_t>& known)
{
    Tracer::ConstSurvey survey;
    HeldDiagnostics held(ev.diagnostics());
    try {
        EagerRun run(ev, function, call);
        run.tracer().survey = &survey;
        run.tracer().consts = known;
        run.bindParameters();
        (void)run.run();
    } catch (const StagingStop& stop) {
        if (stop.cancelled || stop.fatal)
            throw;
    }
    held.forget();
    return survey;
}

bool mentionsConst(const syntax::FunctionDef& def)
{
    for (const auto& statement : def.body)
        if (const auto* assign = std::get_if<syntax::Assign>(&statement->node))
            if (const auto* made = std::get_if<syntax::Call>(&assign->value->node))
                if (const auto* attribute = std::get_if<syntax::Attribute>(&made->callee->node))
                    if (attribute->name.text == "const")
                        return true;
    return false;
}

// What the call says of the extents: by name, and by its tensors.
std::map<std::string, std::int64_t> constsOf(Evaluator& ev, const FunctionValue& function, const EagerCall& call)
{
    auto consts = namedConsts(call);
    if (!mentionsConst(*function.def))
        return consts;
    Tracer::ConstSurvey survey = surveyConsts(ev, function, call, {});
    checkConstsAreUsed(ev, survey);
    if (!survey.reachedLaunch && !consts.empty())  // statements before the launch may need the values
        survey = surveyConsts(ev, function, call, consts);
    for (const auto& [name, value] : solveConsts(survey, function, call))
        consts.emplace(name, value);
    return consts;
}

}  // namespace

EagerResult traceEager(Evaluator& ev, const FunctionValue& function, const EagerCall& call)
{
    if (!function.def)
        ev.fail(Code::kTypeMismatch, function.range, "a kernel is a function written with def");
    EagerResult result;
    const auto consts = constsOf(ev, function, call);
    EagerRun run(ev, function, call);
    run.tracer().consts = consts;
    run.bindParameters();
    result.tensorParameters = run.tensorParameters();
    result.missing = run.missing();
    if (!result.missing.empty())
        return result;
    Tracer::ConstSurvey probe;
    HeldDiagnostics held(ev.diagnostics());
    try {
        // With every value known this is the only run; a name that is not known ends it at the launch, or at the first
        // statement that cannot go on without it.
        run.tracer().stopAtLaunchIfMissing = &probe;
        result.function = run.run();
    } catch (const StagingStop& stop) {
        if (stop.cancelled || stop.fatal || run.tracer().missingConsts.empty())
            throw;
        held.forget();
    }
    result.missing = run.tracer().missingConsts;
    if (result.function)
        result.consts = consts;
    return result;
}

}  // namespace tw::staging
