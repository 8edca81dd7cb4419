// The package `tilelang` outside kernels: decorators, compilation, small helpers. Tuning: tilelang_autotune.cpp.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/containers.h"
#include "core/staging/kernel_host.h"
#include "core/staging/library.h"
#include "core/staging/text.h"
#include "core/staging/trace/tracer.h"
#ifdef TW_WITH_ARRAY
#include "core/staging/array/array_tracer.h"
#endif

namespace tw::staging {
namespace {

using Args = const CallArguments&;

constexpr const char* kJitSignature =
    "func=None, *, out_idx=None, target=None, target_host=None, execution_backend=None, verbose=None, pass_configs=None, "
    "debug_root_path=None, compile_flags=None, debug=None, workspace_idx=None";
constexpr const char* kCompileSignature =
    "func, out_idx=None, execution_backend=None, target=None, target_host=None, verbose=None, pass_configs=None, "
    "compile_flags=None, options=None, workspace_idx=None";

void takeOptions(KernelValue& kernel, const BoundArguments& bound)
{
    for (const char* name : {"out_idx", "target", "pass_configs", "compile_flags", "options"}) {
        if (!bound.has(name) || bound[name].isNone())
            continue;
        kernel.options.emplace_back(name, bound[name]);
        kernel.optionRanges[name] = bound.range(name);
    }
}

// ---- jit --------------------------------------------------------------------------------------------------------------

Value makeFactory(Interpreter& in, const Value& function, const BoundArguments& options, const SourceRange& range)
{
    if (const auto* tuned = function.get<std::shared_ptr<KernelValue>>()) {  // @jit above @autotune, or of a prim_func
        takeOptions(**tuned, options);
        return function;
    }
    const auto* python = function.get<std::shared_ptr<FunctionValue>>();
    if (!python)
        in.fail(Code::kTypeMismatch, range, fmt::format("`tilelang.jit` decorates a function, not {}", typeName(function)));
    auto kernel = std::make_shared<KernelValue>();
    kernel->kind = KernelValue::Kind::kFactory;
    kernel->name = (*python)->name;
    kernel->range = (*python)->range;
    kernel->python = *python;
    takeOptions(*kernel, options);
    in.host().kernelDefined(kernel);
    return kernel;
}

Value jit(Interpreter& in, Args a)
{
    const auto bound = in.bind(kJitSignature, a, "tilelang.jit");
    if (bound.has("func") && !bound["func"].isNone())
        return makeFactory(in, bound["func"], bound, a.call);
    return native("jit", [bound](Interpreter& inner, Args b) {
        return makeFactory(inner, positional(inner, b, "tilelang.jit", 1, 1)[0], bound, b.call);
    });
}

// ---- compile ----------------------------------------------------------------------------------------------------------

void noteSymbolic(KernelValue& kernel)
{
#ifdef TW_WITH_ARRAY
    kernel.symbolic = symbolicExtents(*kernel.python);
#else
    (void)kernel;
#endif
}

Value compileKernel(Interpreter& in, Args a)
{
    const auto bound = in.bind(kCompileSignature, a, "tilelang.compile");
    const Value& target = bound["func"];
    if (isOpaque(target))
        return target;
    std::shared_ptr<KernelValue> origin;
    if (const auto* kernel = target.get<std::shared_ptr<KernelValue>>()) {
        origin = *kernel;
    } else if (const auto* function = target.get<std::shared_ptr<FunctionValue>>()) {
        origin = std::make_shared<KernelValue>();  // a plain function: the array dialect
        origin->kind = KernelValue::Kind::kArray;
        origin->name = (*function)->name;
        origin->range = (*function)->range;
        origin->python = *function;
        noteSymbolic(*origin);
        in.host().kernelDefined(origin);
    } else {
        in.fail(Code::kTypeMismatch, bound.range("func"), fmt::format("`tilelang.compile` takes a kernel, not {}", typeName(target)));
    }
    auto compiled = std::make_shared<KernelValue>();
    compiled->kind = KernelValue::Kind::kCompiled;
    compiled->name = origin->name;
    compiled->range = origin->range;
    compiled->python = origin->python;
    compiled->function = origin->function;
    compiled->origin = origin;
    compiled->entry = origin->entry;
    takeOptions(*compiled, bound);
    return in.host().kernelCompiled(compiled, a);
}

Value parCompile(Interpreter& in, Args a)
{
    std::vector<Value> out;
    for (const Value& one : in.iterate(*a.items.at(0).value, a.call)) {
        CallArguments each = a;
        each.items[0].value = std::make_shared<Value>(one);
        std::erase_if(each.items, [](const CallArgument& item) { return item.keyword == "num_workers" || item.keyword == "ignore_error"; });
        out.push_back(compileKernel(in, each));
    }
    return makeList(std::move(out));
}

// ---- small helpers ----------------------------------------------------------------------------------------------------

Value cdiv(Interpreter& in, Args a)
{
    const auto args = positional(in, a, "tilelang.cdiv", 2, 2);
    if (isDevice(args[0]) || isDevice(args[1])) {
        const auto language = makeTileLanguageModule();
        return in.call(*language->attribute(in, "ceildiv"), a);
    }
    const Value negated = in.unary(syntax::UnaryOp::kNegate, args[0], a.call);
    return in.unary(syntax::UnaryOp::kNegate, in.binary(syntax::BinaryOp::kFloorDiv, negated, args[1], a.call), a.call);
}

Value nextPowerOf2(Interpreter& in, Args a)
{
    const Value v = positional(in, a, "tilelang.next_power_of_2", 1, 1)[0];
    if (isOpaque(v))
        return v;
    const Integer n = integerArgument(in, v, a.call, "the argument of next_power_of_2");
    Integer power = 1;
    while (power < n)
        power *= 2;
    return Value(power);
}

Value passConfigKeys()
{
    auto module = std::make_shared<ModuleValue>();
    module->name = "PassConfigKey";
    module->names = passConfigNames();
    module->attribute = [](Evaluator&, const std::string& name) -> std::optional<Value> {
        const auto key = passConfigKey(name);
        return key ? std::optional(Value(*key)) : std::nullopt;
    };
    return module;
}

// An enumeration or object whose members say nothing about kernels.
Value anyMembers(const std::string& name)
{
    auto module = std::make_shared<ModuleValue>();
    module->name = name;
    module->attribute = [name](Evaluator&, const std::string& member) { return makeOpaque("tilelang." + name + "." + member); };
    return module;
}

Value identityDecorator()
{
    return native("decorator", [](Interpreter&, Args a) { return a.items.empty() ? Value() : *a.items[0].value; });
}

// @tl.kernel: the array dialect.
Value arrayKernel(Interpreter& in, Args a)
{
    if (a.items.empty() || !a.items[0].value->object<FunctionValue>())
        return native("kernel", arrayKernel);
    auto kernel = std::make_shared<KernelValue>();
    kernel->kind = KernelValue::Kind::kArray;
    kernel->python = *a.items[0].value->get<std::shared_ptr<FunctionValue>>();
    kernel->name = kernel->python->name;
    kernel->range = kernel->python->range;
    noteSymbolic(*kernel);
    in.host().kernelDefined(kernel);
    return kernel;
}

const std::map<std::string, Value>& members()
{
    static const std::map<std::string, Value> kMembers = {
        {"jit", native("jit", jit)}, {"autotune", native("autotune", autotune)}, {"compile", native("compile", compileKernel)},
        {"par_compile", native("par_compile", parCompile)}, {"kernel", native("kernel", arrayKernel)},
        {"lower", native("lower", [](Interpreter&, Args) { return makeOpaque("tilelang.lower"); })},
        {"cdiv", native("cdiv", cdiv)}, {"next_power_of_2", native("next_power_of_2", nextPowerOf2)},
        {"PassConfigKey", passConfigKeys()}, {"TensorSupplyType", anyMembers("TensorSupplyType")},
        {"AutoTuner", autoTuner()}, {"simplify_prim_func", identityDecorator()},
        {"set_log_level", native("set_log_level", [](Interpreter&, Args) { return Value(); })},
        {"disable_cache", native("disable_cache", [](Interpreter&, Args) { return Value(); })},
        {"enable_cache", native("enable_cache", [](Interpreter&, Args) { return Value(); })},
        {"__version__", Value("0.1.13")}};
    return kMembers;
}

std::optional<Value> arrayMember(Interpreter& in, const std::string& name)
{
#ifdef TW_WITH_ARRAY
    const auto module = makeArrayModule();
    if (module && module->attribute)
        return module->attribute(in, name);
#else
    (void)in;
    (void)name;
#endif
    return std::nullopt;
}

std::optional<Value> rootMember(Interpreter& in, const std::string& name)
{
    if (const auto it = members().find(name); it != members().end())
        return it->second;
    if (name == "language" || name == "transform" || name == "autotuner" || name == "math" || name == "utils" || name == "testing" ||
        name == "profiler" || name == "carver" || name == "layout" || name == "intrinsics" || name == "jit_module" ||
        name == "env" || name == "tvm" || name == "backend" || name == "engine" || name == "quantize")
        return in.importModule(name == "tvm" ? "tvm" : "tilelang." + name, in.currentRange());
    if (name == "DataType")
        return makeNative("DataType", [](Evaluator& e, Args a) -> Value {
            const auto dtype = a.items.empty() ? std::nullopt : asDType(*a.items[0].value);
            if (!dtype)
                e.fail(Code::kTypeMismatch, a.call, "this is no dtype");
            return Value(*dtype);
        });
    return arrayMember(in, name);
}

// @tilelang.testing.requires_cuda, requires_cuda_compute_version(9): they keep what they decorate.
std::optional<Value> testingMember(const std::string& name)
{
    if (!name.starts_with("requires_"))
        return makeOpaque("tilelang.testing." + name);
    return native(name, [](Interpreter&, Args a) -> Value {
        if (!a.items.empty() && (a.items[0].value->object<FunctionValue>() || a.items[0].value->object<KernelValue>()))
            return *a.items[0].value;
        return identityDecorator();
    });
}

// determine_fp8_type("e4m3"): the platform's own fp8.
std::optional<Value> fp8Member(const std::string& name)
{
    if (!name.starts_with("determine_"))
        return std::nullopt;
    return native(name, [](Interpreter& in, Args a) -> Value {
        const auto bound = in.bind("fp8_format='e4m3'", a, "determine_fp8_type");
        const std::string format = bound.has("fp8_format") ? plainText(bound["fp8_format"]) : "e4m3";
        const bool isHip = in.target().kind == target::Kind::kHip;
        const auto dtype = ir::parseDType("float8_" + format + (isHip ? "fnuz" : format == "e4m3" ? "fn" : ""));
        return dtype ? Value(*dtype) : makeOpaque("fp8");
    });
}

std::optional<Value> driverMember(const std::string& name)
{
    if (name == "get_num_sms")
        return native(name, [](Interpreter& in, Args) -> Value {
            const auto& target = in.target().multiprocessors > 0 ? in.target() : target::defaultTarget();
            return Value(target.multiprocessors);
        });
    return makeOpaque("tilelang.carver.arch.driver." + name);
}

}  // namespace

Value plainFactory(Interpreter& in, const Value& function, const SourceRange& range)
{
    return makeFactory(in, function, in.bind(kJitSignature, CallArguments{{}, range, range}, "tilelang.jit"), range);
}

std::optional<std::string> passConfigKey(std::string_view member)
{
#define TW_PASS_CONFIG(name, text) \
    if (member == #name)           \
        return text;
#include "core/staging/pass_configs.def"
#undef TW_PASS_CONFIG
    return std::nullopt;
}

std::vector<std::string> passConfigNames()
{
    return {
#define TW_PASS_CONFIG(name, text) #name,
#include "core/staging/pass_configs.def"
#undef TW_PASS_CONFIG
    };
}

bool isPassConfigString(std::string_view key)
{
#define TW_PASS_CONFIG(name, text) \
    if (key == (text))             \
        return true;
#include "core/staging/pass_configs.def"
#undef TW_PASS_CONFIG
    return false;
}

namespace {

// A dict of torch's dtypes to TileLang's names of them.
std::optional<Value> torchTypeNames()
{
    const Value names = makeDict();
    for (const std::string& name : ir::exportedDTypeNames())
        if (const auto type = ir::parseDType(name); type && type->lanes == 1 && type->name() == name)
            dictSet(*names.object<DictValue>(), Value(*type), Value(name));
    return names;
}

}  // namespace

std::shared_ptr<ModuleValue> makeTilelangModule(Interpreter& interpreter, const std::string& name)
{
    auto module = std::make_shared<ModuleValue>();
    module->name = name;
    const auto only = [&](std::vector<std::string> names) {
        module->names = names;
        module->attribute = [names](Evaluator&, const std::string& member) -> std::optional<Value> {
            if (std::find(names.begin(), names.end(), member) != names.end())
                return members().at(member);
            return std::nullopt;
        };
        return module;
    };
    if (name == "tilelang") {
        for (const auto& [member, value] : members())
            module->names.push_back(member);
        module->names.push_back("language");
#ifdef TW_WITH_ARRAY
        const auto array = makeArrayModule();
        module->names.insert(module->names.end(), array->names.begin(), array->names.end());
#endif
        module->attribute = [&interpreter](Evaluator&, const std::string& member) { return rootMember(interpreter, member); };
        return module;
    }
    if (name == "tilelang.transform")
        return only({"PassConfigKey", "simplify_prim_func"});
    if (name == "tilelang.autotuner" || name == "tilelang.autotuner.tuner") {
        only({"autotune", "AutoTuner"});
        module->attribute = [inner = module->attribute](Evaluator& e, const std::string& member) -> std::optional<Value> {
            auto found = inner(e, member);
            return found ? found : makeOpaque("tilelang.autotuner." + member);
        };
        return module;
    }
    if (name == "tilelang.math")
        return only({"cdiv", "next_power_of_2"});
    if (name == "tilelang.language.fp8" || name == "tilelang.language.fp8_types") {
        module->attribute = [](Evaluator&, const std::string& member) { return fp8Member(member); };
        return module;
    }
    if (name == "tilelang.tileop.base" || name == "tilelang.language.dtypes" || name == "tilelang.language.v2.dtypes") {
        module->attribute = [](Evaluator& e, const std::string& member) {
            return member == "_TORCH_DTYPE_TO_STR" ? torchTypeNames() : makeTileLanguageModule()->attribute(e, member);
        };
        return module;
    }
    if (name == "tilelang.jit")
        return only({"jit", "compile", "par_compile"});
    if (name == "tilelang.testing")
        module->attribute = [](Evaluator&, const std::string& member) { return testingMember(member); };
    else if (name == "tilelang.carver.arch.driver")
        module->attribute = [](Evaluator&, const std::string& member) { return driverMember(member); };
    else if (name == "tilelang.profiler" || name == "tilelang.utils" || name == "tilelang.env" || name == "tilelang.backend" ||
             name == "tilelang.engine")
        module->attribute = [name](Evaluator&, const std::string& member) { return makeOpaque(name + "." + member); };
    else
        return nullptr;
    return module;
}

}  // namespace tw::staging
