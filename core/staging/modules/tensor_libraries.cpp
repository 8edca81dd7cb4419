// torch and numpy as kernel files use them: dtypes, tensors of a shape without data, questions about the device.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/staging/meta_tensor.h"
#include "core/staging/modules/helpers.h"
#include "core/staging/modules/modules.h"

namespace tw::staging {

namespace {

// Names under which the libraries export element types.
std::optional<ir::DType> dtypeName(const std::string& name)
{
    static const std::set<std::string> known = {"float16", "half",  "float32", "float", "single", "float64", "double", "bfloat16", "int8",
                                                "int16",   "short", "int32",   "int",   "intc",   "int64",   "long",   "uint8",    "uint16",
                                                "uint32",  "uint64", "bool",   "bool_", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
                                                "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"};
    if (!known.contains(name))
        return {};
    if (name == "bool_")
        return ir::kBool;
    if (name == "single")
        return ir::kFloat32;
    if (name == "intc")
        return ir::kInt32;
    if (name == "float4_e2m1fn_x2")
        return ir::kInt8;  // two values a byte
    return ir::parseDType(name);
}

// numpy's own defaults differ from torch's.
ir::DType defaultDType(const std::string& module, const std::string& maker)
{
    if (maker.starts_with("randint") || maker == "arange" || maker == "randperm" || maker == "integers")
        return ir::kInt64;
    return module == "torch" ? ir::kFloat32 : ir::kFloat64;
}

std::optional<ir::DType> dtypeArgument(const CallArguments& arguments)
{
    for (const CallArgument& a : arguments.items)
        if (a.keyword == "dtype" && !a.value->isNone())
            return wideDType(*a.value);
    return {};
}

// numpy's np.array(data, np.int32), np.full(shape, 0, np.int32): a type that stands last. torch has it by name only.
std::optional<ir::DType> lastDType(const std::string& module, std::vector<Value>& given)
{
    if (module == "torch" || given.size() < 2 || asInteger(given.back()))
        return {};
    const auto dtype = wideDType(given.back());
    if (dtype)
        given.pop_back();
    return dtype;
}

const Value* keywordOf(const CallArguments& arguments, std::initializer_list<std::string_view> names)
{
    for (const CallArgument& a : arguments.items)
        if (!a.keyword.empty() && std::find(names.begin(), names.end(), a.keyword) != names.end())
            return a.value.get();
    return nullptr;
}

std::vector<Value> positionalOf(const CallArguments& arguments)
{
    std::vector<Value> values;
    for (const CallArgument& a : arguments.items)
        if (a.keyword.empty())
            values.push_back(*a.value);
    return values;
}

// (M, N), [M, N], M, N or N alone.
std::vector<Value> shapeOf(Evaluator& evaluator, const std::vector<Value>& given, const SourceRange& range)
{
    if (given.size() == 1 && !asInteger(given[0]) && !given[0].object<const OpaqueValue>())
        return evaluator.iterate(given[0], range);
    return given;
}

Value metaTensor(std::vector<Value> shape, std::optional<ir::DType> dtype, std::string path)
{
    auto tensor = std::make_shared<MetaTensor>();
    tensor->shape = std::move(shape);
    tensor->dtype = dtype;
    tensor->path = std::move(path);
    return std::shared_ptr<const MetaTensor>(tensor);
}

// torch.randint(low, high, size), torch.full(size, value), … : which positional arguments are the shape.
enum class ShapeAt { kAll, kFirst, kLast, kLike, kRange, kSquare, kData };

std::optional<ShapeAt> makerOf(const std::string& name)
{
    static const std::map<std::string, ShapeAt> makers = {
        {"randn", ShapeAt::kAll},      {"rand", ShapeAt::kAll},        {"random.randn", ShapeAt::kAll},
        {"random.rand", ShapeAt::kAll}, {"empty", ShapeAt::kAll},       {"zeros", ShapeAt::kAll},
        {"ones", ShapeAt::kAll},       {"full", ShapeAt::kFirst},      {"randint", ShapeAt::kLast},
        {"random.randint", ShapeAt::kLast}, {"random.standard_normal", ShapeAt::kFirst}, {"random.random", ShapeAt::kFirst},
        {"random.random_sample", ShapeAt::kFirst}, {"random.normal", ShapeAt::kLast}, {"random.uniform", ShapeAt::kLast},
        {"normal", ShapeAt::kLast},    {"standard_normal", ShapeAt::kFirst}, {"random", ShapeAt::kFirst},
        {"integers", ShapeAt::kLast},  {"uniform", ShapeAt::kLast},    {"choice", ShapeAt::kLast},
        {"empty_like", ShapeAt::kLike}, {"zeros_like", ShapeAt::kLike}, {"ones_like", ShapeAt::kLike},
        {"randn_like", ShapeAt::kLike}, {"rand_like", ShapeAt::kLike},  {"full_like", ShapeAt::kLike},
        {"arange", ShapeAt::kRange},   {"randperm", ShapeAt::kRange},  {"eye", ShapeAt::kSquare},
        {"identity", ShapeAt::kSquare}, {"tensor", ShapeAt::kData},     {"array", ShapeAt::kData},
        {"asarray", ShapeAt::kData},   {"as_tensor", ShapeAt::kData},
    };
    const auto found = makers.find(name);
    return found == makers.end() ? std::nullopt : std::optional(found->second);
}

// np.random.normal(0, 1, (4, 5)) and torch.normal(0, 1, size=(4, 5)): numpy's and torch's names for the shape.
std::vector<Value> lastShape(Evaluator& evaluator, const CallArguments& arguments, const std::vector<Value>& given)
{
    if (const Value* size = keywordOf(arguments, {"size"}))
        return shapeOf(evaluator, {*size}, arguments.call);
    for (auto it = given.rbegin(); it != given.rend(); ++it)
        if (it->object<const TupleValue>() || it->object<ListValue>())
            return evaluator.iterate(*it, arguments.call);
    if (given.size() >= 3)
        return {given.back()};
    return {};
}

Value rangeTensor(Evaluator& evaluator, const std::vector<Value>& given, std::optional<ir::DType> dtype, const std::string& path,
                  const std::string& module, const SourceRange& range)
{
    std::vector<Integer> numbers;
    for (const Value& v : given) {
        const auto i = asInteger(v);
        if (!i)
            return metaTensor({makeOpaque(path)}, dtype ? dtype : (asNumber(v) ? std::optional(defaultDType(module, "rand")) : std::nullopt), path);
        numbers.push_back(*i);
    }
    static_cast<void>(evaluator);
    static_cast<void>(range);
    const Integer start = numbers.size() >= 2 ? numbers[0] : 0;
    const Integer stop = numbers.size() >= 2 ? numbers[1] : numbers.empty() ? 0 : numbers[0];
    const Integer step = numbers.size() >= 3 && numbers[2] != 0 ? numbers[2] : 1;
    const Integer span = step > 0 ? stop - start + step - 1 : start - stop - step - 1;
    const Integer count = std::max<Integer>(0, span / (step > 0 ? step : -step));
    return metaTensor({Value(count)}, dtype.value_or(ir::kInt64), path);
}

// torch.tensor([[1, 2], [3, 4]]): the shape of nested lists, the type of the first number.
void measureData(const Value& data, std::vector<Value>& shape, std::optional<ir::DType>& dtype, const std::string& module, int depth)
{
    const std::vector<Value>* items = nullptr;
    if (const auto* list = data.object<ListValue>())
        items = &list->items;
    else if (const auto* tuple = data.object<const TupleValue>())
        items = &tuple->items;
    if (items && depth < 16) {
        shape.emplace_back(static_cast<Integer>(items->size()));
        if (!items->empty())
            measureData(items->front(), shape, dtype, module, depth + 1);
        return;
    }
    if (dtype)
        return;
    if (data.get<bool>())
        dtype = ir::kBool;
    else if (data.get<Integer>())
        dtype = ir::kInt64;
    else if (data.get<double>())
        dtype = defaultDType(module, "rand");
}

Value makeFromData(const Value& data, std::optional<ir::DType> dtype, const std::string& module, const std::string& path)
{
    if (const auto* tensor = data.object<const MetaTensor>())
        return metaTensor(tensor->shape, dtype ? dtype : tensor->dtype, path);
    if (data.object<const OpaqueValue>() || data.object<IteratorValue>())
        return makeOpaque(path);
    std::vector<Value> shape;
    measureData(data, shape, dtype, module, 0);
    return metaTensor(std::move(shape), dtype, path);
}

Value maker(const std::string& module, const std::string& name, ShapeAt where)
{
    const std::string path = module + "." + name;
    return makeNative(name, [module, name, path, where](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        std::vector<Value> given = positionalOf(arguments);
        const auto last = lastDType(module, given);
        const auto dtype = last ? last : dtypeArgument(arguments);
        if (where == ShapeAt::kRange)
            return rangeTensor(evaluator, given, dtype, path, module, arguments.call);
        if (where == ShapeAt::kData)
            return given.empty() ? makeOpaque(path) : makeFromData(given[0], dtype, module, path);
        if (where == ShapeAt::kLike) {
            const auto* like = given.empty() ? nullptr : given[0].object<const MetaTensor>();
            return like ? metaTensor(like->shape, dtype ? dtype : like->dtype, path) : makeOpaque(path);
        }
        const auto type = dtype ? dtype : std::optional(defaultDType(module, name.substr(name.rfind('.') + 1)));
        if (where == ShapeAt::kLast)
            return metaTensor(lastShape(evaluator, arguments, given), type, path);
        if (where == ShapeAt::kSquare)
            return given.empty() ? makeOpaque(path) : metaTensor({given[0], given.size() > 1 ? given[1] : given[0]}, type, path);
        std::vector<Value> shape = given;
        if (const Value* size = keywordOf(arguments, {"size", "shape"}))
            shape = {*size};
        else if (where == ShapeAt::kFirst && !given.empty())
            shape = {given[0]};
        return metaTensor(shapeOf(evaluator, shape, arguments.call), type, path);
    });
}

// Answers about the device come from the target that is compiled for, never from this machine (language.md f.6).
std::optional<Value> deviceQuery(const std::string& path)
{
    const auto native = [&](std::function<Value(Evaluator&)> f) {
        return makeNative(path, [f = std::move(f)](Evaluator& e, const CallArguments&) { return f(e); });
    };
    if (path == "cuda.is_available")
        return native([](Evaluator& e) -> Value { return e.target().kind != target::Kind::kMetal; });
    if (path == "cuda.device_count")
        return native([](Evaluator&) -> Value { return 1; });
    if (path == "cuda.current_device")
        return native([](Evaluator&) -> Value { return 0; });
    if (path == "cuda.get_device_capability")
        return native([](Evaluator& e) -> Value {
            const int compute = e.target().isCuda() ? e.target().compute : target::defaultTarget().compute;
            return makeTuple({compute / 10, compute % 10});
        });
    if (path == "cuda.get_device_name")
        return native([](Evaluator& e) -> Value { return e.target().name; });
    if (path == "cuda.get_device_properties")
        return native([](Evaluator& e) -> Value {
            const target::Target& t = e.target().isCuda() ? e.target() : target::defaultTarget();
            auto properties = std::make_shared<InstanceValue>();
            properties->type = std::make_shared<ClassValue>();
            properties->type->name = "_CudaDeviceProperties";
            properties->attributes = {{"major", t.compute / 10},
                                      {"minor", t.compute % 10},
                                      {"multi_processor_count", t.multiprocessors},
                                      {"name", t.name},
                                      {"warp_size", t.warpSize},
                                      {"max_threads_per_multi_processor", t.maxThreadsPerMultiprocessor},
                                      {"shared_memory_per_multiprocessor", static_cast<Integer>(t.sharedBytesPerMultiprocessor)},
                                      {"shared_memory_per_block_optin", static_cast<Integer>(t.sharedBytesPerBlock)}};
            return properties;
        });
    if (path == "version.hip")
        return Value();
    if (path == "version.cuda")
        return Value("13.0");
    return {};
}

// A sub-module that answers by longer paths ("cuda" of torch.cuda.is_available).
Value subModule(const std::string& module, const std::string& path)
{
    auto value = std::make_shared<ModuleValue>();
    value->name = module + "." + path;
    value->attribute = [module, path](Evaluator&, const std::string& name) { return tensorLibraryMember(module, path + "." + name); };
    return value;
}

// np.random.default_rng(0): an object whose methods make tensors.
Value generatorMaker(const std::string& module)
{
    return makeNative("default_rng", [module](Evaluator&, const CallArguments&) -> Value {
        auto generator = std::make_shared<ModuleValue>();
        generator->name = module + ".random.Generator";
        generator->attribute = [module](Evaluator&, const std::string& name) -> std::optional<Value> {
            if (const auto where = makerOf(name))
                return maker(module, name, *where);
            return makeOpaque(module + ".random.Generator." + name);
        };
        return generator;
    });
}

bool isNumbers(const Value& value)
{
    const auto* list = value.object<ListValue>();
    const auto* tuple = value.object<const TupleValue>();
    if (!list && !tuple)
        return asNumber(value).has_value();
    const auto& items = list ? list->items : tuple->items;
    return std::all_of(items.begin(), items.end(), [](const Value& item) { return asNumber(item).has_value(); });
}

// numpy's functions on plain numbers are arithmetic (scale = 1 / np.sqrt(D)); on anything else they stay foreign.
std::optional<Value> numberFunction(const std::string& name)
{
    static const std::set<std::string> fromMath = {"sqrt", "cbrt", "exp", "exp2", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
                                                   "tanh", "ceil", "floor", "trunc", "hypot", "gcd", "lcm", "prod"};
    static const std::map<std::string, std::string> builtins = {
        {"abs", "abs"}, {"absolute", "abs"}, {"maximum", "max"}, {"minimum", "min"}, {"max", "max"}, {"min", "min"}, {"sum", "sum"}, {"power", "pow"}};
    const auto builtin = builtins.find(name);
    if (!fromMath.contains(name) && builtin == builtins.end())
        return {};
    const std::string own = builtin == builtins.end() ? "" : builtin->second;
    return makeNative(name, [name, own](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const bool known = !arguments.items.empty() && std::all_of(arguments.items.begin(), arguments.items.end(), [](const CallArgument& a) {
            return a.keyword.empty() && isNumbers(*a.value);
        });
        if (!known)
            return evaluator.call(makeOpaque("numpy." + name), arguments);
        const Value result = evaluator.call(own.empty() ? *mathMember(name) : evaluator.builtinFunction(own), arguments);
        const bool isFloat = name == "ceil" || name == "floor" || name == "trunc";  // where math gives an int
        return isFloat ? Value(*asNumber(result)) : result;
    });
}

}  // namespace

std::optional<Value> tensorLibraryMember(const std::string& module, const std::string& path)
{
    if (const auto dtype = dtypeName(path))
        return Value(*dtype);
    if (auto answer = deviceQuery(path))
        return answer;
    if (const auto where = makerOf(path))
        if (path != "random" && path != "choice" && path != "integers" && path != "uniform" && path != "standard_normal")
            return maker(module, path, *where);
    if (path == "random.default_rng")
        return generatorMaker(module);
    if (path == "inf")
        return Value(std::numeric_limits<double>::infinity());
    if (path == "nan")
        return Value(std::numeric_limits<double>::quiet_NaN());
    if (module != "torch") {
        if (path == "pi" || path == "e")
            return mathMember(path);
        if (path == "newaxis")
            return Value();
    }
    if (path == "__getattribute__")
        return makeNative(path, [module](Evaluator& evaluator, const CallArguments& arguments) -> Value {
            const std::string* name = arguments.items.size() == 1 ? arguments.items[0].value->str() : nullptr;
            const auto* type = arguments.items.size() == 1 ? arguments.items[0].value->get<ir::DType>() : nullptr;
            const auto found = name ? tensorLibraryMember(module, *name) : std::nullopt;
            return found ? *found : type ? Value(*type) : evaluator.call(makeOpaque(module + ".__getattribute__"), arguments);
        });
    if (auto function = tensorFunction(module, path, module == "torch" ? std::nullopt : numberFunction(path)))
        return function;
    if (path == "cuda" || path == "version" || path == "random" || path == "nn" || path == "nn.functional")
        return subModule(module, path);
    return makeOpaque(module + "." + path);
}

}  // namespace tw::staging
