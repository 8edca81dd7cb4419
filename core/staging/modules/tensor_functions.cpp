// Functions of torch and numpy on tensors without data: what torch.exp(x), np.concatenate([a, b]) and their like give.
#include <algorithm>
#include <set>

#include "core/staging/builtins.h"
#include "core/staging/meta_tensor.h"
#include "core/staging/modules/modules.h"

namespace tw::staging {

namespace {

using Shape = std::vector<Value>;
using TensorFunction = Value (*)(Interpreter&, const std::string& path, const CallArguments&);

const MetaTensor* tensorOf(const Value* value) { return value ? value->object<const MetaTensor>() : nullptr; }

const Value* argumentAt(const CallArguments& arguments, std::size_t position, std::initializer_list<std::string_view> names)
{
    std::size_t at = 0;
    for (const CallArgument& a : arguments.items)
        if (a.keyword.empty() ? at++ == position : std::ranges::find(names, a.keyword) != names.end())
            return a.value.get();
    return nullptr;
}

std::optional<std::size_t> axisArgument(const CallArguments& arguments, std::size_t position, std::size_t rank)
{
    const Value* given = argumentAt(arguments, position, {"dim", "axis"});
    auto axis = given ? asInteger(*given) : std::optional<Integer>(0);
    if (axis && *axis < 0)
        *axis += static_cast<Integer>(rank);
    return axis && *axis >= 0 && *axis < static_cast<Integer>(rank) ? std::optional(static_cast<std::size_t>(*axis)) : std::nullopt;
}

// The tensors of a list or tuple; empty where one of them is none, or where their ranks differ.
std::vector<const MetaTensor*> tensorsOf(Interpreter& in, const CallArguments& arguments)
{
    const Value* given = argumentAt(arguments, 0, {"tensors", "arrays"});
    if (!given || !(given->object<ListValue>() || given->object<const TupleValue>()))
        return {};
    std::vector<const MetaTensor*> out;
    for (const Value& one : in.iterate(*given, arguments.call)) {
        out.push_back(tensorOf(&one));  // the list keeps it
        if (!out.back() || out.back()->shape.size() != out.front()->shape.size())
            return {};
    }
    return out;
}

Value concatenated(Interpreter& in, const std::string& path, const CallArguments& arguments)
{
    const auto parts = tensorsOf(in, arguments);
    const auto axis = parts.empty() ? std::nullopt : axisArgument(arguments, 1, parts.front()->shape.size());
    if (!axis)
        return makeOpaque(path);
    Shape shape = parts.front()->shape;
    std::optional<Integer> total = 0;
    for (const MetaTensor* part : parts) {
        const auto extent = asInteger(part->shape[*axis]);
        total = total && extent ? std::optional(*total + *extent) : std::nullopt;
    }
    shape[*axis] = total ? Value(*total) : makeOpaque(path);
    return makeTensor(std::move(shape), parts.front()->dtype, path);
}

Value stacked(Interpreter& in, const std::string& path, const CallArguments& arguments)
{
    const auto parts = tensorsOf(in, arguments);
    const auto axis = parts.empty() ? std::nullopt : axisArgument(arguments, 1, parts.front()->shape.size() + 1);
    if (!axis)
        return makeOpaque(path);
    Shape shape = parts.front()->shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Value(static_cast<Integer>(parts.size())));
    return makeTensor(std::move(shape), parts.front()->dtype, path);
}

// where(condition, a, b): the shape of all three, the type of a and b.
Value chosen(Interpreter&, const std::string& path, const CallArguments& arguments)
{
    if (arguments.items.size() != 3)
        return makeOpaque(path);
    const Value &a = *arguments.items[1].value, &b = *arguments.items[2].value;
    const bool tensors = tensorOf(&a) || tensorOf(&b);
    const Value either = tensors ? tensorBinary(syntax::BinaryOp::kAdd, a, b) : Value();
    const MetaTensor* result = tensors ? tensorOf(&either) : tensorOf(arguments.items[0].value.get());
    if (!result)
        return makeOpaque(path);
    if (!tensors)
        return makeTensor(result->shape, std::nullopt, path);
    const Value all = tensorBinary(syntax::BinaryOp::kAdd, either, *arguments.items[0].value);
    const MetaTensor* wide = tensorOf(&all);
    return makeTensor(wide ? wide->shape : result->shape, result->dtype, path);
}

Value spaced(Interpreter&, const std::string& path, const CallArguments& arguments)
{
    const Value* count = argumentAt(arguments, 2, {"steps", "num"});
    const Value* type = argumentAt(arguments, 99, {"dtype"});
    const auto dtype = type ? asDType(*type) : std::nullopt;
    const ir::DType own = path.starts_with("torch") ? ir::kFloat32 : ir::kFloat64;
    return makeTensor({count ? *count : Value(path.starts_with("torch") ? 100 : 50)}, dtype.value_or(own), path);
}

Value asGiven(Interpreter&, const std::string& path, const CallArguments& arguments)
{
    const MetaTensor* tensor = tensorOf(argumentAt(arguments, 0, {"a", "data"}));
    if (!tensor)
        return makeOpaque(path);
    const Value* type = argumentAt(arguments, 1, {"dtype"});
    const auto dtype = type ? asDType(*type) : std::nullopt;
    return makeTensor(tensor->shape, dtype ? dtype : tensor->dtype, tensor->path);
}

Value asTensor(Interpreter&, const std::string& path, const CallArguments& arguments)
{
    const Value* given = argumentAt(arguments, 0, {"input"});
    return tensorOf(given) ? *given : makeOpaque(path);
}

TensorFunction functionNamed(const std::string& name)
{
    static const std::map<std::string_view, TensorFunction> kFunctions = {
        {"cat", concatenated}, {"concat", concatenated}, {"concatenate", concatenated}, {"stack", stacked}, {"where", chosen},
        {"linspace", spaced},  {"ascontiguousarray", asGiven}, {"asfortranarray", asGiven},
        {"nn.Parameter", asGiven}, {"nn.parameter.Parameter", asGiven}};
    const auto it = kFunctions.find(name);
    return it == kFunctions.end() ? nullptr : it->second;
}

// torch.nn.functional: what keeps shape and type.
bool keepsShape(const std::string& name)
{
    static const std::set<std::string_view> kSame = {
        "softmax", "log_softmax", "relu", "silu", "gelu", "normalize", "sigmoid", "logsigmoid", "tanh", "dropout", "layer_norm", "rms_norm",
        "softplus", "leaky_relu", "elu", "hardswish", "mish"};
    constexpr std::string_view kFolder = "nn.functional.";
    return name.starts_with(kFolder) && kSame.contains(std::string_view(name).substr(kFolder.size()));
}

// torch.exp(x) is x.exp(): the methods that are functions, too.
bool isMethodToo(const std::string& name)
{
    static const std::set<std::string_view> kBoth = {
        "exp",    "abs",     "absolute", "clamp",   "clip",      "relu",    "neg",     "sigmoid", "tanh",    "round", "floor",   "ceil",
        "square", "sqrt",    "rsqrt",    "log",     "roll",      "flip",    "tril",    "triu",    "softmax", "cumsum", "clone",  "transpose",
        "permute", "reshape", "unsqueeze", "flatten", "ravel",   "chunk",   "masked_fill", "t",   "copy",    "squeeze", "sum",   "mean",
        "amax",   "amin",    "max",      "min",     "any",       "all",     "argmax",  "argmin",  "sort",    "argsort", "repeat_interleave",
        "split",  "swapaxes", "sin",     "cos",     "erf",       "logsumexp", "prod",  "topk",    "std",     "var",   "median"};
    return kBoth.contains(name);
}

}  // namespace

std::optional<Value> tensorFunction(const std::string& module, const std::string& name, const std::optional<Value>& otherwise)
{
    const std::string path = module + "." + name;
    const TensorFunction known = functionNamed(name);
    if (const TensorFunction function = known ? known : keepsShape(name) ? asTensor : nullptr)
        return makeNative(name, [path, function](Evaluator& e, const CallArguments& a) { return function(static_cast<Interpreter&>(e), path, a); });
    if (!isMethodToo(name))
        return otherwise;
    return makeNative(name, [path, name, otherwise](Evaluator& evaluator, const CallArguments& arguments) -> Value {
        const bool hasTensor = !arguments.items.empty() && arguments.items[0].keyword.empty() && tensorOf(arguments.items[0].value.get());
        if (!hasTensor)
            return evaluator.call(otherwise ? *otherwise : makeOpaque(path), arguments);
        CallArguments rest = arguments;
        rest.items.erase(rest.items.begin());
        return evaluator.call(evaluator.attribute(*arguments.items[0].value, {name, arguments.callee}), rest);
    });
}

}  // namespace tw::staging
