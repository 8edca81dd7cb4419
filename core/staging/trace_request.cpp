// trace(): one instance, as it was surveyed or with overlays.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/literals.h"
#include "core/staging/session.h"
#include "core/syntax/parser.h"

namespace tw::staging {

namespace {

void reportOnce(DiagnosticSink& sink, const Diagnostic& diagnostic)
{
    for (const Diagnostic& other : sink.all())
        if (other.code == diagnostic.code && other.range == diagnostic.range && other.severity == diagnostic.severity)
            return;
    sink.report(diagnostic);
}

void take(const Traced& traced, const std::string& selector, TraceResult& result, DiagnosticSink& sink)
{
    for (const Diagnostic& diagnostic : traced.diagnostics)
        reportOnce(sink, diagnostic);
    result.missing = traced.missing;
    for (const auto& [name, function] : traced.functions)
        if (name == selector || traced.functions.size() == 1)
            result.function = function;
    for (const auto& [name, value] : traced.dims)
        result.instance.dims[name] = std::to_string(value);
}

bool isScalarOrSymbol(const ir::Function& function, const std::string& name)
{
    for (const ir::Param& param : function.params)
        if (std::holds_alternative<ir::Var>(param.value) && param.name() == name)
            return true;
    return std::any_of(function.symbols.begin(), function.symbols.end(), [&](const ir::Var& v) { return v->name == name; });
}

class Tracing {
public:
    Tracing(const Program& program, const TraceRequest& request, const Options& options, DiagnosticSink& sink, std::stop_token stop)
        : state_(program.state()), request_(request), options_(options), sink_(sink), stop_(std::move(stop))
    {
    }

