// The modules of the dialect: tilelang.language and its satellites.
#include "core/staging/trace/module.h"

#include <set>

#include <fmt/format.h>

#include "core/staging/trace/layouts.h"
#include "core/staging/trace/native.h"
#include "core/target/target.h"

namespace tw::staging {

namespace {

Value warpPolicy()
{
    auto type = std::make_shared<ClassValue>();
    type->name = "GemmWarpPolicy";
    type->attributes["Square"] = Value(0);
    type->attributes["FullRow"] = Value(1);
    type->attributes["FullCol"] = Value(2);
    type->construct = [](Evaluator& ev, const CallArguments& call) { return ev.bind("value", call, "T.GemmWarpPolicy")["value"]; };
    return Value(std::move(type));
}

Value dtypeClass()
{
    auto type = std::make_shared<ClassValue>();
    type->name = "dtype";
    type->construct = [](Evaluator& ev, const CallArguments& call) {
        const auto bound = ev.bind("value", call, "T.dtype");
        if (bound["value"].object<const OpaqueValue>())
            return bound["value"];
        return Value(requireDType(ev, bound["value"], call.call));
    };
    return Value(std::move(type));
}

const std::vector<std::string>& rowNames()
{
    static const auto kNames = [] {
        std::vector<std::string> names;
        for (const Rows rows : {allocationRows(), launchRows(), loopRows(), copyRows(), productRows(), reductionRows(), atomicRows(), mathRows(),
                                castRows(), memoryRows(), warpRows(), barrierRows(), annotationRows(), debugRows(), layoutRows(), declarationRows(),
                                scheduleRows()})
            for (const auto& row : rows)
                names.emplace_back(row.name);
        return names;
    }();
    return kNames;
}

std::optional<Value> languageName(const std::string& name)
{
    if (auto type = tensorClass(name))
        return type;
    if (const auto* row = findRow(name))
        return nativeValue(*row);
    const auto& types = ir::exportedDTypeNames();
    if (std::find(types.begin(), types.end(), name) != types.end())
        return Value(*ir::parseDType(name));
    if (name == "GemmWarpPolicy")
        return warpPolicy();
    if (name == "dtype")
        return dtypeClass();
    if (name == "handle")
        return Value(ir::kHandle);
    if (name == "PersistentTileScheduler")
        return tileSchedulerClass();
    if (auto schedule = scheduleName(name))
        return schedule;
    return scriptName(name);
}

std::shared_ptr<ModuleValue> makeModule(std::string name, std::vector<std::string> names, std::function<std::optional<Value>(Evaluator&, const std::string&)> attribute)
{
    auto module = std::make_shared<ModuleValue>();
    module->name = std::move(name);
    module->names = std::move(names);
    module->attribute = std::move(attribute);
    return module;
}

Value native(const std::string& name, const char* signature, std::function<Value(Evaluator&, const BoundArguments&, const SourceRange&)> run)
{
    return makeNative(name, [name, signature, run = std::move(run)](Evaluator& ev, const CallArguments& call) {
        return run(ev, ev.bind(signature, call, name), call.call);
    });
}

// ---- tvm ----

std::optional<Value> scriptExpression(Evaluator&, const std::string& name)
{
    if (name == "const" || name == "IntImm" || name == "FloatImm") {
        const bool typeFirst = name != "const";
        return native(name, typeFirst ? "dtype, value" : "value, dtype='int32'", [](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            const auto type = a.has("dtype") ? requireDType(ev, a["dtype"], r) : a["value"].get<double>() ? ir::kFloat32 : ir::kInt32;
            return Value(toType(ev, type, a["value"], r));
        });
    }
    if (name == "Var" || name == "SizeVar")
        return native(name, "name, dtype='int32'", [](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
            const auto type = a.has("dtype") ? requireDType(ev, a["dtype"], r) : ir::kInt32;
            return Value(ir::Expr(std::make_shared<ir::VarNode>(type, requireString(ev, a["name"], r, "a name"))));
        });
    if (name == "all" || name == "any")
        return makeNative(name, [name](Evaluator& ev, const CallArguments& call) {
            ir::Expr result;
            for (const auto& item : call.items) {
                const auto one = toCondition(ev, *item.value, item.range);
                result = result ? ir::binary(name == "all" ? ir::BinaryOp::kAnd : ir::BinaryOp::kOr, result, one, provenance(ev, call.call)) : one;
            }
            return Value(result ? result : ir::boolImm(name == "all"));
        });
    if (name == "PrimExpr" || name == "Buffer" || name == "BufferLoad" || name == "BufferRegion" || name == "PrimFunc")
        return makeOpaque("tvm.tirx." + name);
    return languageName(name);
}

std::shared_ptr<ModuleValue> tirModule(const std::string& name)
{
    auto names = rowNames();
    for (const char* extra : {"const", "IntImm", "FloatImm", "Var", "all", "any"})
        names.emplace_back(extra);
    return makeModule(name, std::move(names), scriptExpression);
}

std::shared_ptr<ModuleValue> tvmModule()
{
    return makeModule("tvm", {"tir", "tirx", "DataType"}, [](Evaluator&, const std::string& name) -> std::optional<Value> {
        if (name == "tir" || name == "tirx")
            return Value(tirModule("tvm." + name));
        if (name == "DataType")
            return dtypeClass();
        return makeOpaque("tvm." + name);
    });
}

// ---- device queries ----

Value driver()
{
    return Value(makeModule("tilelang.carver.arch.driver", {"get_num_sms"}, [](Evaluator&, const std::string& name) -> std::optional<Value> {
        if (name == "get_num_sms")
            return native(name, "device=0", [](Evaluator& ev, const BoundArguments&, const SourceRange&) { return Value(ev.target().multiprocessors); });
        if (name == "get_shared_memory_per_block" || name == "get_max_dynamic_shared_size_bytes")
            return native(name, "device=0, format='bytes'", [](Evaluator& ev, const BoundArguments&, const SourceRange&) { return Value(ev.target().sharedBytesPerBlock); });
        return makeOpaque("tilelang.carver.arch.driver." + name);
    }));
}

std::shared_ptr<ModuleValue> archModule(const std::string& name)
{
    return makeModule(name, {"driver", "CUDA"}, [name](Evaluator&, const std::string& member) -> std::optional<Value> {
        if (member == "driver")
            return driver();
        if (member == "get_num_sms")
            return native(member, "device=0", [](Evaluator& ev, const BoundArguments&, const SourceRange&) { return Value(ev.target().multiprocessors); });
        return makeOpaque(name + "." + member);
    });
}

// Elements of the operand that one word of 2:4 metadata describes: four bits a group of two (32-bit types) or four elements.
std::shared_ptr<ModuleValue> sparseLayoutModule(const std::string& name)
{
    constexpr int kBitsPerGroup = 4;
    return makeModule(name, {"get_e_factor", "get_e_replicate_factor"}, [](Evaluator&, const std::string& member) -> std::optional<Value> {
        if (member == "get_e_factor")
            return native(member, "a_dtype, meta_dtype", [](Evaluator& ev, const BoundArguments& args, const SourceRange&) {
                const int group = requireDType(ev, args["a_dtype"], args.range("a_dtype")).bits() >= 32 ? 2 : 4;
                return Value(requireDType(ev, args["meta_dtype"], args.range("meta_dtype")).bits() / kBitsPerGroup * group);
            });
        if (member == "get_e_replicate_factor")
            return native(member, "a_dtype", [](Evaluator& ev, const BoundArguments& args, const SourceRange&) {
                return Value(requireDType(ev, args["a_dtype"], args.range("a_dtype")).bits() <= 8 ? 1 : 2);
            });
        return std::nullopt;
    });
}

// ---- instrumentation: no effect on values ----

Value silentContext()
{
    ContextValue context;
    context.name = "iket";
    context.enter = [](Evaluator&, const SourceRange&) { return Value(); };
    context.leave = [](Evaluator&) {};
    context.isDeviceScope = false;
    return Value(std::make_shared<const ContextValue>(std::move(context)));
}

std::shared_ptr<ModuleValue> iketModule(const std::string& name)
{
    return makeModule(name, {"range", "mark", "payload"}, [](Evaluator&, const std::string& member) -> std::optional<Value> {
        if (member == "range")
            return native(member, "name, payload=None, **kwargs", [](Evaluator&, const BoundArguments&, const SourceRange&) { return silentContext(); });
        if (member == "mark" || member == "payload")
            return native(member, "*args, **kwargs", [](Evaluator&, const BoundArguments&, const SourceRange&) { return Value(); });
        return std::nullopt;
    });
}

// ---- layouts, instruction emitters ----

std::shared_ptr<ModuleValue> layoutModule(const std::string& name)
{
    auto names = layoutHelperNames();
    names.emplace_back("Layout");
    names.emplace_back("Fragment");
    return makeModule(name, std::move(names), [name](Evaluator&, const std::string& member) -> std::optional<Value> {
        if (member == "Layout" || member == "Fragment" || member == "PartialFragment")
            return nativeValue(*findRow(member));
        if (auto helper = layoutHelper(member))
            return helper;
        if (member.find("Emitter") != std::string::npos)
            return makeNative(member, [member](Evaluator& ev, const CallArguments& call) -> Value {
                ev.fail(Code::kNotSupported, call.call, fmt::format("known TileLang name, not supported: {}", member));
            });
        return std::nullopt;
    });
}

}  // namespace

std::shared_ptr<ModuleValue> makeTileLanguageModule()
{
    auto names = rowNames();
    const auto& types = ir::exportedDTypeNames();
    names.insert(names.end(), types.begin(), types.end());
    for (const char* extra : {"GemmWarpPolicy", "dtype", "PersistentTileScheduler", "WSID", "WSSync", "WSScope"})
        names.emplace_back(extra);
    for (auto& name : scriptNames())
        names.push_back(std::move(name));
    return makeModule("tilelang.language", std::move(names), [](Evaluator&, const std::string& name) { return languageName(name); });
}

std::shared_ptr<ModuleValue> makeTileModule(const std::string& name)
{
    if (name == "tilelang.cuda.intrinsics.sparse_layout")
        return sparseLayoutModule(name);
    static const std::set<std::string, std::less<>> kLayoutModules = {
        "tilelang.layout", "tilelang.language.layout", "tilelang.cuda.layout", "tilelang.intrinsics", "tilelang.intrinsics.mma_layout",
        "tilelang.intrinsics.mma_macro_generator", "tilelang.cuda.intrinsics", "tilelang.cuda.intrinsics.layout", "tilelang.cuda.intrinsics.layout.mma_layout",
        "tilelang.cuda.intrinsics.macro", "tilelang.cuda.intrinsics.macro.mma_macro_generator", "tilelang.cuda.language.intrinsics"};
    if (kLayoutModules.contains(name))
        return layoutModule(name);
    if (name == "tvm" || name == "tilelang.tvm")
        return tvmModule();
    if (name == "tvm.tirx" || name == "tvm.tir" || name == "tilelang.tvm.tirx" || name == "tilelang.tvm.tir")
        return tirModule(name);
    if (name == "tilelang.carver.arch" || name == "tilelang.carver.arch.driver" || name == "tilelang.utils.device")
        return name == "tilelang.carver.arch.driver" ? *driver().get<std::shared_ptr<ModuleValue>>() : archModule(name);
    if (name == "tilelang.tools.cuda.iket" || name == "tilelang.tools.iket")
        return iketModule(name);
    if (name == "tw")
        return makeReservedModule();
    return nullptr;
}

}  // namespace tw::staging
