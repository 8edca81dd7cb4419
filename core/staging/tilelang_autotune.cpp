// tilelang.autotune and AutoTuner: a kernel's configurations.
#include <algorithm>
#include <tuple>

#include <fmt/ranges.h>

#include "core/staging/builtins.h"
#include "core/staging/kernel_value.h"
#include "core/staging/library.h"
#include "core/staging/text.h"

namespace tw::staging {
namespace {

using Args = const CallArguments&;

std::vector<std::string> parameterNames(const KernelValue& kernel)
{
    std::vector<std::string> names;
    if (kernel.python && kernel.python->def)
        for (const auto& parameter : kernel.python->def->parameters)
            names.push_back(parameter.name.text);
    return names;
}

bool takesAnyKeyword(const KernelValue& kernel)
{
    const auto& parameters = kernel.python->def->parameters;
    return std::any_of(parameters.begin(), parameters.end(),
                       [](const auto& p) { return p.kind == syntax::Parameter::Kind::kDoubleStar; });
}

constexpr std::size_t kMostConfigs = 10'000;
constexpr const char* kOpenConfigs = "configs";  // of a kernel whose configurations are not known before it is called

void addConfigs(Interpreter& in, KernelValue& kernel, Value configs, const SourceRange& range)
{
    if (configs.object<FunctionValue>() || configs.object<const BoundMethod>()) {
        // Called with the kernel's arguments when it is tuned; the defaults stand for them here.
        if (const auto* function = configs.object<FunctionValue>(); function && function->def &&
            std::any_of(function->def->parameters.begin(), function->def->parameters.end(), [](const auto& p) {
                return (!p.defaultValue && p.kind == syntax::Parameter::Kind::kNormal) || p.kind == syntax::Parameter::Kind::kStar;
            })) {
            kernel.options.emplace_back(kOpenConfigs, configs);
            return;
        }
        configs = in.call(configs, {}, range);
    }
    if (const auto* opaque = configs.object<const OpaqueValue>()) {
        for (const Value& one : opaque->choices)  // a condition that nobody knows: the lists of all its arms
            if (one.object<ListValue>() || one.object<const TupleValue>())
                addConfigs(in, kernel, one, range);
        if (kernel.configs.empty())
            kernel.options.emplace_back(kOpenConfigs, configs);
        return;
    }
    const auto names = parameterNames(kernel);
    const std::vector<Value> all = in.iterate(configs, range);
    if (all.empty())
        in.diagnostics().warning(Code::kTunable, range, fmt::format("the list of configurations of `{}` is empty: there is nothing to tune", kernel.name));
    for (const Value& one : all) {
        const Value data = underlying(one);
        const auto* dict = data.object<DictValue>();
        if (!dict) {
            if (isOpaque(data))
                continue;
            in.fail(Code::kTypeMismatch, range, fmt::format("a configuration is a dict of parameter values, not {}", typeName(one)));
        }
        std::map<std::string, Value> config;
        for (const auto& [key, value] : dict->items) {
            const std::string name = plainText(key);
            if (name == "pass_configs" || name.starts_with("__"))
                continue;
            if (std::find(names.begin(), names.end(), name) == names.end() && !takesAnyKeyword(kernel)) {
                const std::string near = nearestName(name, names);
                in.fail(Code::kTunable, range,
                        fmt::format("the configuration key `{}` is no parameter of `{}`{}", name, kernel.name,
                                    near.empty() ? fmt::format("; its parameters are {}", fmt::join(names, ", "))
                                                 : fmt::format("; did you mean `{}`?", near)));
            }
            config[name] = value;
        }
        if (kernel.configs.size() == kMostConfigs)
            in.fail(Code::kTunable, range, fmt::format("there are more than {} configurations; nobody can try that many", kMostConfigs));
        kernel.configs.push_back(std::move(config));
    }
}

Value tuned(Interpreter& in, const Value& target, const Value& configs, const SourceRange& configRange, const SourceRange& range,
            bool isDecorator)
{
    Value value = target;
    if (isDecorator && target.object<FunctionValue>())
        in.fail(Code::kStructure, range, "`tilelang.autotune` decorates a kernel: put it above @tilelang.jit");
    if (target.object<FunctionValue>())
        value = plainFactory(in, target, range);
    auto* kernel = value.object<KernelValue>();
    if (!kernel || !kernel->python || !kernel->python->def)
        in.fail(Code::kTypeMismatch, range, "`tilelang.autotune` decorates a kernel: put it above @tilelang.jit");
    addConfigs(in, *kernel, configs, configRange);
    return value;
}

}  // namespace

namespace {

// Configurations that only the call decides.
void findConfigs(Interpreter& in, KernelValue& kernel, const Value& open, const CallArguments& arguments)
{
    DiagnosticSink silent;
    DiagnosticSink* const before = in.diagnosticsTarget();
    in.setDiagnostics(&silent);
    try {
        const Value configs = isOpaque(open) ? open : in.call(open, arguments);
        const auto* opaque = configs.object<const OpaqueValue>();
        if (!opaque || !opaque->choices.empty())
            addConfigs(in, kernel, configs, arguments.call);
    } catch (const StagingStop& stop) {
        in.setDiagnostics(before);
        if (stop.fatal)
            throw;
    }
    in.setDiagnostics(before);
}

}  // namespace

CallArguments tunedArguments(Interpreter& in, KernelValue& kernel, const CallArguments& arguments)
{
    const auto open = std::ranges::find(kernel.options, kOpenConfigs, [](const auto& option) { return option.first; });
    const bool isOpen = open != kernel.options.end();
    if (isOpen && kernel.configs.empty())
        findConfigs(in, kernel, open->second, arguments);
    if (!isOpen && kernel.configs.empty())
        return arguments;
    CallArguments out = arguments;
    auto left = std::ranges::count_if(arguments.items, [](const auto& a) { return a.keyword.empty(); });
    const auto& parameters = kernel.python->def->parameters;
    bool isTuned = true;  // unless the caller sets a tuned parameter
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        using Kind = syntax::Parameter::Kind;
        const auto& [name, kind] = std::tie(parameters[i].name.text, parameters[i].kind);
        const bool isGiven = (kind == Kind::kNormal && left-- > 0) || keyword(arguments, name) != nullptr;
        const auto& fallback = kernel.python->defaults[i];
        if (isGiven || kind == Kind::kStar || kind == Kind::kDoubleStar) {
            isTuned = isTuned && !(isGiven && !kernel.configs.empty() && kernel.configs.front().contains(name));
        } else if (kernel.configs.empty() && (!fallback || fallback->isNone())) {
            out.items.push_back({name, std::make_shared<Value>(makeOpaque(name)), arguments.call});
        } else if (!kernel.configs.empty() && !fallback && isTuned && kernel.configs.front().contains(name)) {
            out.items.push_back({name, std::make_shared<Value>(kernel.configs.front().at(name)), arguments.call});
        }
    }
    return out;
}