    TraceResult run(const Program& program)
    {
        kernel_ = program.find(request_.kernel);
        if (!kernel_) {
            sink_.error(Code::kUsage, {}, fmt::format("the file has no kernel `{}`", request_.kernel));
            return {};
        }
        const bool givesTensors = !request_.tensors.empty() && kernel_->form == KernelForm::kArray;
        const bool overlays = !request_.params.empty() || !request_.dims.empty() || givesTensors;
        const Instance* instance = chooseInstance(overlays);
        if (!instance && !request_.instance.empty())
            return {};
        if (!instance && !overlays) {
            TraceResult result;
            result.missing = kernel_->missing;
            return result;
        }
        const bool lacksExtents = instance && takesExtentsOfCall(*instance) && !state_.instances[instance->id].traced.missing.empty() &&
                                  std::any_of(kernel_->instances.begin(), kernel_->instances.end(),
                                              [&](const Instance& other) { return !other.dims.empty(); });
        if (instance && !overlays && !lacksExtents && state_.instances[instance->id].traced.attempted) {
            TraceResult result;
            result.instance = *instance;
            take(state_.instances[instance->id].traced, state_.instances[instance->id].selector, result, sink_);
            return result;
        }
        if (instance && !overlays && !lacksExtents && state_.instances[instance->id].call)
            if (auto kept = stagedTogether(program, *instance))
                return std::move(*kept);
        return again(instance);
    }

private:
    const Instance* chooseInstance(bool overlays)
    {
        for (const Instance& instance : kernel_->instances)
            if (instance.name == request_.instance)
                return &instance;
        if (!request_.instance.empty()) {
            std::vector<std::string> names;
            for (const Instance& instance : kernel_->instances)
                names.push_back(instance.name);
            sink_.error(Code::kUsage, kernel_->range,
                        fmt::format("`{}` has no instance `{}`; it has {}", kernel_->name, request_.instance,
                                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
            return nullptr;
        }
        // Overlays are laid over the defaults; what these lack comes from the first call.
        (void)overlays;
        return kernel_->instances.empty() ? nullptr : &kernel_->instances.front();
    }

    // The defaults have no extents of their own: those of the first call serve.
    bool takesExtentsOfCall(const Instance& instance) const
    {
        return request_.instance.empty() || instance.origin == Instance::Origin::kDefault;
    }

    // The run that finds an instance stages others that wait behind it, too.
    std::optional<TraceResult> stagedTogether(const Program& program, const Instance& instance)
    {
        if (auto found = kept(instance.id))
            return found;
        struct Waiting {
            const Kernel* kernel;
            const Instance* instance;
        };
        std::vector<Waiting> waiting;
        std::vector<Session::Target> targets;
        const std::size_t most = nextRun();
        for (const Kernel& kernel : program.kernels())
            for (const Instance& other : kernel.instances) {
                const InstanceSource& source = state_.instances[other.id];
                if (other.id < instance.id || waiting.size() >= most || source.traced.attempted || !source.call || (other.id != instance.id && kept(other.id)))
                    continue;
                waiting.push_back({&kernel, &other});
                targets.push_back(targetOf(kernel, other));
            }
        DiagnosticSink silent;
        Session session(state_.module, rerunOptions(), silent, stop_);
        auto staged = session.runTargets(targets, state_.results);
        for (std::size_t i = 0; i < waiting.size(); ++i)
            if (const auto it = staged.find(*targets[i].call); it != staged.end()) {
                DiagnosticSink said;
                TraceResult result;
                result.instance = *waiting[i].instance;
                result.missing = it->second.missing;
                fill(it->second.record, session, targets[i].selector, *waiting[i].kernel, result, said);
                const std::lock_guard lock(state_.cache->mutex);
                state_.cache->kept[{options_.target.name, waiting[i].instance->id}] = {std::move(result), said.take()};
            }
        return kept(instance.id);
    }

    std::size_t nextRun()
    {
        const std::lock_guard lock(state_.cache->mutex);
        return std::exchange(state_.cache->nextRun, 2 * state_.cache->nextRun);
    }

    std::optional<TraceResult> kept(std::uint32_t instance)
    {
        const std::lock_guard lock(state_.cache->mutex);
        const auto it = state_.cache->kept.find({options_.target.name, instance});
        if (it == state_.cache->kept.end())
            return std::nullopt;
        for (const Diagnostic& diagnostic : it->second.diagnostics)
            reportOnce(sink_, diagnostic);
        return it->second.result;
    }

    Session::Target targetOf(const Kernel& kernel, const Instance& instance) const
    {
        const InstanceSource& source = state_.instances[instance.id];
        Session::Target target;
        target.entry = state_.entryOf[kernel.id];
        target.selector = state_.selectorOf[kernel.id];
        target.call = source.call;
        target.knownDims = source.dims;
        target.compileOptions = source.compileOptions;
        return target;
    }

    Options rerunOptions() const
    {
        Options options = options_;
        options.readSibling = [this](const std::string& path) -> std::optional<std::string> {
            const auto it = state_.siblings.find(path);
            return it == state_.siblings.end() ? std::nullopt : std::optional(it->second);
        };
        return options;
    }

    TraceResult again(const Instance* instance)
    {
        Session::Target target;
        if (instance) {
            target = targetOf(*kernel_, *instance);
            if (target.knownDims.empty() && takesExtentsOfCall(*instance))  // extents that the defaults lack
                for (const Instance& other : kernel_->instances)
                    if (target.knownDims.empty())
                        target.knownDims = state_.instances[other.id].dims;
        } else {
            target.entry = state_.entryOf[kernel_->id];
            target.selector = state_.selectorOf[kernel_->id];
        }
        target.params = request_.params;
        target.dims = request_.dims;
        target.tensors = request_.tensors;
        target.keepCall = !request_.instance.empty();
        DiagnosticSink silent;  // the survey has said what it says
        Session session(state_.module, rerunOptions(), silent, stop_);
        session.runTarget(target, state_.results);
        TraceResult result;
        if (instance)
            result.instance = *instance;
        result.missing = session.missing();
        if (session.targetRecord())
            fill(*session.targetRecord(), session, target.selector, *kernel_, result, sink_);
        else if (!stop_.stop_requested())
            sink_.error(Code::kInternal, kernel_->range, fmt::format("`{}` was not reached when the file was run again", kernel_->name));
        return result;
    }

    void fill(const Record& record, Session& session, const std::string& selector, const Kernel& kernel, TraceResult& result, DiagnosticSink& sink) const
    {
        auto missing = result.missing;
        take(record.traced, selector, result, sink);
        result.missing = std::move(missing);
        if (kernel.instances.empty()) {
            result.instance.name = "param";
            result.instance.range = kernel.range;
            result.instance.origin = Instance::Origin::kParam;
        }
        const Entry& entry = session.entries()[record.entry];
        for (const std::string& name : session.stagingParameters(entry))
            if (const auto it = record.arguments.find(name); it != record.arguments.end()) {
                if (auto text = literalText(it->second))
                    result.instance.params[name] = std::move(*text);
                else
                    result.instance.params.erase(name);
            }
        for (const auto& [name, value] : record.dims)
            result.instance.dims[name] = std::to_string(value);
        for (const auto& [name, text] : request_.dims)
            result.instance.dims[name] = text;
        if (!result.function)
            return;
        for (const auto& [name, text] : request_.params) {
            const bool known = session.usedOverlays().contains(name) || record.dims.contains(name) || record.traced.dims.contains(name) ||
                               isScalarOrSymbol(*result.function, name) || entry.form == KernelForm::kArray;
            if (known)
                continue;
            std::vector<std::string> names = session.stagingParameters(entry);
            const std::string near = nearestName(name, names);
            sink.error(Code::kUsage, kernel.range,
                       fmt::format("`{}` has no parameter `{}`{}", kernel.name, name,
                                   near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
            result.function = nullptr;
        }
    }

    const Program::State& state_;
    const TraceRequest& request_;
    const Options& options_;
    DiagnosticSink& sink_;
    std::stop_token stop_;
    const Kernel* kernel_ = nullptr;
};

}  // namespace

TraceResult trace(const Program& program, const TraceRequest& request, const Options& options, DiagnosticSink& diagnostics,
                  std::stop_token stop)
{
    return Tracing(program, request, options, diagnostics, std::move(stop)).run(program);
}

std::shared_ptr<const ir::Function> readFunction(const std::string& text, DiagnosticSink& diagnostics)
{
    const auto module = syntax::parse(std::make_shared<const SourceText>("function.py", text), 0, diagnostics);
    if (!module || diagnostics.hasErrors())
        return nullptr;
    Options options;
    options.target = target::defaultTarget();
    const auto program = survey(module, options, diagnostics);
    if (diagnostics.hasErrors() || program->kernels().empty())
        return nullptr;
    TraceRequest request;
    request.kernel = program->kernels().front().name;
    return trace(*program, request, options, diagnostics).function;
}

}  // namespace tw::staging
