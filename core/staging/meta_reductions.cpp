// What reductions and sorts of tensors without data give: shapes without an axis, pairs of values and indices.
#include <algorithm>
#include <set>

#include "core/staging/builtins.h"
#include "core/staging/meta_tensor.h"

namespace tw::staging {
namespace {

using Shape = std::vector<Value>;

// dim and keepdim as torch and NumPy spell them.
struct Reduced {
    std::set<std::size_t> axes;
    bool isKnown = false;  // which axes: false for none and for all at once
    bool keeps = false;
};

const Value* argumentOf(const CallArguments& arguments, std::size_t position, std::initializer_list<std::string_view> names)
{
    std::size_t at = 0;
    for (const CallArgument& a : arguments.items)
        if (a.keyword.empty() ? at++ == position : std::ranges::find(names, a.keyword) != names.end())
            return a.value.get();
    return nullptr;
}

Reduced readAxes(const CallArguments& arguments, std::size_t position, std::size_t rank)
{
    Reduced out;
    const Value* dim = argumentOf(arguments, position, {"dim", "axis"});
    const Value* keeps = argumentOf(arguments, position + 1, {"keepdim", "keepdims"});
    out.keeps = keeps && keeps->get<bool>() && *keeps->get<bool>();
    if (!dim)
        return out;
    const auto* tuple = dim->object<const TupleValue>();
    const auto* list = dim->object<ListValue>();
    for (const Value& one : tuple ? tuple->items : list ? list->items : std::vector<Value>{*dim}) {
        auto axis = asInteger(one);
        if (axis && *axis < 0)
            *axis += static_cast<Integer>(rank);
        if (!axis || *axis < 0 || *axis >= static_cast<Integer>(rank))
            return out;
        out.axes.insert(static_cast<std::size_t>(*axis));
    }
    out.isKnown = !out.axes.empty();
    return out;
}

Shape without(const Shape& shape, const Reduced& by)
{
    Shape out;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (!by.axes.contains(axis))
            out.push_back(shape[axis]);
        else if (by.keeps)
            out.emplace_back(1);
    return out;
}

bool isNumpy(const MetaTensor& tensor) { return tensor.path.starts_with("numpy") || tensor.path.starts_with("np."); }

// torch gives (values, indices), also by name.
Value valuesAndIndices(Shape shape, const MetaTensor& tensor)
{
    auto type = std::make_shared<ClassValue>();
    type->name = "values_and_indices";
    auto pair = std::make_shared<InstanceValue>();
    pair->type = std::move(type);
    const Value values = makeTensor(shape, tensor.dtype, tensor.path), indices = makeTensor(std::move(shape), ir::kInt64, tensor.path);
    pair->attributes = {{"values", values}, {"indices", indices}, {"$data", makeTuple({values, indices})}};
    return pair;
}

std::optional<ir::DType> resultType(const std::string& name, const MetaTensor& tensor)
{
    if (name == "argmax" || name == "argmin")
        return ir::kInt64;
    if (name == "any" || name == "all")
        return ir::kBool;
    const bool widens = (name == "sum" || name == "prod") && tensor.dtype && tensor.dtype->isInteger();
    return widens ? std::optional(ir::kInt64) : tensor.dtype;
}

Value reduced(const std::string& name, const MetaTensor& tensor, const CallArguments& arguments)
{
    const Reduced by = readAxes(arguments, 0, tensor.shape.size());
    if (!by.isKnown)
        return makeOpaque(tensor.path + "." + name);
    Shape shape = without(tensor.shape, by);
    const bool isPair = (name == "max" || name == "min" || name == "median") && !isNumpy(tensor);
    return isPair ? valuesAndIndices(std::move(shape), tensor) : makeTensor(std::move(shape), resultType(name, tensor), tensor.path);
}

Value largest(const MetaTensor& tensor, const CallArguments& arguments)
{
    const Value* k = argumentOf(arguments, 0, {"k"});
    Reduced by = readAxes(arguments, 1, tensor.shape.size());
    if (!argumentOf(arguments, 1, {"dim"}) && !tensor.shape.empty())
        by.axes = {tensor.shape.size() - 1}, by.isKnown = true;
    if (!k || !by.isKnown)
        return makeOpaque(tensor.path + ".topk");
    Shape shape = tensor.shape;
    shape[*by.axes.begin()] = *k;
    return valuesAndIndices(std::move(shape), tensor);
}

// NumPy sorts in place and gives nothing; np.sort and argsort keep the shape.
Value sorted(const MetaTensor& tensor)
{
    return isNumpy(tensor) ? makeTensor(tensor.shape, tensor.dtype, tensor.path) : valuesAndIndices(tensor.shape, tensor);
}

Value squeezed(const MetaTensor& tensor, const CallArguments& arguments)
{
    Reduced by = readAxes(arguments, 0, tensor.shape.size());
    if (!by.isKnown)
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
            if (const auto extent = asInteger(tensor.shape[axis]); extent == Integer{1})
                by.axes.insert(axis);
    by.keeps = false;
    std::erase_if(by.axes, [&](std::size_t axis) { return asInteger(tensor.shape[axis]) != Integer{1}; });
    return makeTensor(without(tensor.shape, by), tensor.dtype, tensor.path);
}

}  // namespace

std::optional<Value> tensorReduction(const Value& value, const std::string& name)
{
    static const std::set<std::string_view> kOne = {"sum",    "mean",   "amax", "amin", "prod", "any", "all", "max",
                                                    "min",    "median", "std",  "var",  "logsumexp", "argmax", "argmin"};
    const bool isKnown = kOne.contains(name) || name == "sort" || name == "topk" || name == "squeeze" || name == "argsort";
    if (!isKnown)
        return std::nullopt;
    return makeNative(name, [value, name](Evaluator&, const CallArguments& arguments) -> Value {
        const auto& tensor = *value.object<const MetaTensor>();
        if (name == "argsort")
            return makeTensor(tensor.shape, ir::kInt64, tensor.path);
        return name == "sort" ? sorted(tensor) : name == "topk" ? largest(tensor, arguments) : name == "squeeze" ? squeezed(tensor, arguments)
                                                                                            : reduced(name, tensor, arguments);
    });
}

}  // namespace tw::staging