[[noreturn]] static void failNoConfigs(Interpreter& in, Args a)
{
    for (const CallArgument& argument : a.items)
        if (nearestName(argument.keyword, {"configs"}) == "configs")
            in.fail(Code::kCallArguments, argument.range,
                    fmt::format("`tilelang.autotune` has no argument `{}`; did you mean `configs`?", argument.keyword));
    in.fail(Code::kCallArguments, a.call, "`tilelang.autotune` needs `configs`: a list of dicts of parameter values");
}

Value autotune(Interpreter& in, Args a)
{
    const auto bound = in.bind(
        "func=None, *, configs=None, warmup=25, rep=100, timeout=100, supply_type=None, ref_prog=None, supply_prog=None, "
        "rtol=0, atol=0, max_mismatched_ratio=0, skip_check=False, manual_check_prog=None, cache_input_tensors=False, "
        "do_not_specialize=None, early_stop=False, early_stop_factor=2, **others",
        a, "tilelang.autotune");
    if (!bound.has("configs"))
        failNoConfigs(in, a);
    const Value configs = bound["configs"];
    const SourceRange where = bound.range("configs");
    if (bound.has("func") && !bound["func"].isNone())
        return tuned(in, bound["func"], configs, where, a.call, false);
    return native("autotune", [configs, where](Interpreter& inner, Args b) {
        return tuned(inner, positional(inner, b, "autotune", 1, 1)[0], configs, where, b.call, true);
    });
}

// AutoTuner.from_kernel(kernel=factory, configs=…).set_compile_args(…).run(): the factory is a kernel with configurations;
// what tuning measures is not known.
Value autoTuner()
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "AutoTuner";
    module->names = {"from_kernel"};
    module->attribute = [](Evaluator&, const std::string& name) -> std::optional<Value> {
        if (name != "from_kernel")
            return makeOpaque("tilelang.AutoTuner." + name);
        return native(name, [](Interpreter& in, Args a) -> Value {
            const auto bound = in.bind("kernel, configs=None", a, "AutoTuner.from_kernel");
            if (bound["kernel"].object<FunctionValue>() || bound["kernel"].object<KernelValue>())
                tuned(in, bound["kernel"], bound["configs"], bound.range("configs"), a.call, false);
            return makeOpaque("tilelang.AutoTuner");
        });
    };
    return module;
}

}  // namespace tw::staging
